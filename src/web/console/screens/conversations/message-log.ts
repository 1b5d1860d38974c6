import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import type { Network } from '../../core/operations.ts'
import { localDay } from '../../parts/time.ts'
import { allowedFor, nothing } from './allowed.ts'
import { Bubble } from './bubble.ts'
import type { Orders } from './bubble-orders.ts'
import { type Folded, folded } from './folded.ts'
import { GroupLine, type ToldChange } from './group-changes.ts'

interface LogProps {
  /** The newest first. */
  readonly items: readonly Message[]
  /** The network, once it is known. */
  readonly network: Network | undefined
  readonly mayWrite: boolean
  readonly orders: Orders
  /** Changes of the group, the oldest first. */
  readonly changes: readonly ToldChange[]
  readonly nameOf: (address: string) => string
}

type Entry = Folded | ToldChange

/** The messages of a conversation by days, the newest at the bottom, and what changed in a group meanwhile. */
export function MessageLog({ items, network, mayWrite, orders, changes, nameOf }: LogProps) {
  const [open, setOpen] = useState<string>()
  const byDay = useMemo(
    () => [
      ...Map.groupBy(withChanges(folded(items), changes), (entry) => new Date(timeOf(entry)).toDateString()),
    ],
    [items, changes],
  )
  const find = (id: string) => items.find((each) => each.id === id)
  const now = Date.now()
  const shown = (entry: Entry) => {
    if ('change' in entry) return h(GroupLine, { key: entry.id, told: entry, nameOf })
    const { id } = entry.message
    return h(Bubble, {
      key: id,
      folded: entry,
      find,
      allowed: mayWrite && open === id ? allowedFor(entry, network, now) : nothing,
      orders,
      isOpen: open === id,
      onOpen: (isOpen: boolean) => setOpen(isOpen ? id : undefined),
    })
  }
  return byDay.map(([day, entries]) => [
    h('h2', { key: `title ${day}`, class: 'day small' }, entries[0] && localDay(timeOf(entries[0]))),
    h('ol', { key: day }, entries.map(shown)),
  ])
}

/** The messages with each change behind those that were there before it. */
function withChanges(messages: readonly Folded[], changes: readonly ToldChange[]): readonly Entry[] {
  if (changes.length === 0) return messages
  const entries: Entry[] = [...messages]
  for (const told of changes) {
    const before = entries.findLastIndex((entry) => Date.parse(timeOf(entry)) <= Date.parse(told.at))
    entries.splice(before + 1, 0, told)
  }
  return entries
}

function timeOf(entry: Entry): string {
  return 'change' in entry ? entry.at : entry.message.created_at
}
