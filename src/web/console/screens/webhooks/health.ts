import { type ComponentChildren, h } from 'preact'
import { number } from '../../../browser/numbers.ts'
import { call } from '../../core/api.ts'
import type { Answer } from '../../core/operations.ts'
import { Button } from '../../parts/button.ts'
import { Icon } from '../../parts/icon.ts'
import { notify, tell } from '../../parts/notices.ts'
import { Age, shortTime } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { deliveryFailureText, disabledText } from '../../words/server-texts.ts'
import { answerOf } from './one-delivery.ts'
import { type Delivery, nextAttemptText, orderingText, type Webhook } from './webhook-badge.ts'

export type Hours = Answer<'getWebhookStatistics'>['data']

/** Milliseconds between the first attempt of a delivery and the moment when it is given up: four days, rounded up. */
const givenUpAfter = 4 * 24 * 60 * 60_000

/** Returns the time from which on a webhook may have missed something; undefined if it missed nothing. */
export function missedSince(
  { created_at, disabled_reason, failing_since }: Webhook,
  hours: Hours,
): string | undefined {
  const hour = hours.find(({ failed }) => failed > 0)
  const at = hour ? Date.parse(hour.from) - givenUpAfter : disabled_reason && Date.parse(failing_since ?? '')
  if (!at) return undefined
  return new Date(Math.max(at, Date.parse(created_at))).toISOString()
}

interface HealthProps {
  readonly webhook: Webhook
  readonly hours: Hours
  /** The newest deliveries. */
  readonly deliveries: readonly Delivery[]
  readonly onChange: () => void
  /** Opens the form that delivers again what was missed. */
  readonly onRedeliver: () => void
}

/** Says what is wrong with a webhook, and what to do about it; nothing if all is well. */
export function Health({ webhook, hours, deliveries, onChange, onRedeliver }: HealthProps) {
  const { disabled_reason, enabled, paused, failing_since, lagging_since, oldest_at } = webhook
  const missed = hours.reduce((sum, { failed }) => sum + failed, 0)
  const params = { webhook: webhook.id }
  const change = (body: { readonly enabled?: boolean; readonly paused?: boolean }) => () =>
    tell(() => call('updateWebhook', { params, body })).then(onChange)
  const redeliver = h(Button, { onClick: onRedeliver }, say('webhooks.deliver_missed'))
  if (!enabled) {
    const enable = async () => {
      await change({ enabled: true })()
      if (missed > 0) onRedeliver()
    }
    const title = disabled_reason ? disabledText(disabled_reason) : say('webhooks.note_disabled')
    return h(Note, {
      tone: disabled_reason ? 'bad' : 'idle',
      title,
      words: [
        say('webhooks.note_disabled_what'),
        disabled_reason && [' ', h('code', null, disabled_reason.code)],
      ],
      actions: h(
        Button,
        { onClick: enable },
        say(missed > 0 ? 'webhooks.enable_and_deliver' : 'webhooks.enable'),
      ),
    })
  }
  if (paused) {
    const resume = h(Button, { onClick: change({ paused: false }) }, say('webhooks.resume'))
    return h(Note, { tone: 'idle', title: say('webhooks.note_paused'), words: '', actions: resume })
  }
  if (failing_since) {
    const failing = { title: faultOf(deliveries), words: waitingText(webhook, missed) }
    const tried = h(Button, { onClick: () => tryNow(params, onChange) }, say('webhooks.try_now'))
    const actions = h('div', { class: 'actions' }, tried, missed > 0 && redeliver)
    return h(Note, { tone: 'attention', ...failing, actions })
  }
  if (missed > 0)
    return h(Note, {
      tone: 'attention',
      title: say('webhooks.note_missed', { count: missed }),
      words: say('webhooks.note_missed_what'),
      actions: redeliver,
    })
  if (lagging_since && oldest_at) {
    // Deliveries that are tried again are late, however fast the server is.
    if (webhook.next_attempt_at !== null)
      return h(Note, {
        tone: 'attention',
        title: say('webhooks.note_retrying'),
        words: waitingText(webhook, 0),
      })
    const title = say('webhooks.note_lagging', { time: shortTime(oldest_at) })
    return h(Note, { tone: 'attention', title, words: say('webhooks.note_lagging_what') })
  }
  return null
}

