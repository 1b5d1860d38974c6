import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { shownCall } from '../../core/curl.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type Pages, usePages } from '../../core/hooks/use-pages.ts'
import { useStretch } from '../../core/hooks/use-stretch.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { idOf } from '../../core/newest-first.ts'
import { linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { type Selection, useSelection } from '../../parts/lists/selection.ts'
import { SelectionBar } from '../../parts/lists/selection-bar.ts'
import { MessageTable } from '../../parts/message/message-table.ts'
import { NewsButton, Screen, type ScreenProps } from '../../parts/screen.ts'
import { ListEnd } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import { CancelAll } from './cancel-all.ts'
import { Filters, matches, useFilters } from './filters.ts'
import { SelectionOrders } from './selection-orders.ts'

/** The most rows that are drawn at once. */
const maxRows = 300

/** Every message of the organization, live: what is shown stays where it is, and what is new waits to be shown. */
export function screen({ me, query }: ScreenProps) {
  const filters = useFilters(query)
  const request = { query: { ...filters, limit: 50 } }
  const pages = usePages('listMessages', request)
  const { items, change, reload } = pages
  const news = useNews(JSON.stringify(filters), pages, idOf)
  useLive((event) => {
    const message = messageIn(event)
    if (!message) return
    change((shown) => withNews(shown, message))
    if (matches(filters, message)) news.add(message.id)
  }, reload)
  const isFiltered = Object.keys(filters).length > 0
  const maySend = me.key?.role !== 'read'
  const selection = useSelection(items.map(idOf), JSON.stringify(filters))
  const onCanceled = (told: Message) => change((shown) => withNews(shown, told))
  return h(
    Screen,
    {
      title: say('messages.title'),
      calls: [shownCall('listMessages', request)],
      actions: maySend && [
        filters.status === 'queued' &&
          filters.direction !== 'inbound' &&
          h(CancelAll, { filters, onCanceled: reload }),
        h(
          'a',
          { class: 'button primary', href: linkTo(['send'], { instance: query.instance, to: query.to }) },
          say('message.send_message'),
        ),
      ],
    },
    h(Filters, { query }),
    h(NewsButton, { news, text: say('messages.new_messages', { count: news.count }) }),
    h(Rows, {
      pages,
      selection: maySend ? selection : undefined,
      empty: say(isFiltered ? 'everywhere.nothing_found' : 'messages.empty'),
    }),
    maySend &&
      h(
        SelectionBar,
        { selection, shown: items.length },
        h(SelectionOrders, {
          messages: items.filter(({ id }) => selection.has(id)),
          onCanceled,
          onDone: selection.drop,
        }),
      ),
  )
}

interface RowsProps {
  readonly pages: Pages<Message>
  readonly selection: Selection | undefined
  readonly empty: string
}

/** The messages that were read, of which a part is drawn, and the way to more. */
function Rows({ pages, selection, empty }: RowsProps) {
  const { items, hasMore, more } = pages
  const { shown, isBeforeHidden, isAfterHidden, away, back } = useStretch(items, idOf, maxRows, 'start')
  return [
    isBeforeHidden && h('p', null, h(Button, { onClick: back }, say('messages.newer_messages'))),
    items.length > 0 && h(MessageTable, { caption: say('messages.title'), items: shown, selection }),
    h(ListEnd, {
      ...pages,
      hasMore: hasMore || isAfterHidden,
      more: () => away() || more(),
      empty: h('p', null, empty),
    }),
  ]
}
