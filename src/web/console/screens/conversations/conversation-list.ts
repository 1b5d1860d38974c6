import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Conversation } from '../../../../contract/resources/conversation.ts'
import type { GroupEventData } from '../../../../contract/resources/event.ts'
import type { Message } from '../../../../contract/resources/message.ts'
import { isHeld } from '../../core/held.ts'
import { useNews } from '../../core/hooks/use-news.ts'
import { type Change, usePages } from '../../core/hooks/use-pages.ts'
import { useSoon } from '../../core/hooks/use-soon.ts'
import { laterOf } from '../../core/later.ts'
import { type LiveEvent, messageIn, useLive } from '../../core/live.ts'
import { inOrder, isFurtherBack } from '../../core/newest-first.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { useWriters } from '../../core/typing.ts'
import { Avatar } from '../../parts/avatar.ts'
import { InstanceField } from '../../parts/forms/instance-field.ts'
import { excerptOf } from '../../parts/message/message-content.ts'
import { ListEnd } from '../../parts/table.ts'
import { Age } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { wordsOf } from './writing.ts'

/** Milliseconds for which a full list goes on until it is read again. */
const renewDelay = 1_000

/** Makes the request of the list. */
export function listRequest(instance: string | undefined) {
  return { query: { ...(instance ? { instance } : {}), limit: 50 } }
}

interface ListProps {
  readonly query: Readonly<Record<string, string>>
  readonly chosen: { readonly instance: string; readonly address: string } | undefined
  /** Told the chosen conversation: null if it is not among those that were read, and undefined while none was. */
  readonly onChosen?: (conversation: Conversation | null | undefined) => void
  /** Grows when the chosen conversation was read. */
  readonly timesRead?: number
  /** The name of the chosen group, once the network told it. */
  readonly subject?: string | undefined
}

/**
 * Every conversation with its last message, the newest first. While the person points at it or reads further down, nothing
 * moves.
 */
export function ConversationList({ query, chosen, onChosen, timesRead = 0, subject }: ListProps) {
  const pages = usePages('listConversations', listRequest(query.instance))
  const { items, change, reload, hasMore, isFull, isLoading, isRead } = pages
  const news = useNews(query.instance ?? '', pages, keyOf)
  const place = useRef<HTMLElement>(null)
  const renew = useSoon(() => isLoading || isHeld(place.current) || news.show(), renewDelay)
  useLive((event) => {
    change(withSubject(event))
    const message = messageIn(event)
    if (!message || (query.instance && query.instance !== message.instance)) return
    const held = isHeld(place.current)
    const isKnown = items.some((each) => isOf(each, message))
    if (isKnown || !(held || isFull)) change(withMessage(message, held))
    else if (!isFurtherBack(message, items.map(lastOf), hasMore)) news.add(keyOf(message))
    if (isFull) renew()
  }, reload)
  const found = isRead ? (items.find((each) => isChosen(each, chosen)) ?? null) : undefined
  useEffect(() => onChosen?.(found), [found, chosen?.instance, chosen?.address])
  const changeChosen = (next: Partial<Conversation>) =>
    change((shown) => shown.map((each) => (isChosen(each, chosen) ? { ...each, ...next } : each)))
  useEffect(() => {
    if (timesRead > 0) changeChosen({ unread: 0 })
  }, [timesRead])
  useEffect(() => {
    if (subject !== undefined) changeChosen({ name: subject })
  }, [subject])
  const open = (instance: string) =>
    chosen
      ? goTo(['conversations', chosen.instance, chosen.address], { instance })
      : goTo(['conversations'], { instance })
  return h(
    'nav',
    {
      ref: place,
      'aria-label': say('conversations.title'),
      class: chosen ? 'conversation-list wide-only' : 'conversation-list',
    },
    h(InstanceField, { value: query.instance ?? '', onChange: open, none: say('everywhere.all_instances') }),
    !news.isEmpty &&
      h(
        'button',
        { type: 'button', class: 'at-top', onClick: news.show },
        say('conversations.news', { count: news.count }),
      ),
    h(
      'ul',
      null,
      items.map((item) => h(Row, { key: keyOf(item), item, query, isChosen: isChosen(item, chosen) })),
    ),
    h(ListEnd, { ...pages, empty: h('p', null, say('conversations.empty')) }),
  )
}

interface RowProps {
  readonly item: Conversation
  readonly query: ListProps['query']
  readonly isChosen: boolean
}

