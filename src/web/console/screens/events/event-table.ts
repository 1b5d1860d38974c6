import { type ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'
import type { TemplateStatus } from '../../../../contract/statuses.ts'
import { instanceIn, type LiveEvent, messageIn } from '../../core/live.ts'
import { InstanceBadge, MessageBadge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock, Copyable } from '../../parts/copy.ts'
import { Dialog } from '../../parts/dialog.ts'
import { Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

/** An event with the cursor that continues behind it, if it is known. */
export interface ShownEvent {
  readonly event: LiveEvent
  readonly cursor: string | undefined
}

/** Events as rows; each opens as JSON. */
export function EventTable({ events }: { readonly events: readonly ShownEvent[] }) {
  const [open, setOpen] = useState<ShownEvent>()
  return [
    h(Table<ShownEvent>, {
      caption: say('events.title'),
      items: events,
      keyOf: ({ event }) => event.id,
      columns: [
        {
          title: say('events.type'),
          cell: (shown) => h(Button, { look: 'link', onClick: () => setOpen(shown) }, shown.event.type),
        },
        { title: say('everywhere.instance'), cell: ({ event }) => instanceOf(event) ?? '–' },
        { title: say('events.subject'), cell: ({ event }) => subjectOf(event) },
        { title: say('everywhere.time'), cell: ({ event }) => h(Time, { at: event.timestamp }) },
      ],
    }),
    open &&
      h(
        Dialog,
        { title: open.event.type, onClose: () => setOpen(undefined) },
        open.cursor !== undefined && h('p', null, h(Copyable, { text: open.cursor })),
        h(CodeBlock, { text: JSON.stringify(open.event, null, 2), label: say('events.event') }),
      ),
  ]
}

function subjectOf(event: LiveEvent): ComponentChildren {
  const message = messageIn(event)
  if (message) return [h(MessageBadge, { status: message.status }), ' ', message.conversation]
  const instance = instanceIn(event)
  if (!instance) return noticeOf(event)
  return [
    h(InstanceBadge, { status: instance.status }),
    ' ',
    instance.reason && h('code', null, instance.reason.code),
  ]
}

/** The parts of events that are about neither a message nor an instance. */
interface Notices {
  readonly group?: { readonly address: string; readonly subject: string | null }
  readonly contact?: { readonly address: string }
  readonly template?: { readonly name: string; readonly status: TemplateStatus }
}

function noticeOf({ data }: LiveEvent): ComponentChildren {
  const { group, contact, template } = data as Notices
  if (group) return group.subject ?? group.address
  if (contact) return contact.address
  if (template)
    return [
      template.name,
      ' ',
      h('span', { class: 'small' }, say(`instances.template_statuses.${template.status}`)),
    ]
  return '–'
}

/** The name of the instance that an event is about. */
export function instanceOf({ data }: LiveEvent): string | undefined {
  return (data as { readonly instance?: { readonly name: string } }).instance?.name
}
