import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { Message } from '../../../contract/resources/message.ts'
import { shownCall } from '../../core/curl.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { linkTo } from '../../core/router.ts'
import { usePages } from '../../core/use-pages.ts'
import { MessageTable } from '../../parts/message-table.ts'
import { Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd } from '../../parts/table.ts'
import { say as sayCommon } from '../../words/everywhere.ts'
import { sayMessage } from '../../words/messages.ts'
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
  const onCanceled = (told: Message) => change((shown) => withNews(shown, told))
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
    items.length > 0 &&
      h(MessageTable, {
        caption: say('title'),
        items,
        orderOf: maySend ? (message) => h(CancelButton, { message, isSmall: true, onCanceled }) : undefined,
      }),
    h(ListEnd, {
      ...pages,
      empty: h('p', null, Object.keys(filters).length > 0 ? sayCommon('nothing_found') : say('empty')),
    }),
  )
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