function Row({ item, query, isChosen }: RowProps) {
  const { instance, conversation, aliases, unread = 0, last_message } = item
  const name = item.name ?? item.username ?? null
  return h(
    'li',
    null,
    h(
      'a',
      {
        href: linkTo(['conversations', instance, conversation], query),
        'aria-current': isChosen ? 'page' : undefined,
      },
      h(Avatar, {
        instance,
        address: conversation,
        name,
        isGroup: isGroupConversation(item),
        hasPicture: Boolean(item.picture_url),
      }),
      h(
        'span',
        { class: 'conversation-words' },
        h(
          'span',
          { class: 'line' },
          h('strong', null, name ?? conversation),
          h(Age, { at: last_message.created_at }),
        ),
        h(
          'span',
          { class: 'line' },
          h(Newest, { instance, conversation, aliases, last_message, isGroup: isGroupConversation(item) }),
          unread > 0 && h('span', { class: 'badge unread' }, say('conversations.unread', { count: unread })),
        ),
        h('span', { class: 'small' }, name !== null && `${conversation} · `, instance),
      ),
    ),
  )
}

interface NewestProps extends Pick<Conversation, 'instance' | 'conversation' | 'aliases' | 'last_message'> {
  readonly isGroup: boolean
}

/** The beginning of the newest message, or who is writing the next one. */
function Newest({ instance, conversation, aliases, last_message, isGroup }: NewestProps) {
  const [writer, ...others] = useWriters(instance, conversation, aliases)
  if (writer)
    return h(
      'span',
      { class: 'excerpt writing' },
      wordsOf(isGroup ? writer.from : null, writer.state, others.length),
    )
  const text = excerptOf(last_message)
  const { direction, sender } = last_message
  const writtenBy = direction === 'outbound' ? say('conversations.you', { text }) : text
  return h('span', { class: 'excerpt' }, isGroup && sender?.name ? `${sender.name}: ${text}` : writtenBy)
}

function keyOf({ instance, conversation }: Conversation | Message): string {
  return JSON.stringify([instance, conversation])
}

function isChosen({ instance, conversation, aliases }: Conversation, chosen: ListProps['chosen']): boolean {
  if (chosen?.instance !== instance) return false
  return conversation === chosen.address || aliases.includes(chosen.address)
}

/** Returns true if a message belongs to a conversation, by any address of the person. */
function isOf({ instance, conversation, aliases }: Conversation, message: Message): boolean {
  const known = [conversation, ...aliases]
  return (
    instance === message.instance &&
    [message.conversation, ...message.aliases].some((address) => known.includes(address))
  )
}

/** The conversations with a message: it stays in its place if the list is held, and else goes in front. */
function withMessage(message: Message, held: boolean): Change<Conversation> {
  return (shown, hasMore) => {
    const { instance, conversation, aliases } = message
    const found = shown.find((each) => isOf(each, message))
    if (!found && isFurtherBack(message, shown.map(lastOf), hasMore)) return shown
    const last = found?.last_message
    if (last && last.id > message.id) return shown
    const isSame = last?.id === message.id
    const next = found
      ? {
          ...found,
          ...(isSame ? {} : newsIn(message, found)),
          last_message: isSame ? laterOf(found.last_message, message) : message,
        }
      : { instance, conversation, aliases: [...aliases], ...newsIn(message), last_message: message }
    if (found && (isSame || held)) return shown.map((each) => (each === found ? next : each))
    const others = shown.filter((each) => each !== found)
    return inOrder(others, next, (each) => lastOf(each).id)
  }
}

/** The names that a message came with, and one more that is unread, as the server counts them. */
function newsIn(
  { direction, kind, from, conversation, sender }: Message,
  { name = null, username = null, unread = 0 }: Partial<Conversation> = {},
): Pick<Conversation, 'name' | 'username' | 'unread'> {
  const isTheirs = direction === 'inbound' && from === conversation
  const counts = direction === 'inbound' && kind !== 'reaction' && kind !== 'retraction'
  return {
    name: (isTheirs ? sender?.name : null) ?? name,
    username: (isTheirs ? sender?.username : null) ?? username,
    unread: unread + (counts ? 1 : 0),
  }
}

/** The conversations with the new name of a group, if an event tells it. */
function withSubject({ type, data }: LiveEvent): Change<Conversation> {
  const { group, instance } = type === 'group.changed' ? (data as GroupEventData) : {}
  const isIt = (each: Conversation) =>
    each.instance === instance?.name && each.conversation === group?.address && group?.subject != null
  return (shown) =>
    shown.some(isIt)
      ? shown.map((each) => (isIt(each) ? { ...each, name: group?.subject ?? null } : each))
      : shown
}

/** Returns true for the conversation of a group. */
export function isGroupConversation(conversation: Conversation): boolean {
  return conversation.kind === 'group'
}

function lastOf({ last_message }: Conversation): Message {
  return last_message
}
