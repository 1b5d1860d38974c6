import { h } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Conversation } from '../../../contract/resources/conversation.ts'
import type { Message } from '../../../contract/resources/message.ts'
import { laterOf } from '../../core/later.ts'
import { messageIn, useLive } from '../../core/live.ts'
import { goTo, linkTo } from '../../core/router.ts'
import { usePages } from '../../core/use-pages.ts'
import { InstanceField } from '../../parts/instance-field.ts'
import { excerptOf } from '../../parts/message-content.ts'
import { ListEnd } from '../../parts/table.ts'
import { Time } from '../../parts/time.ts'
import { say as sayEverywhere } from '../../words/everywhere.ts'
import { say } from './words.ts'

/** What the list asks the server for. */
export function listRequest(instance: string | undefined) {
  return { query: { ...(instance ? { instance } : {}), limit: 50 } }
}

interface ListProps {
  readonly query: Readonly<Record<string, string>>
  readonly chosen: { readonly instance: string; readonly address: string } | undefined
}

/** Every conversation with its last message, the newest first. While somebody points at the list, nothing in it moves. */
export function ConversationList({ query, chosen }: ListProps) {
  const pages = usePages('listConversations', listRequest(query.instance))
  const { items, change, reload } = pages
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set())
  const place = useRef<HTMLElement>(null)
  useLive((event) => {
    const message = messageIn(event)
    if (!message || (query.instance && query.instance !== message.instance)) return
    const isHeld = place.current?.matches(':hover, :focus-within') === true
    const isKnown = items.some((each) => isOf(each, message))
    if (isHeld && !isKnown) setUnseen((before) => new Set([...before, keyOf(message)]))
    else change((shown) => withMessage(shown, message, isHeld))
  }, reload)
  const show = () => {
    setUnseen(new Set())
    reload()
  }
  const open = (instance: string) =>
    chosen
      ? goTo(['conversations', chosen.instance, chosen.address], { instance })
      : goTo(['conversations'], { instance })
  return h(
    'nav',
    {
      ref: place,
      'aria-label': say('title'),
      class: chosen ? 'conversation-list wide-only' : 'conversation-list',
    },
    h(InstanceField, { value: query.instance ?? '', onChange: open, none: sayEverywhere('all_instances') }),
    unseen.size > 0 && h('button', { type: 'button', onClick: show }, say('news', { count: unseen.size })),
    h(
      'ul',
      null,
      items.map((item) => h(Row, { key: keyOf(item), item, query, isChosen: isChosen(item, chosen) })),
    ),
    h(ListEnd, { ...pages, empty: h('p', null, say('empty')) }),
  )
}

interface RowProps {
  readonly item: Conversation
  readonly query: ListProps['query']
  readonly isChosen: boolean
}

function Row({ item, query, isChosen }: RowProps) {
  const { instance, conversation, last_message } = item
  const text = excerptOf(last_message)
  return h(
    'li',
    null,
    h(
      'a',
      {
        href: linkTo(['conversations', instance, conversation], query),
        'aria-current': isChosen ? 'page' : undefined,
      },
      h('strong', null, conversation),
      h('span', { class: 'excerpt' }, last_message.direction === 'outbound' ? say('you', { text }) : text),
      h('span', { class: 'small' }, instance, ' · ', h(Time, { at: last_message.created_at })),
    ),
  )
}

function keyOf({ instance, conversation }: Conversation | Message): string {
  return JSON.stringify([instance, conversation])
}

function isChosen({ instance, conversation, aliases }: Conversation, chosen: ListProps['chosen']): boolean {
  if (chosen?.instance !== instance) return false
  return conversation === chosen.address || aliases.includes(chosen.address)
}

/** Whether a message belongs to a conversation, by any address of the person. */
function isOf({ instance, conversation, aliases }: Conversation, message: Message): boolean {
  const known = [conversation, ...aliases]
  return (
    instance === message.instance &&
    [message.conversation, ...message.aliases].some((address) => known.includes(address))
  )
}

/** The conversations with a message: in its place if they are held, and else in front if it is new. */
function withMessage(
  shown: readonly Conversation[],
  message: Message,
  isHeld: boolean,
): readonly Conversation[] {
  const { instance, conversation, aliases } = message
  const found = shown.find((each) => isOf(each, message))
  if (!found) return [{ instance, conversation, aliases: [...aliases], last_message: message }, ...shown]
  const isSame = found.last_message.id === message.id
  if (!isSame && found.last_message.created_at > message.created_at) return shown
  const next = { ...found, last_message: isSame ? laterOf(found.last_message, message) : message }
  if (isSame || isHeld) return shown.map((each) => (each === found ? next : each))
  return [next, ...shown.filter((each) => each !== found)]
}
