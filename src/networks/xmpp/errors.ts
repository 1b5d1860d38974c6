import { sentencesOf, triesAgain } from '../../contract/codes.ts'
import { NetFailure } from '../../net/failure.ts'
import type { BudgetScope } from '../../runtime/limits/byte-budget.ts'
import type { EndingKind, Reason } from '../driver/observation.ts'
import type { NetworkError } from '../driver/outcome.ts'
import { memoryReasonAt } from '../kit/memory-reasons.ts'
import { type ErrorCode, errors, type ReasonCode, reasons } from './codes.ts'
import { attribute, conditionIn, ns, ownEntryOf, type Xml } from './stanzas/xml.ts'

/** The end of a connection: thrown while it is being opened, handed to the connection once it is open. */
export class XmppError extends Error {
  readonly reason: Reason
  readonly verdict: EndingKind
  /**
   * True if our own bytes may have caused the end. What was in flight is then not sent again on a resumed stream: one
   * message that the server cannot bear would end every stream that follows.
   */
  readonly ours: boolean
  /** True if another client logged in to the account and replaced us. */
  readonly takenOver: boolean

  /** `word` adds a few words about this case; `said` is the server's own text about it. */
  constructor(code: ReasonCode, word?: string, ours = false, said?: string) {
    const sentences = sentencesOf(reasons[code], word)
    const detail = said === undefined ? sentences : `${sentences} The server said: “${said}”.`
    super(detail)
    this.reason = { code, detail }
    this.verdict = reasons[code].ends
    this.ours = ours
    this.takenOver = code === 'replaced'
  }
}

/** Anything caught while connecting, as an `XmppError`. */
export function xmppErrorFrom(caught: unknown): XmppError {
  if (caught instanceof XmppError) return caught
  if (caught instanceof NetFailure && caught.reason === 'refused') return new XmppError('address_not_allowed')
  const code = caught instanceof Error && 'code' in caught ? String(caught.code ?? '') : ''
  const known = ownEntryOf(socketErrors, code)
  if (known) return new XmppError(known, code)
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)/.test(code)) return new XmppError('tls_failed', code)
  if (/CERT|SIGNATURE|UNABLE_TO|ISSUER/.test(code)) return new XmppError('certificate_not_trusted', code)
  return new XmppError('connection_failed', code === '' ? undefined : code)
}

const socketErrors: Readonly<Record<string, ReasonCode>> = {
  ECONNREFUSED: 'server_unreachable',
  EHOSTUNREACH: 'server_unreachable',
  ENETUNREACH: 'server_unreachable',
  ETIMEDOUT: 'server_unreachable',
  ENOTFOUND: 'server_not_found',
  EAI_AGAIN: 'server_not_found',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_not_trusted',
}

/** Too much is held, most of it for this connection: what its session would keep for the next one is let go as well. */
export function memoryError(scope: BudgetScope): XmppError {
  return new XmppError(memoryReasonAt[scope], undefined, true)
}

/** RFC 6120's name for an error that gives no condition. */
const undefinedCondition = 'undefined-condition'

/** The conditions of RFC 6120 section 6.5. Only the first three say something about the account. */
const saslErrors: Readonly<Record<string, ReasonCode>> = {
  'not-authorized': 'not_authorized',
  'account-disabled': 'account_disabled',
  'credentials-expired': 'credentials_expired',
  'temporary-auth-failure': 'temporary_auth_failure',
  'encryption-required': 'login_needs_encryption',
  'mechanism-too-weak': 'no_common_mechanism',
  'invalid-mechanism': 'no_common_mechanism',
}

/** A refusal of the login. */
export function saslError(failure: Xml): XmppError {
  const condition = conditionIn(failure, ns.sasl) ?? undefinedCondition
  const known = ownEntryOf(saslErrors, condition)
  return known ? new XmppError(known) : new XmppError('authentication_failed', condition)
}