/** Says what waits for a webhook that fails, and what was given up. */
function waitingText(webhook: Webhook, missed: number): string {
  const count = webhook.pending
  const words =
    missed === 0
      ? [say('webhooks.note_waits_all', { count }), nextAttemptText(webhook)]
      : [
          say('webhooks.note_waits', { count }),
          nextAttemptText(webhook),
          say('webhooks.note_missed', { count: missed }),
          say('webhooks.note_missed_what'),
        ]
  return words.filter(Boolean).join(' ')
}

/** Sends a test, and tells what it was answered: as soon as one arrives, what waits follows. */
async function tryNow(params: { readonly webhook: string }, then: () => void): Promise<void> {
  await tell(async () => {
    const { attempts } = await call('testWebhook', { params, headers: { prefer: 'wait=25' } })
    const [attempt] = attempts
    notify(attempt ? answerOf(attempt) : say('webhooks.test_sent'))
  })
  then()
}

/** Says what is wrong with the receiver, by the last attempt that failed. */
function faultOf(deliveries: readonly Delivery[]): string {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts.slice(-1))
  const failed = attempts.filter(({ status }) => status === null || status > 299)
  const last = failed.reduce<(typeof failed)[number] | undefined>(
    (latest, one) => (latest && latest.started_at > one.started_at ? latest : one),
    undefined,
  )
  if (!last) return say('webhooks.note_failing')
  if (last.error) return deliveryFailureText(last.error)
  return say('webhooks.note_answers', { answer: `HTTP ${last.status}` })
}

interface NoteProps {
  readonly tone: 'bad' | 'attention' | 'idle'
  readonly title: string
  readonly words: ComponentChildren
  readonly actions?: ComponentChildren
}

function Note({ tone, title, words, actions }: NoteProps) {
  return h(
    'div',
    { class: `advice ${tone}` },
    h(Icon, { name: 'alert' }),
    h('div', { class: 'what' }, h('strong', null, title), h('span', { class: 'small' }, words)),
    actions,
  )
}

interface FiguresProps {
  readonly webhook: Webhook
  readonly hours: Hours
  readonly deliveries: readonly Delivery[]
}

/** The figures that one looks for first: what arrived, what waits, and how fast the receiver is. */
export function Figures({ webhook, hours, deliveries }: FiguresProps) {
  const day = hours.slice(-24)
  const sum = (name: 'delivered' | 'delivered_at_once') => day.reduce((total, hour) => total + hour[name], 0)
  const delivered = sum('delivered')
  const atOnce = delivered === 0 ? undefined : `${number((100 * sum('delivered_at_once')) / delivered, 1)} %`
  const times = deliveries
    .flatMap(({ attempts }) => attempts.filter(({ status }) => status !== null && status < 300))
    .map(({ duration_ms }) => duration_ms)
    .toSorted((one, other) => one - other)
  const median = times[Math.floor(times.length / 2)]
  const { pending, oldest_at, events, instances, batch, ordering } = webhook
  return h(
    'dl',
    { class: 'figures panel' },
    h(Figure, {
      title: say('webhooks.delivered_24h'),
      value: number(delivered),
      note: atOnce && say('webhooks.at_once', { share: atOnce }),
    }),
    h(Figure, {
      title: say('webhooks.pending'),
      value: number(pending),
      look: pending > 0 && webhook.failing_since ? 'attention' : undefined,
      note: oldest_at && [say('webhooks.oldest'), ' ', h(Age, { at: oldest_at })],
    }),
    h(Figure, {
      title: say('webhooks.answer_median'),
      value: median === undefined ? '–' : say('webhooks.took', { ms: median }),
      note: times.length > 0 && say('webhooks.of_newest', { count: times.length }),
    }),
    h(Figure, {
      title: say('webhooks.events'),
      value: events === null ? say('webhooks.all_events') : number(events.length),
      note: [
        events && `${events.join(', ')} · `,
        instances?.join(', ') ?? say('everywhere.all_instances'),
        ` · ${orderingText(ordering)}`,
        batch > 1 && ` · ${say('webhooks.batch')}: ${number(batch)}`,
      ],
    }),
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly note: ComponentChildren
  readonly look?: 'attention' | undefined
}

function Figure({ title, value, note, look }: FigureProps) {
  return h(
    'div',
    null,
    h('dt', null, title),
    h('dd', { class: look }, value),
    h('dd', { class: 'small' }, note),
  )
}
