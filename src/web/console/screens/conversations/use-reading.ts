import { useEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { RefusedError } from '../../../browser/refused.ts'
import { call } from '../../core/api.ts'
import { countsAsUnread } from '../../core/attention.ts'

/** The number of messages that are unread; null if it is not known, and undefined while the server is being asked. */
export type Unread = number | null | undefined

interface Reading {
  /** The newest first. */
  readonly items: readonly Message[]
  readonly unread: Unread
  readonly mayWrite: boolean
  /** Returns true if the newest message is in view. */
  readonly isAtEnd: () => boolean
  /** The server counts the conversation as read. */
  readonly onRead: () => void
}

/**
 * Marks a conversation as read up to its newest message, once for each, while the person has that before them. Returns a function to
 * call when they may have it in view.
 */
export function useReading({ items, unread, mayWrite, isAtEnd, onRead }: Reading): () => void {
  const marked = useRef<string>(undefined)
  const [looks, setLooks] = useState(0)
  const newest = items.find(countsAsUnread)?.id
  const look = () => setLooks((before) => before + 1)
  useEffect(() => {
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  useEffect(() => {
    if (!mayWrite || newest === undefined || newest === marked.current) return
    // A conversation that was read before needs no receipt; later the count may lag behind what is shown.
    const needsNone = unread === undefined || (unread === 0 && marked.current === undefined)
    if (needsNone || !isBeforePerson() || !isAtEnd()) return
    marked.current = newest
    mark(newest).then((isRead) => isRead && onRead())
  }, [newest, unread, looks])
  return () => newest !== marked.current && look()
}

const isBeforePerson = () => document.visibilityState === 'visible' && document.hasFocus()

/** Returns true if the messages up to this one count as read. Nothing is said if not: the person did not ask for it. */
async function mark(id: string): Promise<boolean> {
  try {
    await call('markMessageRead', { params: { id } })
    return true
  } catch (error) {
    // A network without receipts: the server counts them as read all the same.
    return error instanceof RefusedError && error.code === 'not_supported_by_network'
  }
}
