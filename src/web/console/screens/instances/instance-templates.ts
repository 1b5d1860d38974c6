import { h } from 'preact'
import { useState } from 'preact/hooks'
import { type ItemOf, usePages } from '../../core/use-pages.ts'
import { Badge } from '../../parts/badge.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import type { Tone } from '../../words/statuses.ts'
import { say, sayTemplateStatus } from './words.ts'

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

/** The templates of the account. The network is asked for them only if somebody wants to see them. */
export function Templates({ name, isConnected }: TemplatesProps) {
  const [isAsked, setAsked] = useState(false)
  return h(
    'section',
    { 'aria-labelledby': 'templates' },
    h('h2', { id: 'templates' }, say('templates')),
    isAsked
      ? h(List, { name })
      : h(
          'button',
          { type: 'button', disabled: !isConnected, onClick: () => setAsked(true) },
          say('show_templates'),
        ),
    !isAsked && !isConnected && h('p', { class: 'small' }, say('templates_need_connection')),
  )
}

function List({ name }: { readonly name: string }) {
  const pages = usePages('listTemplates', { params: { name }, query: { limit: 50 } })
  return [
    pages.items.length > 0 &&
      h(Table<Template>, {
        caption: say('templates'),
        items: pages.items,
        keyOf: (template) => `${template.name} ${template.language}`,
        columns: [
          { title: sayEverywhere('name'), cell: (template) => template.name },
          { title: say('language'), cell: ({ language }) => language },
          { title: say('category'), cell: ({ category }) => category ?? '–' },
          {
            title: sayEverywhere('status'),
            cell: ({ status, rejected_reason }) => [
              h(Badge, { tone: tones[status] ?? 'idle', text: sayTemplateStatus(status) }),
              rejected_reason && h('p', { class: 'small' }, rejected_reason),
            ],
          },
        ],
      }),
    h(ListEnd, { ...pages, empty: h('p', null, say('no_templates')) }),
  ]
}
