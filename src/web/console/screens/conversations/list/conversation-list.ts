import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Conversation } from '../../../../../contract/resources/conversation.ts'
import { conversationKey as keyOf, noteOne, noteWaiting } from '../../../core/attention.ts'
import { isHeld } from '../../../core/held.ts'
import { useNews } from '../../../core/hooks/use-news.ts'
import { type Pages, usePages } from '../../../core/hooks/use-pages.ts'
import { useSoon } from '../../../core/hooks/use-soon.ts'
import { useStretch } from '../../../core/hooks/use-stretch.ts'
import { messageIn, useLive } from '../../../core/live.ts'
import { isFurtherBack } from '../../../core/newest-first.ts'
import { ListEnd } from '../../../parts/table.ts'
import { say } from '../../../words/say.ts'
import { ConversationRow } from './conversation-row.ts'
import { useWithoutForgotten } from './forgotten.ts'
import { FoundMessages } from './found-messages.ts'
import { useKnownNames } from './known-names.ts'
import { type ChosenConversation, isChosen, isOf, lastOf, withMessage, withSubject } from './list-changes.ts'
import { isFiltered, type ListQuery, listRequest } from './list-query.ts'

/** Milliseconds for which a full list goes on until it is read again. */
const renewDelay = 1_000
/** The most rows that are drawn at once. */
const maxRows = 300

interface ListProps {
  readonly query: ListQuery
  readonly chosen: ChosenConversation | undefined
  /** Told the chosen conversation: null if it is not among those that were read, and undefined while none was. */
  readonly onChosen?: (conversation: Conversation | null | undefined) => void
  /** Grows when the chosen conversation was read. */
  readonly timesRead?: number
  /** The name of the chosen group, once the network told it. */
  readonly subject?: string | undefined
}

/**
 * Conversations with their last messages, the newest first. While the person points at them or reads further down, nothing moves.
 */
export function ConversationList({ query, chosen, onChosen, timesRead = 0, subject }: ListProps) {
  const pages = usePages('listConversations', listRequest(query))
  const { change, isRead, hasMore, more } = pages
  const items = useWithoutForgotten(pages.items)
  const place = useRef<HTMLElement>(null)
  const news = useListNews(query, pages, place)
  const stretch = useStretch(items, keyOf, maxRows, 'start')
  const nameAt = useKnownNames(items)
  const found = isRead ? (items.find((each) => isChosen(each, chosen)) ?? null) : undefined
  useEffect(() => onChosen?.(found), [found, chosen?.instance, chosen?.address])
  const changeChosen = (next: Partial<Conversation>) =>
    change((shown) => shown.map((each) => (isChosen(each, chosen) ? { ...each, ...next } : each)))
  useUnread(query, { ...pages, items }, { timesRead, found, onRead: () => changeChosen({ unread: 0 }) })
  useEffect(() => {
    if (subject !== undefined) changeChosen({ name: subject })
  }, [subject])
  const { instance = '', q = '' } = query
  return h(
    'nav',
    {
      ref: place,
      'aria-label': say('conversations.title'),
      class: 'conversation-list',
      onKeyDown: walkRows,
    },
    !news.isEmpty &&
      h(
        'button',
        { type: 'button', class: 'at-top', onClick: news.show },
        say('conversations.news', { count: news.count }),
      ),
    stretch.isBeforeHidden &&
      h(
        'button',
        { type: 'button', class: 'at-top', onClick: stretch.back },
        say('conversations.newer_conversations'),
      ),
    !isRead && pages.error === undefined && h(Skeleton, null),
    h(
      'ul',
      null,
      stretch.shown.map((item) =>
        h(ConversationRow, {
          key: keyOf(item),
          ...{ item, query, isChosen: isChosen(item, chosen), nameOf: nameAt(item.instance) },
        }),
      ),
    ),
    (isRead || pages.error !== undefined) &&
      h(ListEnd, {
        ...pages,
        hasMore: hasMore || stretch.isAfterHidden,
        more: () => stretch.away() || more(),
        empty: h('p', null, say(isFiltered(query) ? 'conversations.none_found' : 'conversations.empty')),
      }),
    q !== '' && h(FoundMessages, { key: `${instance} ${q}`, query, instance, text: q, nameAt }),
  )
}

interface ReadNow {
  readonly timesRead: number
  readonly found: Conversation | null | undefined
  readonly onRead: () => void
}

/** Tells the menu which conversations are unread, if the list is of all, and when the chosen one was read. */
function useUnread(
  query: ListQuery,
  { items, isRead, hasMore }: Pages<Conversation>,
  { timesRead, found, onRead }: ReadNow,
): void {
  useEffect(() => {
    if (timesRead === 0) return
    onRead()
    if (found) noteOne('conversations', keyOf(found), false)
  }, [timesRead])
  useEffect(() => {
    if (!isRead || isFiltered(query) || query.instance) return
    noteWaiting('conversations', items.filter(({ unread = 0 }) => unread > 0).map(keyOf), hasMore)
  }, [items, isRead])
}

/** Hears of messages: puts them into their rows, and counts the conversations that are not shown yet. */
function useListNews(
  query: ListQuery,
  pages: ReturnType<typeof usePages<'listConversations'>>,
  place: { readonly current: HTMLElement | null },
) {
  const { items, change, reload, hasMore, isFull, isLoading } = pages
  const news = useNews(JSON.stringify(query), pages, keyOf)
  const renew = useSoon(() => isLoading || isHeld(place.current) || news.show(), renewDelay)
  const narrows = isFiltered(query)
  useLive((event) => {
    change(withSubject(event))
    const message = messageIn(event)
    if (!message || (query.instance && query.instance !== message.instance)) return
    const held = isHeld(place.current)
    const isKnown = items.some((each) => isOf(each, message))
    if (isKnown || !(held || isFull || narrows)) change(withMessage(message, held))
    // Only the server knows if it is among those that are asked for.
    else if (narrows) renew()
    else if (!isFurtherBack(message, items.map(lastOf), hasMore)) news.add(keyOf(message))
    if (isFull) renew()
  }, reload)
  return news
}

/** Rows in the place of those that are being read, as high as they will be. */
function Skeleton() {
  return h(
    'div',
    { class: 'row-shapes', role: 'status' },
    h('span', { class: 'unseen' }, say('everywhere.loading')),
    Array.from({ length: 8 }, (_, at) => h('span', { key: at, class: 'row-shape' })),
  )
}

/** The arrow keys move between the rows. */
function walkRows(event: KeyboardEvent): void {
  const row = (event.target as HTMLElement).closest('li')
  const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key]
  if (!next) return
  event.preventDefault()
  next.querySelector('a')?.focus()
}