/** Stream errors of RFC 6120 section 4.9.3 that mean more than "the stream is over". */
const streamErrors: Readonly<Record<string, ReasonCode>> = {
  conflict: 'replaced',
  'connection-timeout': 'connection_timeout',
  'host-gone': 'domain_not_served',
  'host-unknown': 'domain_not_served',
  'not-authorized': 'session_ended',
  'remote-connection-failed': 'server_error',
  reset: 'server_shutdown',
  'resource-constraint': 'server_busy',
  // Following it would send the credentials to the forger of a false answer; the operator can set `service` instead.
  'see-other-host': 'redirected',
  'system-shutdown': 'server_shutdown',
  'internal-server-error': 'server_error',
  [undefinedCondition]: 'stream_error',
}

/** The end of a stream by a stream error: always `connection-lost`, because the next login shows whether it is permanent. */
export function streamError(error: Xml): XmppError {
  const condition = conditionIn(error, ns.streamErrors) ?? undefinedCondition
  const said = textIn(error)
  const known = ownEntryOf(streamErrors, condition)
  if (known) return new XmppError(known, undefined, false, said)
  if (condition === 'policy-violation') return new XmppError('policy_violation', undefined, true, said)
  return new XmppError('stream_rejected', condition, true, said)
}

/** Unicode characters of a server's text about an error that are passed on. */
const longestSaying = 200

/**
 * Returns the server's text for people about a stream error (RFC 6120 section 4.9.2), in one line; undefined if there is
 * none. Control characters and those that turn the direction of writing are left out, so that it cannot pass for our own
 * text.
 */
function textIn(error: Xml): string | undefined {
  const text = error.getChildText('text', ns.streamErrors) ?? ''
  // Only the beginning is looked at: the server may say as much as it likes.
  const beginning = text.slice(0, 8 * longestSaying).toWellFormed()
  const line = beginning
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}“”]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  const isCut = characters.length > longestSaying || text.length > beginning.length
  const kept = isCut
    ? `${characters
        .slice(0, longestSaying - 1)
        .join('')
        .trimEnd()}…`
    : line
  return kept === '' ? undefined : kept
}

/**
 * Stanza errors of RFC 6120 section 8.3.3 as Posthorn's codes. `service-unavailable` is not "unknown": RFC 6121 section
 * 8.5.1 has a server answer it for a missing account and for a missing device alike, so that accounts cannot be probed.
 */
const stanzaErrors: Readonly<Record<string, ErrorCode>> = {
  'bad-request': 'message_malformed',
  conflict: 'conflict',
  'feature-not-implemented': 'not_supported',
  forbidden: 'not_allowed',
  gone: 'recipient_gone',
  'internal-server-error': 'server_error',
  'item-not-found': 'recipient_unknown',
  'jid-malformed': 'address_malformed',
  'not-acceptable': 'not_acceptable',
  'not-allowed': 'not_allowed',
  'not-authorized': 'not_authorized',
  'policy-violation': 'policy_violation',
  'recipient-unavailable': 'recipient_unavailable',
  redirect: 'recipient_moved',
  'registration-required': 'not_allowed',
  'remote-server-not-found': 'remote_server_not_found',
  'remote-server-timeout': 'remote_server_timeout',
  'resource-constraint': 'rate_limited',
  'service-unavailable': 'recipient_unavailable',
  'subscription-required': 'not_allowed',
  'unexpected-request': 'message_malformed',
}

/** The conditions that RFC 6120 itself gives the type `wait`, for servers that leave the type out. */
const passing = new Set(['recipient-unavailable', 'remote-server-timeout', 'resource-constraint'])

/**
 * The error of a stanza of type `error`, or null if it is only a warning: the type `continue` says that the stanza
 * went on its way (RFC 6120 section 8.3.2). `wait` is the one type that asks to try again; whether that happens depends on
 * whether the message is under way or was accepted before.
 */
export function stanzaError(stanza: Xml, fate: 'under-way' | 'returned'): NetworkError | null {
  const error = stanza.getChild('error')
  const type = error && attribute(error, 'type')
  if (type === 'continue') return null
  const condition = conditionIn(error, ns.stanzaErrors) ?? undefinedCondition
  const code = ownEntryOf(stanzaErrors, condition) ?? 'undefined_condition'
  const permanent = type === undefined ? !passing.has(condition) : type !== 'wait'
  const { happened, next } = errors[code]
  const detail = sentencesOf({ happened, next: fate === 'under-way' && !permanent ? triesAgain : next })
  return { code, detail, permanent, network_code: condition }
}
