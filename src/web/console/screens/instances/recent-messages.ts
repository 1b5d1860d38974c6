import { type ComponentChildren, h } from 'preact'
import { usePages } from '../../core/hooks/use-pages.ts'
import { withNews } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import type { Request } from '../../core/operations.ts'
import { linkTo } from '../../core/router.ts'
import { Failure } from '../../parts/failure.ts'
import { MessageTable } from '../../parts/message/message-table.ts'
import { Section } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { say } from '../../words/say.ts'

interface RecentProps {
  readonly request: Request<'listMessages'>
  readonly name: string
  /** The sections below: they come once it is known how long the list is, so that they stay where they are. */
  readonly children?: ComponentChildren
}

/** Messages that are shown. */
const shown = 5

/** The newest messages of an instance, live. */
export function RecentMessages({ request, name, children }: RecentProps) {
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
  const list = h(
    Section,
    { id: 'recent', title: say('instances.recent') },
    h(Failure, { error, onRetry: reload }),
    !isRead && error === undefined && h(Skeleton, { rows: shown }),
    isRead && items.length === 0 && h('p', { class: 'small' }, say('instances.no_messages')),
    items.length > 0 && h(MessageTable, { caption: say('instances.recent'), items, isOfOneInstance: true }),
    items.length > 0 &&
      h('p', null, h('a', { href: linkTo(['messages'], { instance: name }) }, say('instances.all_messages'))),
  )
  return [list, (isRead || error !== undefined) && children]
}
