import { h } from 'preact'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import type { Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { type ItemOf, usePages } from '../../core/use-pages.ts'
import { MessageBadge } from '../../parts/badge.ts'
import { Failure } from '../../parts/failure.ts'
import { Table } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { sayMessage } from '../../words/messages.ts'
import { say } from './words.ts'

type Message = ItemOf<'listMessages'>

interface RecentProps {
  readonly request: Request<'listMessages'>
  readonly name: string
}

/** How many messages are shown. */
const shown = 5

/** The newest messages of an instance, live. */
export function RecentMessages({ request, name }: RecentProps) {
  const { items, error, isRead, change, reload } = usePages('listMessages', request)
  useLive((event) => {
    const message = messageIn(event)
    if (message?.instance !== name) return
    change((before) =>
      before.some(({ id }) => id === message.id)
        ? withNews(before, message)
        : [message, ...before].slice(0, shown),
    )
  }, reload)
  return h(
    'section',
    { 'aria-labelledby': 'recent' },
    h('h2', { id: 'recent' }, say('recent')),
    error !== undefined && h(Failure, { error, onRetry: reload }),
    isRead && items.length === 0 && h('p', { class: 'small' }, say('no_messages')),
    items.length > 0 && h(Messages, { items }),
    items.length > 0 &&
      h('p', null, h('a', { href: linkTo(['messages'], { instance: name }) }, say('all_messages'))),
  )
}

function Messages({ items }: { readonly items: readonly Message[] }) {
  return h(Table<Message>, {
    caption: say('recent'),
    items,
    keyOf: ({ id }) => id,
    linkOf: ({ id }) => linkTo(['messages', id]),
    columns: [
      { title: sayEverywhere('time'), cell: ({ created_at }) => h(Time, { at: created_at }) },
      {
        title: sayMessage('direction'),
        cell: ({ direction }) => say(direction === 'inbound' ? 'received' : 'sent'),
      },
      { title: say('with_whom'), cell: ({ conversation }) => conversation },
      { title: say('content'), cell: contentOf },
      { title: sayEverywhere('status'), cell: ({ status }) => h(MessageBadge, { status }) },
    ],
  })
}

/** How much of a text is shown, in UTF-16 units. */
const longestText = 80

function contentOf({ text, caption, media, kind }: Message): string {
  const words = text ?? caption ?? media?.filename ?? kind
  return words.length > longestText ? `${words.slice(0, longestText)}…` : words
}
