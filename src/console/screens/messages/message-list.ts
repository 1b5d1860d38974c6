import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { Message } from '../../../contract/resources/message.ts'
import { shownCall } from '../../core/curl.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { usePages } from '../../core/use-pages.ts'
import { MessageBadge } from '../../parts/badge.ts'
import { excerptOf } from '../../parts/message-content.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd, Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say as sayCommon } from '../../words/everywhere.ts'
import { sayDirection, sayKind, sayMessage } from '../../words/messages.ts'
import { CancelAll } from './cancel-all.ts'
import { CancelButton } from './cancel-message.ts'
import { Filters, filtersOf, matches } from './filters.ts'
import { say } from './words.ts'

/** From how many new messages on they are no longer counted. */
const mostCounted = 999

/** Every message of the organization, live: what is shown stays where it is, and what is new waits to be shown. */
export function screen({ me, query }: ScreenProps) {
  const filters = filtersOf(query)
  const request = { query: { ...filters, limit: 50 } }
  const pages = usePages('listMessages', request)
  const { items, change, reload } = pages
  const news = useNews(JSON.stringify(filters), items)
  useLive((event) => {
    const message = messageIn(event)
    if (!message) return
    change((shown) => withNews(shown, message))
    if (matches(filters, message)) news.add(message.id)
  }, reload)
  const maySend = me.key?.role !== 'read'
  const show = () => {
    news.clear()
    reload()
  }
  return h(
    Screen,
    {
      title: say('title'),
      calls: [shownCall('listMessages', request)],
      actions: maySend && [
        filters.status === 'queued' &&
          filters.direction !== 'inbound' &&
          h(CancelAll, { filters, onCanceled: reload }),
        h(
          'a',
          { class: 'button primary', href: linkTo(['send'], { instance: query.instance, to: query.to }) },
          sayMessage('send_message'),
        ),
      ],
    },
    h(Filters, { query }),
    h(
      'div',
      { role: 'status' },
      news.count > 0 &&
        h('button', { type: 'button', onClick: show }, say('new_messages', { count: news.count })),
    ),
    items.length > 0 && h(Messages, { items, change: maySend ? change : undefined }),
    h(ListEnd, {
      ...pages,
      empty: h('p', null, Object.keys(filters).length > 0 ? sayCommon('nothing_found') : say('empty')),
    }),
  )
}

interface MessagesProps {
  readonly items: readonly Message[]
  /** What puts in a message that was canceled; undefined if the person may not cancel. */
  readonly change: ((next: (items: readonly Message[]) => readonly Message[]) => void) | undefined
}

function Messages({ items, change }: MessagesProps) {
  return h(Table<Message>, {
    caption: say('title'),
    items,
    keyOf: ({ id }) => id,
    linkOf: ({ id }) => linkTo(['messages', id]),
    columns: [
      { title: sayCommon('time'), isShort: true, cell: ({ created_at }) => h(Time, { at: created_at }) },
      { title: sayMessage('direction'), isShort: true, cell: ({ direction }) => sayDirection(direction) },
      { title: sayCommon('instance'), cell: ({ instance }) => instance },
      {
        title: say('to_or_from'),
        cell: ({ direction, to, from }) =>
          h('span', { class: 'address' }, (direction === 'inbound' ? from : to) ?? '–'),
      },
      { title: sayMessage('kind'), isShort: true, cell: ({ kind }) => sayKind(kind) },
      {
        title: sayMessage('text'),
        cell: (message) => h('span', { class: 'excerpt' }, excerptOf(message)),
      },
      {
        title: sayCommon('status'),
        isShort: true,
        cell: (message) => [
          h(MessageBadge, { status: message.status }),
          change && h(CancelButton, { message, isSmall: true, onCanceled: put(change) }),
        ],
      },
    ],
  })
}

function put(change: NonNullable<MessagesProps['change']>) {
  return (told: Message) => change((shown) => withNews(shown, told))
}

/** How many messages came that are not in the list yet; other filters begin anew. */
function useNews(key: string, items: readonly Message[]) {
  const [news, setNews] = useState({ key, ids: new Set<string>() })
  const shown = new Set(items.map(({ id }) => id))
  return {
    count: news.key === key ? news.ids.difference(shown).size : 0,
    add: (id: string) =>
      setNews((before) => {
        const known = before.key === key ? before.ids : new Set<string>()
        return known.size >= mostCounted || known.has(id) ? before : { key, ids: new Set([...known, id]) }
      }),
    clear: () => setNews({ key, ids: new Set() }),
  }
}
