import { h } from 'preact'
import { useRef } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { toneOf } from '../../parts/avatar.ts'
import { Icon } from '../../parts/icon.ts'
import type { NameOf } from '../../parts/message/mentioned.ts'
import { excerptOf, MessageContent, Quote } from '../../parts/message/message-content.ts'
import { Tick } from '../../parts/message/tick.ts'
import { TimeOfDay } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { errorText } from '../../words/server-texts.ts'
import type { Allowed } from './allowed.ts'
import type { Orders } from './bubble-orders.ts'
import { asItReads, type Folded } from './folded.ts'
import { MessageActions } from './message-actions.ts'

interface BubbleProps {
  readonly folded: Folded
  readonly find: (id: string) => Message | undefined
  /** It does not stand together with the one above it. */
  readonly isFirst: boolean
  readonly isGroup: boolean
  readonly nameOf: NameOf
  readonly allowed: Allowed
  readonly orders: Orders
  readonly isOpen: boolean
  /** True if the person came to see this one. */
  readonly isSought: boolean
  readonly onOpen: (isOpen: boolean) => void
}

/** One message of a conversation, with what others say about it, and what can be done with it. */
export function Bubble(props: BubbleProps) {
  const { folded, find, nameOf, isFirst, allowed, orders, isOpen, onOpen } = props
  const { message, retraction } = folded
  const { id, direction, error } = message
  const button = useRef<HTMLButtonElement>(null)
  const shown = asItReads(folded)
  const text = retraction ? say('message.kinds.retraction') : excerptOf(shown)
  const close = () => {
    onOpen(false)
    button.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.stopPropagation()
    close()
  }
  return h(
    'li',
    {
      id: placeOf(id),
      class: `bubble ${direction}${isFirst ? ' first' : ''}`,
      'aria-current': props.isSought || undefined,
      onKeyDown,
    },
    isFirst && h(Writer, props),
    h(
      'div',
      { class: 'bubble-row' },
      h(
        'div',
        { class: retraction ? 'speech small' : 'speech' },
        retraction
          ? h('p', { class: 'content' }, text)
          : h(MessageContent, { message: shown, following: folded, quote: quoteOf(message, find), nameOf }),
        h(Facts, { folded }),
      ),
      h(
        'button',
        {
          ref: button,
          type: 'button',
          class: 'quiet more',
          'aria-expanded': isOpen,
          'aria-label': say('conversations.actions', { text }),
          title: say('conversations.actions', { text }),
          onClick: () => onOpen(!isOpen),
        },
        h(Icon, { name: 'more' }),
      ),
    ),
    h(Reactions, { reactions: folded.reactions, nameOf }),
    error && h('p', { class: 'fault' }, errorText(error)),
    isOpen && h(MessageActions, { folded, allowed, orders, onDone: close, onLeave: () => onOpen(false) }),
  )
}

/** The person who wrote, in a group; with one person alone only if they wrote from another address. */
function Writer({ folded: { message }, isGroup, nameOf }: BubbleProps) {
  const { from, conversation, sender, direction } = message
  if (direction === 'outbound' || from === null || !(isGroup || from !== conversation)) return null
  const name = sender?.name ?? sender?.username ?? nameOf(from)
  return h('p', { class: `writer ${toneOf(from)}`, title: from, dir: 'auto' }, name)
}

/** The id of the element of a message. */
const placeOf = (id: string) => `at-${id}`

/** The element of a message, if it is drawn. */
export const elementOf = (id: string) => document.getElementById(placeOf(id))

/** Moves the view and the focus to a message. It cannot keep the focus: a click on one must not take it. */
export function showMessage(element: HTMLElement): void {
  element.scrollIntoView({ block: 'center' })
  element.tabIndex = -1
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  element.focus({ preventScroll: true })
}

/** The moment of a message and how far it has got, and whether it is still as it was. */
function Facts({ folded: { message, correction, retraction } }: Pick<BubbleProps, 'folded'>) {
  const change = retraction ?? correction
  const isUnderWay = change?.status === 'queued' || change?.status === 'sending'
  const status = isUnderWay ? change.status : message.status
  return h(
    'span',
    { class: 'facts-line' },
    correction && !retraction && h('span', null, say('message.edited'), ' · '),
    h(TimeOfDay, { at: message.created_at }),
    message.direction === 'outbound' && [' ', h(Tick, { key: 'tick', status })],
  )
}

function quoteOf({ relation }: Message, find: BubbleProps['find']) {
  if (!relation) return null
  const other = relation.message_id === null ? undefined : find(relation.message_id)
  const onOpen = (event: Event) => {
    const element = other && elementOf(other.id)
    if (!element) return
    event.preventDefault()
    showMessage(element)
  }
  return h(Quote, { relation, other, onOpen })
}

/** The reactions to a message, each emoji once, and the people who chose it. */
function Reactions({ reactions, nameOf }: Pick<Folded, 'reactions'> & Pick<BubbleProps, 'nameOf'>) {
  if (reactions.size === 0) return null
  return h(
    'ul',
    { class: 'reactions', 'aria-label': say('conversations.reactions') },
    [...reactions].slice(0, maxReactions).map(([emoji, people]) =>
      h(
        'li',
        {
          key: emoji,
          title: people
            .map((address) => (address ? nameOf(address) : say('conversations.yourself')))
            .join(', '),
        },
        people.length > 1 ? `${emoji} ${people.length}` : emoji,
      ),
    ),
  )
}

/** The most emojis below a message: a group can have thousands. */
const maxReactions = 20
