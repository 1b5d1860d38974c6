import { type DeliveryFailureCode, deliveryFailures, sentencesOf } from '../../../contract/codes.ts'
import { NetFailure } from '../../../net/failure.ts'
import { type HttpClientOptions, httpClients } from '../../../net/http/client.ts'
import type { HttpFailure, HttpFailureReason, HttpResponse } from '../../../net/http/request.ts'
import type { TraceHeaders } from '../../../runtime/text/trace-context.ts'
import { retryAfter } from './retry-after.ts'
import type { SignatureHeaders } from './signature.ts'

/** One attempt to deliver an event. */
export interface WebhookPost {
  readonly url: string
  readonly headers: SignatureHeaders & TraceHeaders
  /** JSON, sent as it is: its bytes are signed. */
  readonly body: Uint8Array
  /** Attempts of one webhook at one URL may share a connection; attempts of different webhooks never do. */
  readonly webhookId: string
  /** The organization that the webhook belongs to. */
  readonly organization: string
}

/** The receiver responded with any status. */
export interface RespondedAttempt {
  readonly kind: 'responded'
  readonly status: number
  /** Seconds for which the receiver asks to be left alone, at most a day; null if it does not ask. */
  readonly retryAfter: number | null
  /** The first KB of its response, as far as it arrived, as text for a person. */
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
export type AttemptResult = (RespondedAttempt | Failed) & { readonly duration: number }

export interface WebhookClient {
  /** Makes one attempt, and never rejects. It takes 20 seconds at most; `signal` ends it at any moment. */
  post(webhook: WebhookPost, signal: AbortSignal): Promise<AttemptResult>
  /** Ends the connections that wait for further attempts. */
  close(): void
}

export interface WebhookClientOptions extends Omit<HttpClientOptions, 'keep'> {
  /** Idle connections that are kept for further posts of one webhook to one URL. More concurrent posts each need a new one. */
  readonly keptConnections: number
}

/** Milliseconds that one attempt may take in all. A receiver may take all of them for its response. */
const limits = { headers: Number.POSITIVE_INFINITY, idle: Number.POSITIVE_INFINITY, total: 20_000 }

/** Bytes of a response body that are read. If there are more, the connection is closed. */
const maxBytes = 1_024

/**
 * Milliseconds for which a connection is used for further posts, from when its name was resolved. A changed address of the
 * name is noticed after this time at the latest.
 */
const lifetime = 60_000

/**
 * Speaks to the receivers of webhooks. An attempt has succeeded as soon as there is a status, which may be a redirect: it is meant
 * for one host only.
 */
export function webhookClient({ keptConnections, ...options }: WebhookClientOptions): WebhookClient {
  const { clock } = options
  const clients = httpClients({ ...options, keep: { perName: keptConnections, idle: lifetime, lifetime } })
  return {
    async post({ url, headers, body, webhookId, organization }, signal) {
      const began = clock.monotonic()
      const result = await clients.of(organization).request({
        method: 'POST',
        url,
        headers: { ...headers },
        body: { bytes: body, type: 'application/json' },
        limits,
        maxBytes,
        onlyBeginning: true,
        keptFor: `${webhookId} ${url}`,
        isRepeatable: true,
        wantedHeaders: ['retry-after'],
        signal,
      })
      const attempt = result.kind === 'failed' ? failed(result) : respondedAttempt(result, clock.now())
      return { ...attempt, duration: Math.round(clock.monotonic() - began) }
    },
    close: () => clients.close(),
  }
}

function respondedAttempt({ status, headers, body }: HttpResponse, now: number): RespondedAttempt {
  return {
    kind: 'responded',
    status,
    retryAfter: retryAfter(headers['retry-after'], now),
    body: textOf(body),
  }
}

/** Bytes as text: invalid UTF-8 is replaced; control characters and a character that was cut off at the end are left out. */
function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes, { stream: true })
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '')
}

/** The codes of failed posts. `too_large` and `file` never occur: a post accepts a body of any size, and sends no file. */
const codes: Readonly<Record<HttpFailureReason, DeliveryFailureCode>> = {
  refused: 'refused_by_policy',
  unreachable: 'unreachable',
  authentication: 'unreachable',
  tls: 'tls_failed',
  lost: 'connection_lost',
  timeout: 'timeout',
  malformed: 'invalid_answer',
  too_large: 'invalid_answer',
  file: 'interrupted',
  aborted: 'interrupted',
}

/** A refusal has the same words for every address, so that it reveals nothing about any of them. */
function failed({ reason, error }: HttpFailure): Failed {
  const code = codes[reason]
  const meaning = deliveryFailures[code]
  const isTold = error instanceof NetFailure && code !== 'refused_by_policy'
  return { kind: 'failed', code, detail: isTold ? `${error.sentence} ${meaning.next}` : sentencesOf(meaning) }
}
