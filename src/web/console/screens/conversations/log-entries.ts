import type { Folded } from './folded.ts'
import type { ToldChange } from './group-changes.ts'

/** A line of the log: a message, or a change of the group. */
export type Entry = Folded | ToldChange

/** Milliseconds between two messages of one person that still stand together. */
const together = 5 * 60_000

export function timeOf(entry: Entry): string {
  return 'change' in entry ? entry.at : entry.message.created_at
}

export function keyOfEntry(entry: Entry): string {
  return 'change' in entry ? entry.id : entry.message.id
}

/** The messages with each change behind those that were there before it. */
export function withChanges(messages: readonly Folded[], changes: readonly ToldChange[]): readonly Entry[] {
  if (changes.length === 0) return messages
  const entries: Entry[] = [...messages]
  for (const told of changes) {
    const before = entries.findLastIndex((entry) => Date.parse(timeOf(entry)) <= Date.parse(told.at))
    entries.splice(before + 1, 0, told)
  }
  return entries
}

/** Returns true if a message begins a group of its own, and does not stand with the one above it. */
export function beginsGroup(entry: Folded, above: Entry | undefined): boolean {
  if (!above || 'change' in above) return true
  const { message } = entry
  const { direction, from, created_at } = above.message
  const gap = Date.parse(message.created_at) - Date.parse(created_at)
  return direction !== message.direction || from !== message.from || gap > together
}
