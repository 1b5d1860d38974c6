import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type Change, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { useStretch } from '../../core/hooks/use-stretch.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { idOf, inOrder, isFurtherBack } from '../../core/newest-first.ts'
import { folded } from './folded.ts'
import { useGroupChanges } from './group-changes.ts'
import { type Entry, keyOfEntry, withChanges } from './log-entries.ts'
import { useStickyEnd } from './sticky-end.ts'
import { type Unread, useReading } from './use-reading.ts'
import { useSought } from './use-sought.ts'

/** Milliseconds for which a full thread goes on until it is read again. */
const renewDelay = 1_000
/** The most messages that are drawn at once. */
const maxDrawn = 150

/** Makes the request of a thread. */
export function threadRequest(instance: string, address: string) {
  return { query: { instance, conversation: address, limit: 50 } }
}

const none: ReadonlySet<string> = new Set()

interface Place {
  readonly instance: string
  readonly address: string
  readonly mayWrite: boolean
  readonly unread: Unread
  /** The id of a message to show first, in its place; the newest otherwise. */
  readonly sought: string | undefined
  /** The server counts the conversation as read. */
  readonly onRead: () => void
}

/**
 * Reads the messages of one conversation, live, and marks them as read. The end of the log stays in view; if the person reads further
 * up, `below` counts what came meanwhile.
 */
export function useThread({ instance, address, mayWrite, unread, sought, onRead }: Place) {
  const pages = usePages('listMessages', threadRequest(instance, address))
  const { items, change, reload, hasMore, isFull, isLoading } = pages
  const news = useNews('', pages, idOf)
  const changes = useGroupChanges(instance, address)
  const entries = useMemo<readonly Entry[]>(() => withChanges(folded(items), changes), [items, changes])
  const stretch = useStretch(entries, keyOfEntry, maxDrawn, 'end')
  const [arrived, setArrived] = useState(none)
  const sticky = useStickyEnd({
    beginsAtEnd: sought === undefined,
    onEnd: () => {
      if (stretch.isAfterHidden) {
        stretch.back()
        return false
      }
      stretch.goHome()
      if (arrived.size > 0) setArrived(none)
      look()
      return true
    },
    onLeave: stretch.hold,
  })
  const { goToEnd, stayHere, isAtEnd: isNearEnd, ...log } = sticky
  const search = useSought(sought, { pages, entries, stretch, stayHere, goToEnd })
  const isAtEnd = () => isNearEnd() && !stretch.isAfterHidden
  const look = useReading({ items, unread, mayWrite, isAtEnd, onRead })
  // A person who reads further up keeps the messages in view.
  const renew = useSoon(() => isLoading || !isAtEnd() || news.show(), renewDelay)
  useLive((event) => {
    const message = messageIn(event)
    if (message?.instance !== instance || !isHere(message, address, items)) return
    const isKnown = items.some(({ id }) => id === message.id)
    if (!isFull || isKnown) change(put(message))
    else if (!isFurtherBack(message, items, hasMore)) news.add(message.id)
    if (!isFull && !isKnown && !isAtEnd() && !isFurtherBack(message, items, hasMore))
      // By their ids: several events of one message may come at once.
      setArrived((before) => new Set([...before, message.id]))
    if (isFull) renew()
  }, reload)
  const onChanged = (message: Message) => (isFull ? news.show() : change(put(message)))
  const toNewest = () => {
    log.ref.current?.focus()
    setArrived(none)
    stretch.goHome()
    goToEnd()
    if (!news.isEmpty) news.show()
  }
  const onSent = (message: Message) => {
    setArrived(none)
    stretch.goHome()
    goToEnd()
    onChanged(message)
  }
  const below = typeof news.count === 'number' ? news.count + arrived.size : news.count
  return { pages, log, stretch, search, below, toNewest, onChanged, onSent }
}

/** The messages with one more, or with what is new about one of them. */
function put(message: Message): Change<Message> {
  return (shown, hasMore) => {
    if (shown.some(({ id }) => id === message.id)) return withNews(shown, message)
    return isFurtherBack(message, shown, hasMore) ? shown : inOrder(shown, message, idOf)
  }
}

/** Returns true if a message belongs here: it may come from another address of the same person. */
function isHere(message: Message, address: string, items: readonly Message[]): boolean {
  const known = new Set([
    address,
    ...items.flatMap(({ conversation, aliases }) => [conversation, ...aliases]),
  ])
  return known.has(message.conversation) || message.aliases.some((alias) => known.has(alias))
}
