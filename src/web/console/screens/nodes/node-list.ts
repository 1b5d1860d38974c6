import { h } from 'preact'
import { useState } from 'preact/hooks'
import { number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import type { ItemOf } from '../../core/hooks/use-pages.ts'
import { useRepeated } from '../../core/hooks/use-repeated.ts'
import { Badge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { Copy } from '../../parts/copy.ts'
import { Failure } from '../../parts/failure.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { Screen } from '../../parts/screen.ts'
import { Table } from '../../parts/table.ts'
import { Age, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { nodeTones } from '../../words/statuses.ts'

type Node = ItemOf<'listNodes'>

/** Milliseconds between two reads: no event tells of nodes. */
const rereadAfter = 3_000

/** The nodes that share the database, for the operator. */
export function screen() {
  const { data, error, change, reload } = useRepeated('listNodes', rereadAfter)
  const [draining, setDraining] = useState<string>()
  const drain = async (node: string) => {
    const drained = await call('drainNode', { params: { node } })
    change((page) => ({ ...page, data: page.data.map((each) => (each.id === node ? drained : each)) }))
  }
  return h(
    Screen,
    { title: say('nodes.title'), calls: [shownCall('listNodes')] },
    h('p', { class: 'hint' }, say('nodes.hint')),
    h(Failure, { error, onRetry: reload }),
    !data && error === undefined && h('p', { class: 'loading', role: 'status' }, say('everywhere.loading')),
    data &&
      h(Table<Node>, {
        caption: say('nodes.title'),
        items: data.data,
        keyOf: ({ id }) => id,
        columns: columnsWith(setDraining),
      }),
    draining !== undefined &&
      h(
        Confirm,
        {
          title: say('nodes.drain'),
          onConfirm: () => drain(draining),
          onClose: () => setDraining(undefined),
        },
        h('p', null, h('code', null, draining)),
        h('p', null, say('nodes.drain_what')),
      ),
  )
}

function columnsWith(drain: (node: string) => void) {
  return [
    {
      title: say('nodes.id'),
      cell: ({ id }: Node) =>
        h(
          'span',
          { class: 'copyable' },
          h('code', null, id),
          h(Copy, { text: id, label: say('nodes.copy_id') }),
        ),
    },
    {
      title: say('everywhere.status'),
      onPhone: 'beside' as const,
      cell: ({ status }: Node) =>
        h(Badge, { tone: nodeTones[status] ?? 'idle', text: say(`statuses.node.${status}`) }),
    },
    { title: say('nodes.version'), isNumber: true, cell: ({ version }: Node) => version },
    { title: say('nodes.started'), cell: ({ started_at }: Node) => h(Time, { at: started_at }) },
    {
      title: say('nodes.last_seen'),
      isShort: true,
      cell: ({ last_seen_at }: Node) => h(Age, { at: last_seen_at }),
    },
    { title: say('nodes.instances'), isNumber: true, cell: ({ instances }: Node) => number(instances) },
    { title: say('nodes.duties'), onPhone: 'below' as const, cell: (node: Node) => h(Duties, { node }) },
    {
      title: say('nodes.drain'),
      onPhone: 'end' as const,
      cell: (node: Node) => h(Drain, { node, onDrain: () => drain(node.id) }),
    },
  ]
}

function Duties({ node: { keeps_house, delivery_parts } }: { readonly node: Node }) {
  const duties = [
    keeps_house && say('nodes.housekeeping'),
    delivery_parts > 0 && say('nodes.delivery_parts', { parts: delivery_parts }),
  ].filter((duty) => duty !== false)
  if (duties.length === 0) return '–'
  return h(
    'div',
    null,
    duties.map((duty) => h('div', { key: duty }, duty)),
  )
}

/** The button that drains a node, and whether one that drains may be stopped. */
function Drain({ node, onDrain }: { readonly node: Node; readonly onDrain: () => void }) {
  const { status, instances } = node
  if (status === 'running' || status === 'silent') return h(Button, { onClick: onDrain }, say('nodes.drain'))
  return status === 'draining' && instances === 0 ? say('nodes.may_be_stopped') : '–'
}
