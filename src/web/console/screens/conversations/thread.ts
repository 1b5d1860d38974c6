import { h } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { call, newIdempotencyKey } from '../../core/api.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type Change, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { idOf, inOrder, isFurtherBack } from '../../core/newest-first.ts'
import { Failure } from '../../parts/failure.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { tell } from '../../parts/notices.ts'
import { MoreButton } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import type { About } from './about.ts'
import { canSend } from './allowed.ts'
import type { Orders } from './bubble-orders.ts'
import { writersIn } from './mentions.ts'
import { MessageLog } from './message-log.ts'
import { ReplyBox } from './reply-box.ts'
import { type Unread, useReading } from './use-reading.ts'

/** Milliseconds for which a full thread goes on until it is read again. */
const renewDelay = 1_000

/** Makes the request of a thread. */
export function threadRequest(instance: string, address: string) {
  return { query: { instance, conversation: address, limit: 50 } }
}

/** Past all the messages. The link must not change the place, which stands behind the `#` as well. */
function toReply(event: Event): void {
  event.preventDefault()
  document.getElementById('reply')?.focus()
}

interface ThreadProps {
  readonly instance: string
  readonly address: string
  readonly mayWrite: boolean
  readonly unread: Unread
  readonly onRead: () => void
}

/** The messages of one conversation, the newest at the bottom, live, and a place to answer. */
export function Thread({ instance, address, mayWrite, unread, onRead }: ThreadProps) {
  const pages = usePages('listMessages', threadRequest(instance, address))
  const { items, change, reload, more, hasMore, isFull, isLoading, isRead, error } = pages
  const network = useNetwork(instance)
  const news = useNews('', pages, idOf)
  const [about, setAbout] = useState<About>()
  const [retracted, setRetracted] = useState<Message>()
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
  const writers = useMemo(() => writersIn(items), [items])
  const orders = ordersTo(setAbout, setRetracted, onChanged)
  const toNewest = () => {
    log.ref.current?.focus()
    news.show()
  }
  return h(
    'section',
    { class: 'thread', 'aria-label': address },
    mayWrite && h('a', { class: 'skip', href: '#reply', onClick: toReply }, say('conversations.skip')),
    h(
      'div',
      { class: 'log', role: 'log', tabIndex: 0, 'aria-label': address, ...log },
      h(Failure, { error, onRetry: reload }),
      // The button stays until there are none, so that it keeps the focus.
      hasMore && h(MoreButton, { isLoading, onMore: more, text: say('conversations.older') }),
      isLoading && !hasMore && h('p', { class: 'loading' }, say('everywhere.loading')),
      isRead && items.length === 0 && h('p', { class: 'empty' }, say('conversations.empty_thread')),
      h(MessageLog, { items, network, mayWrite, orders }),
      !news.isEmpty &&
        h('button', { type: 'button', onClick: toNewest }, say('conversations.newer', { count: news.count })),
    ),
    mayWrite &&
      h(ReplyBox, {
        ...{ instance, address, network, about, onSent, onChanged },
        isOver: isWindowOver(items),
        people: canSend(network, 'mention') ? writers : [],
        onAbout: setAbout,
      }),
    retracted &&
      h(RetractDialog, {
        message: retracted,
        onRetracted: onChanged,
        onClose: () => setRetracted(undefined),
      }),
  )
}

/** The orders about a message, carried out. */
function ordersTo(
  setAbout: (about: About) => void,
  retract: (message: Message) => void,
  onChanged: (message: Message) => void,
): Orders {
  return {
    reply: (message) => setAbout({ kind: 'reply', message }),
    edit: (message) => setAbout({ kind: 'edit', message }),
    retract,
    react: ({ id }, emoji) =>
      tell(async () =>
        onChanged(await call('reactToMessage', { ...once(), params: { id }, body: { emoji } })),
      ),
  }
}

const once = () => ({ headers: { 'idempotency-key': newIdempotencyKey() } })

interface RetractProps {
  readonly message: Message
  readonly onRetracted: (message: Message) => void
  readonly onClose: () => void
}

/** Asks before a message is retracted: that cannot be undone. */
function RetractDialog({ message: { id }, onRetracted, onClose }: RetractProps) {
  const [request] = useState(once)
  const onConfirm = async () =>
    onRetracted(await call('retractMessage', { ...request, params: { id }, body: {} }))
  const what = h('p', null, say('conversations.retract_what'))
  return h(Confirm, { title: say('conversations.retract'), onConfirm, onClose }, what)
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

/** Returns true if the network lets the account answer no longer, as far as the messages tell. */
function isWindowOver(items: readonly Message[]): boolean {
  const ends = items.flatMap(({ window_ends_at }) => (window_ends_at ? [Date.parse(window_ends_at)] : []))
  return ends.length > 0 && Math.max(...ends) < Date.now()
}

/** Pixels from the end within which the view is still kept there. */
const near = 120

/** Keeps the end of the log in view, unless the person reads further up; the part that they read stays in its place, too. `onEnd` is called when they scroll there. */
function useStickyEnd(oldest: string | undefined, count: number, onEnd: () => void) {
  const element = useRef<HTMLDivElement>(null)
  const last = useRef({ fromEnd: 0, oldest })
  const toEnd = () => {
    const log = element.current
    if (log && last.current.fromEnd < near) log.scrollTop = log.scrollHeight
  }
  useLayoutEffect(() => {
    const log = element.current
    if (!log) return
    if (last.current.fromEnd < near) log.scrollTop = log.scrollHeight
    else if (last.current.oldest !== oldest)
      log.scrollTop = log.scrollHeight - log.clientHeight - last.current.fromEnd
    last.current.oldest = oldest
  }, [oldest, count])
  const onScroll = () => {
    const log = element.current
    if (!log) return
    last.current.fromEnd = log.scrollHeight - log.clientHeight - log.scrollTop
    if (last.current.fromEnd < near) onEnd()
  }
  const goToEnd = () => {
    last.current.fromEnd = 0
    toEnd()
  }
  const isAtEnd = () => last.current.fromEnd < near
  // A picture that was loaded makes the log longer.
  return { ref: element, onScroll, onLoadCapture: toEnd, isAtEnd, goToEnd }
}
