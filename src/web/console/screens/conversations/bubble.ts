import { h } from 'preact'
import { useRef } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import { MessageBadge } from '../../parts/badge.ts'
import { Icon } from '../../parts/icon.ts'
import { excerptOf, MessageContent, Quote } from '../../parts/message/message-content.ts'
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
  readonly allowed: Allowed
  readonly orders: Orders
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
}

/** One message of a conversation, with what others say about it, and what can be done with it. */
export function Bubble({ folded, find, allowed, orders, isOpen, onOpen }: BubbleProps) {
  const { message, retraction } = folded
  const { id, direction, error, from, conversation, sender } = message
  const button = useRef<HTMLButtonElement>(null)
  const shown = asItReads(folded)
  const text = retraction ? say('message.kinds.retraction') : excerptOf(shown)
  const close = () => {
    onOpen(false)
    button.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) close()
  }
  const name = sender?.name ?? sender?.username
  return h(
    'li',
    { id: placeOf(id), class: `bubble ${direction}`, onKeyDown },
    from !== null &&
      (name || from !== conversation) &&
      h('p', { class: 'small' }, [name, from === conversation ? null : from].filter(Boolean).join(' · ')),
    retraction
      ? h('p', { class: 'small' }, text)
      : h(MessageContent, { message: shown, following: folded, quote: quoteOf(message, find) }),
    h(Reactions, { reactions: folded.reactions }),
    error && h('p', { class: 'fault' }, errorText(error)),
    h(
      'div',
      { class: 'bubble-line small' },
      h(Facts, { folded }),
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
    isOpen && h(MessageActions, { folded, allowed, orders, onDone: close, onLeave: () => onOpen(false) }),
  )
}

/** The id of the element of a message. */
const placeOf = (id: string) => `at-${id}`

/** The moment of a message and its status, and whether it is still as it was. */
function Facts({ folded: { message, correction, retraction } }: { readonly folded: Folded }) {
  const change = retraction ?? correction
  const isUnderWay = change?.status === 'queued' || change?.status === 'sending'
  return h(
    'span',
    null,
    h(TimeOfDay, { at: message.created_at }),
    correction && !retraction && h('span', null, ' · ', say('message.edited')),
    isUnderWay && h(MessageBadge, { status: change.status }),
    message.direction === 'outbound' && !isUnderWay && h(MessageBadge, { status: message.status }),
  )
}

function quoteOf({ relation }: Message, find: BubbleProps['find']) {
  if (!relation) return null
  const other = relation.message_id === null ? undefined : find(relation.message_id)
  const place = other && placeOf(other.id)
  const onOpen = (event: Event) => {
    const element = place && document.getElementById(place)
    if (!element) return
    event.preventDefault()
    element.scrollIntoView({ block: 'center' })
    // Only now: a click on a message must not take the focus.
    element.tabIndex = -1
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
    element.focus()
  }
  return h(Quote, { relation, other, onOpen })
}

/** The reactions to a message, each emoji once, and the people who chose it. */
function Reactions({ reactions }: Pick<Folded, 'reactions'>) {
  if (reactions.size === 0) return null
  return h(
    'ul',
    { class: 'reactions', 'aria-label': say('conversations.reactions') },
    [...reactions]
      .slice(0, maxReactions)
      .map(([emoji, people]) =>
        h(
          'li',
          { key: emoji, title: people.map((address) => address || say('conversations.yourself')).join(', ') },
          people.length > 1 ? `${emoji} ${people.length}` : emoji,
        ),
      ),
  )
}

/** The most emojis below a message: a group can have thousands. */
const maxReactions = 20
