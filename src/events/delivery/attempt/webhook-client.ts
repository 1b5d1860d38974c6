import { type DeliveryFailureCode, deliveryFailures, sentencesOf } from '../../../contract/codes.ts'
import { type FailureReason, NetFailure } from '../../../net/failure.ts'
import { GuardedPost, type GuardedPostOptions, type Posted } from '../../../net/http/post.ts'
import { retryAfter } from './retry-after.ts'
import type { SignatureHeaders } from './signature.ts'

/** One attempt to deliver an event. */
export interface WebhookPost {
  readonly url: string
  readonly headers: SignatureHeaders
  /** JSON, sent as it is: its bytes are signed. */
  readonly body: Uint8Array
  /** Attempts of one webhook at one URL may share a connection; attempts of different webhooks never do. */
  readonly webhookId: string
  /** The organization that the webhook belongs to. */
  readonly organization: string
}

/** The receiver answered with a status, whichever it is. */
export interface AnsweredAttempt {
  readonly kind: 'answered'
  readonly status: number
  /** Seconds for which the receiver asks to be left alone, at most a day; null if it does not ask. */
  readonly retryAfter: number | null
  /** The first KB of its answer, as much as arrived, as text for a person. */
  readonly body: string
}

/** There is no status. The receiver may have got the event all the same. */
export interface Failed {
  readonly kind: 'failed'
  readonly code: DeliveryFailureCode
  /** Whole sentences for a person: what happened, and what to do next. */
  readonly detail: string
}

/** The result of an attempt, and how long it took in milliseconds. */
export type AttemptResult = (AnsweredAttempt | Failed) & { readonly duration: number }

export interface WebhookClient {
  /** Makes one attempt, and never rejects. It takes 20 seconds at most; `signal` ends it at any moment. */
  post(webhook: WebhookPost, signal: AbortSignal): Promise<AttemptResult>
  /** Ends the connections that wait for further attempts. */
  close(): void
}

export interface WebhookClientOptions extends GuardedPostOptions {
  /** Name of the sender, as receivers find it in their logs. */
  readonly userAgent: string
}

/** Speaks to the receivers of webhooks. */
export function webhookClient(options: WebhookClientOptions): WebhookClient {
  const { clock, userAgent } = options
  const guarded = new GuardedPost(options)
  return {
    async post({ url, headers, body, webhookId, organization: party }, signal) {
      const began = clock.monotonic()
      const all = { ...headers, 'Content-Type': 'application/json', 'User-Agent': userAgent }
      const result = await guarded
        .post({ url, headers: all, body, party, owner: webhookId, signal })
        .then((posted) => answered(posted, clock.now()), failed)
      return { ...result, duration: Math.round(clock.monotonic() - began) }
    },
    close: () => guarded.close(),
  }
}

function answered({ status, headers, beginning }: Posted, now: number): AnsweredAttempt {
  return {
    kind: 'answered',
    status,
    retryAfter: retryAfter(headers['retry-after'], now),
    body: textOf(beginning),
  }
}

/** Bytes as text: invalid UTF-8 is replaced; control characters and a character that was cut off at the end are left out. */
function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '')
}

/** The codes of failed posts. `too_large` and `status` never occur: a post accepts any status, and a body of any size. */
const codes: Readonly<Record<FailureReason, DeliveryFailureCode>> = {
  refused: 'refused_by_policy',
  unreachable: 'unreachable',
  authentication: 'unreachable',
  tls: 'tls_failed',
  lost: 'connection_lost',
  timeout: 'timeout',
  malformed: 'invalid_answer',
  too_large: 'invalid_answer',
  status: 'invalid_answer',
}

function failed(caught: unknown): Failed {
  const code = caught instanceof NetFailure ? codes[caught.reason] : 'interrupted'
  return { kind: 'failed', code, detail: detailOf(code, caught) }
}

/** A refusal has the same words for every address, so that it reveals nothing about any of them. */
function detailOf(code: DeliveryFailureCode, caught: unknown): string {
  const meaning = deliveryFailures[code]
  if (!(caught instanceof NetFailure) || code === 'refused_by_policy') return sentencesOf(meaning)
  return `${caught.sentence} ${meaning.next}`
}
