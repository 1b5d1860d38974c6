import { h } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type Change, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { idOf, inOrder, isFurtherBack } from '../../core/newest-first.ts'
import { linkTo } from '../../core/router.ts'
import { MessageBadge } from '../../parts/badge.ts'
import { Failure } from '../../parts/failure.ts'
import { MessageContent } from '../../parts/message-content.ts'
import { MoreButton } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { errorText } from '../../words/server-texts.ts'
import { ReplyBox } from './reply-box.ts'

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
}

/** The messages of one conversation, the newest at the bottom, live, and a place to answer. */
export function Thread({ instance, address, mayWrite }: ThreadProps) {
  const pages = usePages('listMessages', threadRequest(instance, address))
  const { items, change, reload, more, hasMore, isFull, isLoading, isRead, error } = pages
  const news = useNews('', pages, idOf)
  const shown = items.toReversed()
  const { isAtEnd, goToEnd, ...log } = useStickyEnd(shown.at(0)?.id, items.length)
  const find = (id: string) => items.find((each) => each.id === id)
  // A person who reads further up keeps the messages in view.
  const renew = useSoon(() => isLoading || !isAtEnd() || news.show(), renewDelay)
  useLive((event) => {
    const message = messageIn(event)
    if (message?.instance !== instance || !isHere(message, address, items)) return
    if (!isFull || find(message.id)) change(put(message))
    else if (!isFurtherBack(message, items, hasMore)) news.add(message.id)
    if (isFull) renew()
  }, reload)
  const onSent = (message: Message) => {
    goToEnd()
    if (isFull) news.show()
    else change(put(message))
  }
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
      h(
        'ol',
        null,
        shown.map((message) => h(Bubble, { key: message.id, message, find })),
      ),
      !news.isEmpty &&
        h('button', { type: 'button', onClick: toNewest }, say('conversations.newer', { count: news.count })),
    ),
    mayWrite && h(ReplyBox, { instance, address, isOver: isWindowOver(items), onSent }),
  )
}

interface BubbleProps {
  readonly message: Message
  readonly find: (id: string) => Message | undefined
}

function Bubble({ message, find }: BubbleProps) {
  const { id, direction, status, created_at, error, from, conversation } = message
  return h(
    'li',
    { class: `bubble ${direction}` },
    from !== null && from !== conversation && h('p', { class: 'small' }, from),
    h(MessageContent, { message, find }),
    error && h('p', { class: 'fault' }, errorText(error)),
    h(
      'p',
      { class: 'small' },
      h(
        'a',
        { href: linkTo(['messages', id]), title: say('conversations.details') },
        h(Time, { at: created_at }),
      ),
      ' ',
      direction === 'outbound' && h(MessageBadge, { status }),
    ),
  )
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

/** Keeps the end of the log in view, unless the person reads further up; the part that they read stays in its place, too. */
function useStickyEnd(oldest: string | undefined, count: number) {
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
    if (log) last.current.fromEnd = log.scrollHeight - log.clientHeight - log.scrollTop
  }
  const goToEnd = () => {
    last.current.fromEnd = 0
    toEnd()
  }
  const isAtEnd = () => last.current.fromEnd < near
  // A picture that was loaded makes the log longer.
  return { ref: element, onScroll, onLoadCapture: toEnd, isAtEnd, goToEnd }
}
