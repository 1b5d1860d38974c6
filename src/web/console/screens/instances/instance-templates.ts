import { h } from 'preact'
import { useState } from 'preact/hooks'
import { type ItemOf, usePages } from '../../core/hooks/use-pages.ts'
import { Badge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { Section } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import type { Tone } from '../../words/statuses.ts'

type Template = ItemOf<'listTemplates'>

const tones: Readonly<Record<Template['status'], Tone>> = {
  approved: 'good',
  pending: 'busy',
  paused: 'attention',
  rejected: 'bad',
  disabled: 'bad',
  other: 'idle',
}

interface TemplatesProps {
  readonly name: string
  readonly isConnected: boolean
}

/** The templates of the account. The network is asked for them only if the person wants to see them. */
export function Templates({ name, isConnected }: TemplatesProps) {
  const [isAsked, setAsked] = useState(false)
  return h(
    Section,
    { id: 'templates', title: say('instances.templates') },
    isAsked
      ? h(List, { name })
      : h(Button, { disabled: !isConnected, onClick: () => setAsked(true) }, say('instances.show_templates')),
    !isAsked && !isConnected && h('p', { class: 'small' }, say('instances.templates_need_connection')),
  )
}

function List({ name }: { readonly name: string }) {
  const pages = usePages('listTemplates', { params: { name }, query: { limit: 50 } })
  return [
    pages.items.length > 0 &&
      h(Table<Template>, {
        caption: say('instances.templates'),
        items: pages.items,
        keyOf: (template) => `${template.name} ${template.language}`,
        columns: [
          { title: say('everywhere.name'), cell: (template) => template.name },
          { title: say('instances.language'), onPhone: 'below', cell: ({ language }) => language },
          { title: say('instances.category'), onPhone: 'below', cell: ({ category }) => category ?? '–' },
          {
            title: say('everywhere.status'),
            onPhone: 'beside',
            cell: ({ status, rejected_reason }) => [
              h(Badge, { tone: tones[status] ?? 'idle', text: say(`instances.template_statuses.${status}`) }),
              rejected_reason && h('p', { class: 'small' }, rejected_reason),
            ],
          },
        ],
      }),
    h(ListEnd, { ...pages, empty: h('p', null, say('instances.no_templates')) }),
  ]
}
