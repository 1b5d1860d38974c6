import { h } from 'preact'
import type { DeliveryFailureCode } from '../../../../contract/codes.ts'
import { call } from '../../core/api.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { linkTo } from '../../core/router.ts'
import { Button } from '../../parts/button.ts'
import { CodeBlock } from '../../parts/copy.ts'
import { Failure, ServerText } from '../../parts/failure.ts'
import { tell } from '../../parts/notices.ts'
import { Skeleton } from '../../parts/skeleton.ts'
import { Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { deliveryFailureText } from '../../words/server-texts.ts'
import type { Delivery } from './webhook-badge.ts'

type Attempt = Delivery['attempts'][number]
/** The part of an attempt that a trial has, too. */
export type Tried = Pick<Attempt, 'status' | 'error' | 'body' | 'duration_ms'>

/** The answer to an attempt in a few words, and how long it took. */
export function answerOf({ status, error, duration_ms }: Tried): string {
  const answer = status === null ? noStatusText(error) : `HTTP ${status}`
  return `${answer} · ${say('webhooks.took', { ms: duration_ms })}`
}

/** A code that only a newer server has stands for itself. */
const noStatusText = (error: Tried['error']) =>
  error ? say(`webhooks.no_status.${error.code as DeliveryFailureCode}`) : say('webhooks.no_answer')

interface OneProps {
  readonly delivery: Delivery
  readonly url: string
  readonly onRedelivered: () => void
}

/** The attempts of a delivery, newest first, with what was asked and answered. */
export function OneDelivery({ delivery, url, onRedelivered }: OneProps) {
  const { id, webhook, event, attempts } = delivery
  const redeliver = () =>
    tell(
      async () => {
        await call('redeliver', { params: { webhook, delivery: id } })
        onRedelivered()
      },
      say('webhooks.redelivered', { count: 1 }),
    )
  return h(
    'div',
    { class: 'delivery-more' },
    attempts.length === 0 && h('p', { class: 'small' }, say('webhooks.not_tried')),
    h(
      'ol',
      { class: 'attempts' },
      alike(attempts).map((some) => h(Attempts, { key: some[0]?.number, some })),
    ),
    h(Asked, { delivery, url }),
    h(
      'p',
      { class: 'actions' },
      h(Button, { onClick: redeliver }, say('webhooks.redeliver')),
      h('a', { class: 'button', href: linkTo(['events', event.id]) }, say('webhooks.show_event')),
    ),
  )
}

/** Attempts that were answered alike one after the other, newest first. */
function alike(attempts: Delivery['attempts']): readonly (readonly Attempt[])[] {
  const groups: Attempt[][] = []
  for (const attempt of attempts) {
    const last = groups.at(-1)?.[0]
    const isAlike =
      last?.status === attempt.status &&
      last.error?.code === attempt.error?.code &&
      last.body === attempt.body
    if (last && isAlike) groups.at(-1)?.push(attempt)
    else groups.push([attempt])
  }
  return groups.toReversed()
}

/** Attempts with the same answer. */
function Attempts({ some }: { readonly some: readonly Attempt[] }) {
  const [first, last] = [some[0], some.at(-1)]
  if (!first || !last) return null
  const isArrived = last.status !== null && last.status < 300
  const numbers =
    some.length === 1
      ? say('webhooks.attempt', { number: last.number })
      : say('webhooks.attempts_from_to', { first: first.number, last: last.number })
  return h(
    'li',
    { class: isArrived ? 'good' : 'bad' },
    h('h3', null, numbers, ' · ', answerOf(last), h(Time, { at: last.started_at })),
    h(Answer, { tried: last }),
  )
}

/** The answer of a receiver, or the reason why there is none. */
export function Answer({ tried: { error, body } }: { readonly tried: Tried }) {
  return [
    error && h('p', null, h(ServerText, { text: deliveryFailureText(error), detail: error.detail })),
    body && h(CodeBlock, { text: body, label: say('webhooks.answer') }),
  ]
}

/** The request, as it was sent the last time: the event makes it anew, byte for byte, and its signature is left out. */
function Asked({ delivery, url }: Pick<OneProps, 'delivery' | 'url'>) {
  const { data, error, isLoading, reload } = useCall('getEvent', { params: { event: delivery.event.id } })
  const last = delivery.attempts.at(-1)
  if (error !== undefined) return h(Failure, { error, onRetry: reload })
  if (!data) return isLoading ? h(Skeleton, { rows: 3, look: 'lines' }) : null
  const at = last && Math.floor(Date.parse(last.started_at) / 1000)
  const body = last?.batch ? { events: ['…', data, '…'] } : data
  const text = [
    `POST ${url}`,
    'Content-Type: application/json',
    `webhook-id: ${last?.batch ?? data.id}`,
    ...(at === undefined ? [] : [`webhook-timestamp: ${at}`]),
    'webhook-signature: …',
    '',
    JSON.stringify(body, null, 2),
  ].join('\n')
  return h(
    'details',
    { class: 'asked' },
    h('summary', null, say('webhooks.request')),
    h(CodeBlock, { text, label: say('webhooks.request') }),
  )
}
