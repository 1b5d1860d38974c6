import { type ComponentChildren, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Message } from '../../../../contract/resources/message.ts'
import type { MessageAttempt, MessageStep } from '../../../../contract/resources/message-history.ts'
import type { AttemptOutcome } from '../../../../contract/statuses.ts'
import { useCall } from '../../core/hooks/use-call.ts'
import { Button } from '../../parts/button.ts'
import { ServerText } from '../../parts/failure.ts'
import { isKnownWait, Waits } from '../../parts/message/waits.ts'
import { Age, ExactTime, Time } from '../../parts/time.ts'
import { say } from '../../words/say.ts'
import { errorText, noticeText } from '../../words/server-texts.ts'
import { messageTones, type Tone } from '../../words/statuses.ts'

/** Attempts that are shown at first: those that tell how it stands. */
const maxAttempts = 3

interface Entry {
  readonly what: string
  readonly at: string | null
  readonly tone: Tone
  readonly more?: ComponentChildren
}

/** The attempts and the steps of a message. They are asked for beside the message itself, so that all of it comes at once. */
export function useHistory(id: string, message: Message | undefined) {
  const request = { params: { id } }
  const attempts = useCall('listAttempts', request)
  const steps = useCall('listSteps', request)
  const isRead = [attempts, steps].every(({ data, error }) => data !== undefined || error !== undefined)
  const told = message && [message.status, message.attempts, message.error?.code].join()
  const before = useRef<string>(undefined)
  useEffect(() => {
    if (!message || !isRead || told === before.current) return
    const isFirst = before.current === undefined
    before.current = told
    // The first answers may be older than that about the message.
    if (isFirst && steps.data?.data.some(({ status }) => status === message.status)) return
    attempts.reload()
    steps.reload()
  }, [told, isRead])
  return { attempts, steps, isRead }
}

interface TimelineProps {
  readonly message: Message
  readonly history: ReturnType<typeof useHistory>
}

/** The history of a message so far, the first thing first, and what to do if it went wrong. */
export function Timeline({ message, history: { attempts, steps } }: TimelineProps) {
  const [isWhole, setWhole] = useState(false)
  const made = attempts.data?.data ?? []
  const shown = isWhole ? made : made.slice(-maxAttempts)
  const hidden = made.length - shown.length
  return [
    hidden > 0 &&
      h(Button, { onClick: () => setWhole(true) }, say('messages.earlier_attempts', { count: hidden })),
    h(
      'ol',
      { class: 'timeline' },
      entriesOf(message, shown, steps.data?.data ?? []).map(({ what, at, tone, more }) =>
        h(
          'li',
          { key: what, class: tone },
          h('strong', null, what),
          at && h('span', { class: 'small' }, h(ExactTime, { at })),
          more,
        ),
      ),
    ),
  ]
}

function entriesOf(
  message: Message,
  attempts: readonly MessageAttempt[],
  steps: readonly MessageStep[],
): Entry[] {
  const { direction, origin, sent_at, created_at, error, send_at } = message
  if (direction === 'inbound')
    return [
      ...(sent_at ? [{ what: say('messages.sent_by_them'), at: sent_at, tone: 'good' } as const] : []),
      { what: say('messages.received'), at: created_at, tone: 'good', more: error && h(Refusal, { error }) },
    ]
  const scheduled =
    send_at && h('p', { class: 'small' }, say('messages.scheduled'), ' ', h(Time, { at: send_at }))
  const known = attempts.at(-1)?.error?.code
  const final = steps.filter(({ status }) => status !== 'queued' && status !== 'sending')
  const isWaiting = message.status === 'queued' || message.status === 'sending'
  return [
    ...(origin === 'posthorn'
      ? [{ what: say('messages.accepted'), at: created_at, tone: 'good', more: scheduled } as const]
      : []),
    ...attempts.map(attemptEntry),
    ...[...final, ...(isWaiting ? [{ status: message.status, at: null, error }] : [])].map(
      ({ status, at, error }): Entry => ({
        what: say(`statuses.message.${status}`),
        at,
        tone: messageTones[status] ?? 'idle',
        more: [
          error && error.code !== known && h(Refusal, { error }),
          status === 'sent' && h(Notices, { message }),
          isWaiting && isKnownWait(message) ? h(Waits, { message }) : h(Next, { status }),
        ],
      }),
    ),
  ]
}

const outcomeTones: Readonly<Record<AttemptOutcome, Tone>> = {
  underway: 'busy',
  accepted: 'good',
  rejected: 'bad',
  deferred: 'attention',
  uncertain: 'attention',
}

function attemptEntry({ number, started_at, outcome, error, next_attempt_at }: MessageAttempt): Entry {
  return {
    what: say(`messages.attempt_${outcome}`, { number }),
    at: started_at,
    tone: outcomeTones[outcome] ?? 'idle',
    more: [
      error && h(Refusal, { error }),
      next_attempt_at && Date.parse(next_attempt_at) > Date.now()
        ? h('p', { class: 'small' }, say('messages.next_attempt'), ': ', h(Age, { at: next_attempt_at }))
        : null,
    ],
  }
}

const whatNext = {
  queued: 'messages.next_queued',
  sending: 'messages.next_sending',
  failed: 'messages.next_failed',
  expired: 'messages.next_expired',
  canceled: 'messages.next_canceled',
  unknown: 'messages.next_unknown',
} as const

/** Meaning of a status for a person who waits for the message, and what to do. */
function Next({ status }: { readonly status: Message['status'] }) {
  return status in whatNext ? h('p', null, say(whatNext[status as keyof typeof whatNext])) : null
}

function Refusal({ error }: { readonly error: NonNullable<Message['error']> }) {
  const { detail, code, network_code } = error
  const text = errorText(error)
  return [
    h('p', { class: 'fault' }, h(ServerText, { text, detail })),
    h(
      'p',
      { class: 'small' },
      h('code', null, code),
      network_code && [' · ', say('messages.network_code'), ' ', h('code', null, network_code)],
    ),
  ]
}

function Notices({ message }: { readonly message: Message }) {
  return message.notices.map((notice) =>
    h(
      'p',
      { key: notice.code, class: 'small' },
      say('messages.notices'),
      ': ',
      noticeText(notice),
      ' ',
      h('code', null, notice.code),
    ),
  )
}
