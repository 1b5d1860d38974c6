import { type ComponentChildren, h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import type { Network } from '../../core/operations.ts'
import type { NameOf } from '../../parts/message/mentioned.ts'
import { dayName } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { allowedFor, nothing } from './allowed.ts'
import { Bubble } from './bubble.ts'
import type { Orders } from './bubble-orders.ts'
import { GroupLine } from './group-changes.ts'
import { beginsGroup, type Entry, timeOf } from './log-entries.ts'
import type { UnreadLine } from './unread-line.ts'

interface LogProps {
  /** All messages, the newest first. */
  readonly items: readonly Message[]
  /** The lines that are drawn, the oldest first. */
  readonly entries: readonly Entry[]
  /** The network, once it is known. */
  readonly network: Network | undefined
  readonly isGroup: boolean
  readonly mayWrite: boolean
  readonly orders: Orders
  readonly unreadLine: UnreadLine | null
  /** The key of the message that the person came to see. */
  readonly sought?: string | undefined
  readonly nameOf: NameOf
}

/** The messages of a conversation by days, the newest at the bottom, and what changed in a group meanwhile. */
export function MessageLog(props: LogProps) {
  const { items, entries, network, isGroup, mayWrite, orders, unreadLine, nameOf } = props
  const [open, setOpen] = useState<string>()
  const byDay = useMemo(
    () => [...Map.groupBy(entries, (entry) => new Date(timeOf(entry)).toDateString())],
    [entries],
  )
  const byId = useMemo(() => new Map(items.map((each) => [each.id, each])), [items])
  const now = Date.now()
  const shown = (entry: Entry, at: number, all: readonly Entry[]): ComponentChildren[] => {
    if ('change' in entry) return [h(GroupLine, { key: entry.id, told: entry, nameOf })]
    const { id } = entry.message
    return [
      unreadLine?.id === id &&
        h(
          'li',
          { key: 'unread', class: 'unread-line' },
          h('span', null, say('conversations.unread', { count: unreadLine.count })),
        ),
      h(Bubble, {
        key: id,
        folded: entry,
        find: (other: string) => byId.get(other),
        isFirst: beginsGroup(entry, all[at - 1]),
        isGroup,
        nameOf,
        allowed: mayWrite && open === id ? allowedFor(entry, network, now) : nothing,
        orders,
        isOpen: open === id,
        isSought: props.sought === id,
        onOpen: (isOpen: boolean) => setOpen(isOpen ? id : undefined),
      }),
    ]
  }
  // Flat: what stands in an array without a key is drawn anew whenever something comes above it.
  return byDay.flatMap(([day, own]) => [
    h('h2', { key: `title ${day}`, class: 'day small' }, h('span', null, own[0] && dayName(timeOf(own[0])))),
    h('ol', { key: day }, own.flatMap(shown)),
  ])
}
