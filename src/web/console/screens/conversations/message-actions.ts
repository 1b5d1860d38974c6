import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { say } from '../../words/say.ts'
import type { Allowed } from './allowed.ts'
import type { Orders } from './bubble-orders.ts'
import { asItReads, type Folded } from './folded.ts'

/** The emojis that are offered; a person may type any other. */
const offered = ['👍', '❤️', '😂', '😮', '😢', '🙏']

interface ActionsProps {
  readonly folded: Folded
  readonly allowed: Allowed
  readonly orders: Orders
  /** It is done: the focus returns to the message. */
  readonly onDone: () => void
  /** The person goes on elsewhere. */
  readonly onLeave: () => void
}

/** Buttons for all that can be done with a message: the first of them gets the focus. */
export function MessageActions({ folded, allowed, orders, onDone, onLeave }: ActionsProps) {
  const { message, reactions } = folded
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
    place.current?.querySelector<HTMLElement>('button, a')?.focus()
  }, [])
  const react = async (emoji: string | null) => {
    await orders.react(message, emoji)
    onDone()
  }
  const leave = (then: () => void) => () => {
    onLeave()
    then()
  }
  // The dialog returns the focus to where it came from, which must be there still.
  const done = (then: () => void) => () => {
    onDone()
    then()
  }
  return h(
    'div',
    { ref: place, class: 'message-actions' },
    allowed.reaction && h(Emojis, { reactions, onChoose: react }),
    h(
      'div',
      { class: 'actions' },
      allowed.reply &&
        h(Button, { onClick: leave(() => orders.reply(asItReads(folded))) }, say('conversations.reply')),
      allowed.edit &&
        h(Button, { onClick: leave(() => orders.edit(asItReads(folded))) }, say('conversations.edit')),
      allowed.retract &&
        h(Button, { onClick: done(() => orders.retract(message)) }, say('conversations.retract')),
      h('a', { class: 'button', href: linkTo(['messages', message.id]) }, say('conversations.details')),
    ),
  )
}

interface EmojisProps extends Pick<Folded, 'reactions'> {
  readonly onChoose: (emoji: string | null) => Promise<void>
}

/** A choice of emojis, and a field for any other. The own reaction is pressed, and pressing it again takes it back. */
function Emojis({ reactions, onChoose }: EmojisProps) {
  const [other, setOther] = useState('')
  const isOwn = (emoji: string) => reactions.get(emoji)?.includes('') === true
  const own = [...reactions.keys()].filter((emoji) => isOwn(emoji) && !offered.includes(emoji))
  const submit = (event: Event) => {
    event.preventDefault()
    if (other.trim() !== '') onChoose(other.trim())
  }
  return h(
    'form',
    { class: 'emojis', onSubmit: submit },
    [...offered, ...own].map((emoji) =>
      h(
        'button',
        {
          key: emoji,
          type: 'button',
          class: 'quiet',
          'aria-pressed': isOwn(emoji),
          onClick: () => onChoose(isOwn(emoji) ? null : emoji),
        },
        emoji,
      ),
    ),
    h('input', {
      value: other,
      maxLength: 64,
      autocomplete: 'off',
      'aria-label': say('conversations.other_emoji'),
      title: say('conversations.other_emoji'),
      placeholder: '…',
      onInput: (event: Event) => setOther((event.currentTarget as HTMLInputElement).value),
    }),
  )
}
