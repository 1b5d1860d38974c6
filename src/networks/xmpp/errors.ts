import type { Observation, Reason } from '../observation.ts'
import type { NetworkError } from '../outcome.ts'
import { attribute, conditionIn, ns, type Xml } from './xml.ts'

type Verdict = Extract<Observation['kind'], 'connection-lost' | 'credentials-refused' | 'connection-refused'>

/** The end of a connection: thrown while it is being opened, handed to the connection once it is open. */
export class Trouble extends Error {
  readonly reason: Reason
  readonly verdict: Verdict
  /**
   * True where our own bytes may have caused the end. What was in flight is then not sent again on a resumed stream: one
   * message that the server cannot bear would end every stream that follows.
   */
  readonly ours: boolean

  constructor(code: string, detail: string, verdict: Verdict = 'connection-lost', ours = false) {
    super(detail)
    this.reason = { code, detail }
    this.verdict = verdict
    this.ours = ours
  }
}

/** Anything caught while connecting, as trouble. */
export function troubleFrom(caught: unknown): Trouble {
  if (caught instanceof Trouble) return caught
  const code = caught instanceof Error && 'code' in caught ? String(caught.code) : ''
  if (code === 'ADDRESS_REFUSED') {
    const detail =
      'the operator does not let instances connect to that address (POSTHORN_CONNECT_ALLOW_CIDRS)'
    return new Trouble('address_not_allowed', detail, 'connection-refused')
  }
  const known = socketTroubles[code]
  if (known) return new Trouble(known[0], `${known[1]} (${code})`)
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)/.test(code)) {
    return new Trouble('tls_failed', `the encrypted connection could not be set up (${code})`)
  }
  if (/CERT|SIGNATURE|UNABLE_TO|ISSUER/.test(code)) {
    return new Trouble('certificate_not_trusted', `the server's certificate was not accepted (${code})`)
  }
  const detail = code === '' ? 'the connection failed' : `the connection failed (${code})`
  return new Trouble('connection_failed', detail)
}

const socketTroubles: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  ECONNREFUSED: ['server_unreachable', 'nothing listens at the server’s address'],
  EHOSTUNREACH: ['server_unreachable', 'the server cannot be reached'],
  ENETUNREACH: ['server_unreachable', 'the server cannot be reached'],
  ETIMEDOUT: ['server_unreachable', 'the server did not answer'],
  ENOTFOUND: ['server_not_found', 'the server’s name is not known'],
  EAI_AGAIN: ['server_not_found', 'the server’s name could not be looked up just now'],
  ECONNRESET: ['connection_reset', 'the server cut the connection'],
  EPIPE: ['connection_reset', 'the server cut the connection'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate_not_trusted', 'the server’s certificate is for another name'],
}

/** A refusal of the login, RFC 6120 section 6.5. Only the first three say something about the password. */
export function saslTrouble(failure: Xml): Trouble {
  const condition = conditionIn(failure, ns.sasl) ?? 'undefined-condition'
  switch (condition) {
    case 'not-authorized':
      return new Trouble(
        'not_authorized',
        'the server refused the address or the password',
        'credentials-refused',
      )
    case 'account-disabled':
      return new Trouble('account_disabled', 'the server has disabled the account', 'credentials-refused')
    case 'credentials-expired':
      return new Trouble('credentials_expired', 'the password has expired', 'credentials-refused')
    case 'temporary-auth-failure':
      return new Trouble('temporary_auth_failure', 'the server cannot check passwords just now')
    case 'encryption-required':
      return new Trouble('encryption_required', 'the server takes no password on this unencrypted connection')
    case 'mechanism-too-weak':
    case 'invalid-mechanism':
      return new Trouble(
        'no_common_mechanism',
        'the server and Posthorn share no way to log in',
        'connection-refused',
      )
    default:
      return new Trouble('authentication_failed', `the login failed with the condition ${condition}`)
  }
}

