import type { Message } from '../../../../contract/resources/message.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type Change, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { idOf, inOrder, isFurtherBack } from '../../core/newest-first.ts'
import { useStickyEnd } from './sticky-end.ts'
import { type Unread, useReading } from './use-reading.ts'

/** Milliseconds for which a full thread goes on until it is read again. */
const renewDelay = 1_000

/** Makes the request of a thread. */
export function threadRequest(instance: string, address: string) {
  return { query: { instance, conversation: address, limit: 50 } }
}

interface Place {
  readonly instance: string
  readonly address: string
  readonly mayWrite: boolean
  readonly unread: Unread
  /** The server counts the conversation as read. */
  readonly onRead: () => void
}

/** Reads the messages of one conversation, live, and marks them as read. The end of the log stays in view. */
export function useThread({ instance, address, mayWrite, unread, onRead }: Place) {
  const pages = usePages('listMessages', threadRequest(instance, address))
  const { items, change, reload, hasMore, isFull, isLoading } = pages
  const news = useNews('', pages, idOf)
  const { isAtEnd, goToEnd, ...log } = useStickyEnd(items.at(-1)?.id, items.length, () => look())
  const look = useReading({ items, unread, mayWrite, isAtEnd, onRead })
  // A person who reads further up keeps the messages in view.
  const renew = useSoon(() => isLoading || !isAtEnd() || news.show(), renewDelay)
  useLive((event) => {
    const message = messageIn(event)
    if (message?.instance !== instance || !isHere(message, address, items)) return
    if (!isFull || items.some(({ id }) => id === message.id)) change(put(message))
    else if (!isFurtherBack(message, items, hasMore)) news.add(message.id)
    if (isFull) renew()
  }, reload)
  const onChanged = (message: Message) => (isFull ? news.show() : change(put(message)))
  const onSent = (message: Message) => {
    goToEnd()
    onChanged(message)
  }
  const toNewest = () => {
    log.ref.current?.focus()
    news.show()
  }
  return { pages, log, news, toNewest, onChanged, onSent }
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
