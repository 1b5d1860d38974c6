import { type ComponentChildren, h } from 'preact'
import type { TemplateStatus } from '../../../../contract/statuses.ts'
import { instanceIn, type LiveEvent, messageIn } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { InstanceBadge, MessageBadge } from '../../parts/badge.ts'
import { Table } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'

/** Events as rows that lead to them. */
export function EventTable({ events }: { readonly events: readonly LiveEvent[] }) {
  return h(Table<LiveEvent>, {
    caption: say('events.title'),
    items: events,
    keyOf: ({ id }) => id,
    linkOf: ({ id }) => linkTo(['events', id]),
    columns: [
      { title: say('events.type'), cell: ({ type }) => h('code', null, type) },
      { title: say('everywhere.instance'), onPhone: 'below', cell: (event) => instanceOf(event) ?? '–' },
      { title: say('events.subject'), onPhone: 'below', cell: subjectOf },
      {
        title: say('everywhere.time'),
        isShort: true,
        onPhone: 'beside',
        cell: ({ timestamp }) => h(Age, { at: timestamp }),
      },
    ],
  })
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
