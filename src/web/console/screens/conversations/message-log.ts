import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import type { Network } from '../../core/operations.ts'
import { localDay } from '../../parts/time.ts'
import { allowedFor, nothing } from './allowed.ts'
import { Bubble } from './bubble.ts'
import type { Orders } from './bubble-orders.ts'
import { folded } from './folded.ts'

interface LogProps {
  /** The newest first. */
  readonly items: readonly Message[]
  /** The network, once it is known. */
  readonly network: Network | undefined
  readonly mayWrite: boolean
  readonly orders: Orders
}

/** The messages of a conversation by days, the newest at the bottom. */
export function MessageLog({ items, network, mayWrite, orders }: LogProps) {
  const [open, setOpen] = useState<string>()
  const byDay = useMemo(
    () => [...Map.groupBy(folded(items), ({ message }) => new Date(message.created_at).toDateString())],
    [items],
  )
  const find = (id: string) => items.find((each) => each.id === id)
  const now = Date.now()
  return byDay.map(([day, messages]) => {
    const first = messages[0]?.message
    return [
      h('h2', { key: `title ${day}`, class: 'day small' }, first && localDay(first.created_at)),
      h(
        'ol',
        { key: day },
        messages.map((each) => {
          const { id } = each.message
          return h(Bubble, {
            key: id,
            folded: each,
            find,
            allowed: mayWrite && open === id ? allowedFor(each, network, now) : nothing,
            orders,
            isOpen: open === id,
            onOpen: (isOpen: boolean) => setOpen(isOpen ? id : undefined),
          })
        }),
      ),
    ]
  })
}
