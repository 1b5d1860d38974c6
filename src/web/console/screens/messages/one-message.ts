import { h } from 'preact'
import type { Message } from '../../../../contract/resources/message.ts'
import { call } from '../../core/api.ts'
import { shownCall } from '../../core/curl.ts'
import { useNetwork } from '../../core/hooks/use-network.ts'
import { laterOf } from '../../core/later.ts'
import { linkTo } from '../../core/router.ts'
import { MessageBadge } from '../../parts/badge.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock, Copyable } from '../../parts/copy.ts'
import { Disclosure } from '../../parts/disclosure.ts'
import { Facts } from '../../parts/facts.ts'
import { Failure } from '../../parts/failure.ts'
import { AskedQuote, MessageContent } from '../../parts/message/message-content.ts'
import { tell } from '../../parts/notices.ts'
import { Screen, type ScreenProps, Section } from '../../parts/screen.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { CancelButton } from './cancel-message.ts'
import { canRepeat } from './send-again.ts'
import { Timeline, useHistory } from './timeline.ts'
import { useMessage } from './use-message.ts'

/** One message: what it says, what happened to it, and what can be done. */
export function screen({ me, params }: ScreenProps) {
  const id = params.id ?? ''
  const { data: message, error, reload, change } = useMessage(id)
  const history = useHistory(id, message)
  const maySend = me.key?.role !== 'read'
  const request = { params: { id } }
  return h(
    Screen,
    {
      title: message ? titleOf(message) : say('messages.one_title'),
      parent: { title: say('messages.title'), link: linkTo(['messages']) },
      calls: [
        ...(['getMessage', 'listAttempts', 'listSteps'] as const).map((read) => shownCall(read, request)),
        ...(message && maySend ? [shownCall(orderOf(message), request)] : []),
      ],
      actions:
        maySend &&
        (message === undefined
          ? error === undefined && h('span', { class: 'action-place' })
          : h(Orders, { message, onChanged: (told) => change((shown) => laterOf(shown, told)) })),
    },
    h(Failure, { error, onRetry: reload }),
    !(message && history.isRead) && error === undefined && h(Skeleton, { look: 'lines' }),
    message && history.isRead && h(Parts, { message, history }),
  )
}

/** Says whom it was for, or whom it is from. */
function titleOf({ direction, conversation, sender }: Message): string {
  if (direction === 'outbound') return say('messages.one_to', { name: conversation })
  return say('messages.one_from', { name: sender?.name ?? sender?.address ?? conversation })
}

function Parts({ message, history }: Parameters<typeof Timeline>[0]) {
  const { relation } = message
  return [
    h(
      'div',
      { class: 'beside' },
      h(
        Section,
        { title: say('messages.timeline'), look: 'panel' },
        h('p', { 'aria-live': 'polite' }, h(MessageBadge, { status: message.status })),
        h(Timeline, { message, history }),
      ),
      h(
        Section,
        { title: say('message.content'), look: 'panel' },
        h(MessageContent, { message, quote: relation && h(AskedQuote, { relation }) }),
      ),
    ),
    h(Section, { title: say('messages.facts'), look: 'panel' }, h(AllFacts, { message })),
    h(
      Disclosure,
      { title: say('everywhere.raw') },
      h(CodeBlock, { text: JSON.stringify(message, null, 2), label: say('everywhere.raw') }),
    ),
  ]
}

/** Returns the operation of the contract that is offered for a message. */
const orderOf = ({ direction }: Message) => (direction === 'inbound' ? 'markMessageRead' : 'cancelMessage')

interface OrdersProps {
  readonly message: Message
  readonly onChanged: (message: Message) => void
}

function Orders({ message, onChanged }: OrdersProps) {
  const { id, direction } = message
  return [
    h(CancelButton, { message, onCanceled: onChanged }),
    direction === 'inbound' && h(MarkRead, { message }),
    direction === 'inbound' &&
      h(
        'a',
        {
          class: 'button',
          href: linkTo(['send'], { instance: message.instance, to: message.conversation }),
        },
        say('messages.answer'),
      ),
    canRepeat(message) &&
      h('a', { class: 'button', href: linkTo(['send'], { again: id }) }, say('messages.again')),
  ]
}

/** Only networks that can tell it to the sender have the button. */
function MarkRead({ message }: { readonly message: Message }) {
  if (!useNetwork(message.instance)?.abilities.marks_read) return null
  const mark = () =>
    tell(() => call('markMessageRead', { params: { id: message.id } }), say('messages.marked_read'))
  return h(Button, { onClick: mark }, say('messages.mark_read'))
}

function AllFacts({ message }: { readonly message: Message }) {
  const { media, client_ref, network_message_id, aliases, metadata, conversation, instance } = message
  const own = (text: string | null | undefined) => (text ? h(Copyable, { text }) : undefined)
  const at = (moment: string | null) => (moment ? h(Time, { at: moment }) : undefined)
  return h(Facts, {
    facts: {
      [say('messages.id')]: own(message.id),
      [say('message.direction')]: say(`message.directions.${message.direction}`),
      [say('message.kind')]: say(`message.kinds.${message.kind}`),
      [say('everywhere.instance')]: h('a', { href: linkTo(['instances', instance]) }, instance),
      [say('message.from')]: own(message.from),
      [say('message.to')]: own(message.to),
      [say('message.conversation')]: h(
        'a',
        { href: linkTo(['conversations', instance, conversation], { at: message.id }) },
        conversation,
      ),
      [say('messages.aliases')]:
        aliases.length > 0 ? aliases.map((text) => h(Copyable, { key: text, text })) : undefined,
      [say('messages.network_id')]: own(network_message_id),
      [say('message.client_ref')]: own(client_ref),
      [say('messages.origin')]: message.origin === 'elsewhere' ? say('messages.origin_elsewhere') : undefined,
      [say('messages.scheduled')]: at(message.send_at),
      [say('messages.expires')]: at(message.expires_at),
      [say('messages.window_ends')]: at(message.window_ends_at),
      [say('messages.digest')]: own(media?.sha256),
      ...Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [`${say('messages.metadata')}: ${name}`, own(value)]),
      ),
    },
  })
}