/** Stream errors of RFC 6120 section 4.9.3 that mean more than "the stream is over". */
const streamTroubles: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  conflict: ['replaced', 'another connection logged in to the account under the same resource'],
  'connection-timeout': ['connection_timeout', 'the server heard nothing from us for too long'],
  'host-gone': ['domain_not_served', 'the server does not serve the domain of the address any more'],
  'host-unknown': ['domain_not_served', 'the server does not serve the domain of the address'],
  'not-authorized': ['session_ended', 'the server ended the session'],
  'remote-connection-failed': ['server_error', 'the server could not reach something it needs'],
  reset: ['server_shutdown', 'the server asked to connect anew'],
  'resource-constraint': ['server_busy', 'the server has no room for the connection just now'],
  // Following it would hand the login to whoever wrote the answer; the operator can set `service` instead.
  'see-other-host': ['redirected', 'the server asked to connect to another host, which is not followed'],
  'system-shutdown': ['server_shutdown', 'the server is shutting down'],
  'internal-server-error': ['server_error', 'the server failed'],
  'undefined-condition': ['stream_error', 'the server ended the stream without a known condition'],
}

/** The end of a stream by a stream error: always `connection-lost`, since the next login tells what is lasting. */
export function streamTrouble(error: Xml): Trouble {
  const condition = conditionIn(error, ns.streamErrors) ?? 'undefined-condition'
  const known = streamTroubles[condition]
  if (known) return new Trouble(known[0], known[1])
  const code = condition === 'policy-violation' ? 'policy_violation' : 'stream_rejected'
  return new Trouble(code, `the server rejected the stream: ${condition}`, 'connection-lost', true)
}

/**
 * Stanza errors of RFC 6120 section 8.3.3 in Posthorn's words. `service-unavailable` is not "unknown": RFC 6121 section
 * 8.5.1 has a server answer it for a missing account and for a missing device alike, so that accounts cannot be probed.
 */
const stanzaErrors: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  'bad-request': ['message_malformed', 'the server could not make sense of the message'],
  conflict: ['conflict', 'the server found a conflict with something that exists'],
  'feature-not-implemented': ['not_supported', 'the recipient’s side does not take such messages'],
  forbidden: ['not_allowed', 'the account may not write to this recipient'],
  gone: ['recipient_gone', 'the recipient’s address is not in use any more'],
  'internal-server-error': ['server_error', 'a server on the way failed'],
  'item-not-found': ['recipient_unknown', 'the recipient’s address does not exist'],
  'jid-malformed': ['address_malformed', 'the server did not accept the recipient’s address'],
  'not-acceptable': ['not_acceptable', 'the recipient’s side did not accept the message'],
  'not-allowed': ['not_allowed', 'the account may not write to this recipient'],
  'not-authorized': ['not_authorized', 'the account must be authorised to write to this recipient'],
  'policy-violation': ['policy_violation', 'the message breaks a rule of a server on the way'],
  'recipient-unavailable': ['recipient_unavailable', 'the recipient cannot be reached now'],
  redirect: ['recipient_moved', 'the recipient’s messages go to another address'],
  'registration-required': ['not_allowed', 'the account must register before it may write to this recipient'],
  'remote-server-not-found': ['remote_server_not_found', 'the recipient’s server cannot be found'],
  'remote-server-timeout': ['remote_server_timeout', 'the recipient’s server did not answer in time'],
  'resource-constraint': ['rate_limited', 'a server on the way takes no more messages just now'],
  'service-unavailable': ['recipient_unavailable', 'the recipient does not exist or takes no messages now'],
  'subscription-required': ['not_allowed', 'the recipient takes messages from contacts only'],
  'unexpected-request': ['message_malformed', 'the server did not expect the message'],
}

/** The conditions that RFC 6120 itself gives the type `wait`, for servers that leave the type out. */
const passing = new Set(['recipient-unavailable', 'remote-server-timeout', 'resource-constraint'])

/**
 * The error of a stanza of type `error`, or null where it is only a warning: the type `continue` says that the stanza
 * went on its way (RFC 6120 section 8.3.2). `wait` is the one type that asks to try again.
 */
export function stanzaError(stanza: Xml): NetworkError | null {
  const error = stanza.getChild('error')
  const type = error && attribute(error, 'type')
  if (type === 'continue') return null
  const condition = conditionIn(error, ns.stanzaErrors) ?? 'undefined-condition'
  const [code, detail] = stanzaErrors[condition] ?? [
    'undefined_condition',
    'the message was refused without a known reason',
  ]
  const permanent = type === undefined ? !passing.has(condition) : type !== 'wait'
  return { code, detail, permanent, network_code: condition }
}
