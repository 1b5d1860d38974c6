import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Conversation } from '../../../../contract/resources/conversation.ts'
import type { Message } from '../../../../contract/resources/message.ts'
import { call, newIdempotencyKey } from '../../core/api.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { Failure } from '../../parts/failure.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { tell } from '../../parts/notices.ts'
import { MoreButton } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import type { Orders } from './bubble-orders.ts'
import type { About } from './composing/about.ts'
import { writersIn } from './composing/mentions.ts'
import { ReplyBox } from './composing/reply-box.ts'
import { isGroupConversation } from './conversation-list.ts'
import { useGroupChanges } from './group-changes.ts'
import { MessageLog } from './message-log.ts'
import { namesIn } from './names.ts'
import { ThreadHeader } from './thread-header.ts'
import { useThread } from './use-thread.ts'

/** Past all the messages. The link must not change the place, which stands behind the `#` as well. */
function toReply(event: Event): void {
  event.preventDefault()
  document.getElementById('reply')?.focus()
}

interface ThreadProps {
  readonly instance: string
  readonly address: string
  readonly mayWrite: boolean
  /** The conversation as the list has it: null if it does not, and undefined while that is not known. */
  readonly conversation: Conversation | null | undefined
  readonly onRead: () => void
  readonly onSubject: (subject: string) => void
}

/** The messages of one conversation, the newest at the bottom, live, and a place to answer. */
export function Thread(props: ThreadProps) {
  const { instance, address, mayWrite, conversation } = props
  const { pages, log, news, toNewest, onChanged, onSent } = useThread({
    ...props,
    unread: conversation && (conversation.unread ?? 0),
  })
  const { items, reload, more, hasMore, isLoading, isRead, error } = pages
  const network = useNetwork(instance)
  const [about, setAbout] = useState<About>()
  const [retracted, setRetracted] = useState<Message>()
  const writers = useMemo(() => writersIn(items), [items])
  const isGroup = (conversation && isGroupConversation(conversation)) || writers.length > 0
  const changes = useGroupChanges(instance, address)
  const nameOf = namesIn(items)
  const orders = ordersTo(setAbout, setRetracted, onChanged)
  return h(
    'section',
    { class: 'thread', 'aria-label': address },
    mayWrite && h('a', { class: 'skip', href: '#reply', onClick: toReply }, say('conversations.skip')),
    h(ThreadHeader, {
      ...{ instance, address, conversation, network, isGroup, items, nameOf },
      onSubject: props.onSubject,
    }),
    h(
      'div',
      { class: 'log', role: 'log', tabIndex: 0, 'aria-label': address, ...log },
      h(Failure, { error, onRetry: reload }),
      // The button stays until there are none, so that it keeps the focus.
      hasMore && h(MoreButton, { isLoading, onMore: more, text: say('conversations.older') }),
      isLoading && !hasMore && h('p', { class: 'loading' }, say('everywhere.loading')),
      isRead && items.length === 0 && h('p', { class: 'empty' }, say('conversations.empty_thread')),
      h(MessageLog, { items, network, mayWrite, orders, changes, nameOf }),
      !news.isEmpty &&
        h('button', { type: 'button', onClick: toNewest }, say('conversations.newer', { count: news.count })),
    ),
    mayWrite &&
      h(ReplyBox, {
        ...{ instance, address, network, about, onSent, onChanged, isGroup, writers },
        isOver: isWindowOver(items),
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

/** Returns true if the network lets the account answer no longer, as far as the messages tell. */
function isWindowOver(items: readonly Message[]): boolean {
  const ends = items.flatMap(({ window_ends_at }) => (window_ends_at ? [Date.parse(window_ends_at)] : []))
  return ends.length > 0 && Math.max(...ends) < Date.now()
}
