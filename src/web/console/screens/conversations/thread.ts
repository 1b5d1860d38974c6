import { type ComponentChildren, h } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { Conversation } from '../../../../contract/resources/conversation.ts'
import type { Message } from '../../../../contract/resources/message.ts'
import { call, newIdempotencyKey } from '../../core/api.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { linkTo } from '../../core/router.ts'
import { Failure } from '../../parts/failure.ts'
import { Confirm } from '../../parts/forms/form-dialog.ts'
import { Icon } from '../../parts/icon.ts'
import { tell } from '../../parts/notices.ts'
import { MoreButton } from '../../parts/table.ts'
import { say } from '../../words/say.ts'
import type { Orders } from './bubble-orders.ts'
import type { About } from './composing/about.ts'
import { writersIn } from './composing/mentions.ts'
import { ReplyBox } from './composing/reply-box.ts'
import { usePeople } from './composing/use-people.ts'
import { isGroupConversation } from './list/list-changes.ts'
import { MessageLog } from './message-log.ts'
import { ThreadHeader } from './thread-header.ts'
import { useUnreadLine } from './unread-line.ts'
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
  /** The key may have a person forgotten. */
  readonly mayForget: boolean
  /** The conversation as the list has it: null if it does not, and undefined while that is not known. */
  readonly conversation: Conversation | null | undefined
  /** The link back to the list. */
  readonly back: string
  /** The id of a message to show first, in its place. */
  readonly sought: string | undefined
  readonly callsButton: ComponentChildren
  readonly onRead: () => void
  readonly onSubject: (subject: string) => void
  /** The person goes back to the list. */
  readonly onLeave: () => void
}

/** The messages of one conversation, the newest at the bottom, live, and a place to answer. */
export function Thread(props: ThreadProps) {
  const { instance, address, mayWrite, conversation } = props
  const thread = useThread({ ...props, unread: conversation && (conversation.unread ?? 0) })
  const { items, isRead } = thread.pages
  const network = useNetwork(instance)
  const [about, setAbout] = useState<About>()
  const [retracted, setRetracted] = useState<Message>()
  const writers = useMemo(() => writersIn(items), [items])
  const mentioned = useMemo(() => new Set(items.flatMap(({ mentions = [] }) => mentions)), [items])
  const isGroup = (conversation && isGroupConversation(conversation)) || writers.length > 0
  const people = usePeople({ instance, address, network, isGroup, writers, mentioned })
  const unreadLine = useUnreadLine(items, isRead, conversation && (conversation.unread ?? 0))
  const { onChanged } = thread
  const onSent = (message: Message) => {
    unreadLine.clear()
    thread.onSent(message)
  }
  const orders = ordersTo(setAbout, setRetracted, onChanged)
  useLayoutEffect(() => (props.sought === undefined ? focusField() : undefined), [])
  const onKeyDown = (event: KeyboardEvent) => {
    const isInDialog = (event.target as Element).closest('dialog') !== null
    if (event.key === 'Escape' && !event.defaultPrevented && !isInDialog) props.onLeave()
  }
  const name = conversation?.name ?? conversation?.username ?? null
  const place = { instance, address, network, isGroup, items, people }
  return h(
    'section',
    { class: 'thread', 'aria-labelledby': 'title', onKeyDown },
    mayWrite && h('a', { class: 'skip', href: '#reply', onClick: toReply }, say('conversations.skip')),
    h(ThreadHeader, { ...props, ...place, nameOf: people.nameOf }),
    h(
      Log,
      { thread },
      h(MessageLog, {
        ...place,
        ...{ mayWrite, orders, entries: thread.stretch.shown },
        unreadLine: unreadLine.line,
        sought: thread.search.key,
        nameOf: people.nameOf,
      }),
    ),
    mayWrite &&
      h(ReplyBox, {
        ...place,
        ...{ about, onSent, onChanged, name: name ?? address },
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

/** A person who came by a mouse, and not by keys, goes on writing at once. On a phone, the keyboard would cover the messages. */
function focusField(): void {
  const from = document.activeElement
  const isByMouse = from?.matches('.conversation-list a') && !from.matches(':focus-visible')
  if (isByMouse && matchMedia('(pointer: fine)').matches) document.getElementById('reply')?.focus()
}

interface LogProps {
  readonly thread: ReturnType<typeof useThread>
  readonly children?: ComponentChildren
}

/** The messages between the way to older ones and the way to those that came while one read. */
function Log({ thread: { pages, log, stretch, search, below, toNewest }, children }: LogProps) {
  const { items, reload, more, hasMore, isLoading, isRead, error } = pages
  const hasOlder = hasMore || stretch.isBeforeHidden
  return h(
    'div',
    { class: 'log', role: 'log', tabIndex: 0, 'aria-labelledby': 'title', ...log },
    h(Failure, { error, onRetry: reload }),
    search.missed !== undefined &&
      h(
        'p',
        { class: 'empty', role: 'status' },
        h('a', { href: linkTo(['messages', search.missed]) }, say('conversations.far_back')),
      ),
    // The button stays until there are none, so that it keeps the focus.
    hasOlder &&
      h(MoreButton, { isLoading, onMore: () => stretch.away() || more(), text: say('conversations.older') }),
    isLoading && !hasOlder && h('p', { class: 'loading' }, say('everywhere.loading')),
    isRead && items.length === 0 && h('p', { class: 'empty' }, say('conversations.empty_thread')),
    children,
    below !== 0 &&
      h(
        'button',
        { type: 'button', class: 'below', onClick: toNewest },
        h(Icon, { name: 'down' }),
        say('conversations.newer', { count: below }),
      ),
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
