import { useRef } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { countsAsUnread } from '../../core/attention.ts'
import type { Unread } from './use-reading.ts'

/** The line above the messages that were unread when the conversation was opened. */
export interface UnreadLine {
  /** The message that it stands above. */
  readonly id: string
  readonly count: number
}

/**
 * Finds the line once, when the conversation is opened: it stays while one reads. The function takes it away, for when the person
 * answers.
 */
export function useUnreadLine(
  /** The newest first. */
  items: readonly Message[],
  isRead: boolean,
  unread: Unread,
): { readonly line: UnreadLine | null; readonly clear: () => void } {
  const line = useRef<UnreadLine | null>(undefined)
  if (line.current === undefined && isRead && unread !== undefined) {
    const count = unread ?? 0
    const oldest = count === 0 ? undefined : items.filter(countsAsUnread).slice(0, count).at(-1)
    line.current = oldest ? { id: oldest.id, count } : null
  }
  const clear = () => {
    line.current = null
  }
  return { line: line.current ?? null, clear }
}
