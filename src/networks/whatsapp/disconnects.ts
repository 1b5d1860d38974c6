import type { FailureReason } from '../../net/failure.ts'
import type { ReasonCode } from './codes.ts'

/** The library's report of a connection that ended, as plain data. */
export interface Close {
  /** Its status code: that of the network, or one of its own; null if the connection was ended on purpose. */
  readonly status: number | null
  readonly message: string
  /** Attributes of what the server sent last: of the failure, or of what is in the stream error. */
  readonly attrs?: Readonly<Record<string, unknown>>
  /** The code of the error of the socket, such as `ECONNREFUSED`, or why the agent opened no connection. */
  readonly socketError?: string | null
  /** True if it goes through a proxy. */
  readonly isProxied?: boolean
}

/** The meaning of such an end. */
export type Disconnect =
  /** It is to be opened again at once, with the same keys: so begins every new link. */
  | { readonly kind: 'restart' }
  /** The account was not linked while there were QR codes. */
  | { readonly kind: 'link-expired' }
  /** It was ended on purpose. */
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'ended'
      readonly code: ReasonCode
      /** Another client uses the link instead. */
      readonly takenOver?: true
      /** For how long the account is banned, in milliseconds; null if WhatsApp does not say. */
      readonly bannedFor?: number | null
      /** A sentence about this case, after a space, or nothing. */
      readonly more: string
    }

/** Returns the meaning of the end of a connection. Total: everything that the server can say has a meaning. */
export function disconnectOf(close: Close): Disconnect {
  const { status, message, attrs = {} } = close
  if (status === null) return { kind: 'closed' }
  if (message.startsWith('WebSocket Error')) return ended(socketReason(close))
  if (message.startsWith('Connection Failure')) return failure(status, attrs)
  const stream = /^Stream Errored \((.*)\)$/s.exec(message)
  if (stream) return streamError(status, stream[1] ?? '', attrs)
  return ownEnd(status, message)
}

/** The longest ban that is believed, in seconds. */
const longestBan = 366 * 86_400

/** Meanings of the server's answers to a login. Source: whatsmeow, types/events, ConnectFailureReason. */
const failures: Readonly<Record<number, ReasonCode>> = {
  401: 'logged_out',
  403: 'account_locked',
  405: 'client_outdated',
  406: 'account_banned',
  409: 'client_outdated',
  411: 'client_outdated',
  500: 'server_error',
  501: 'server_error',
  503: 'service_unavailable',
}

function failure(status: number, attrs: Readonly<Record<string, unknown>>): Disconnect {
  if (status === 402) {
    const seconds = Number(/^\d{1,10}$/.exec(String(attrs.expire))?.[0])
    const bannedFor = seconds > 0 && seconds <= longestBan ? seconds * 1000 : null
    return { kind: 'ended', code: 'temporarily_banned', bannedFor, more: '' }
  }
  const known = failures[status]
  if (known) return ended(known)
  return ended(status >= 500 ? 'server_error' : 'refused_by_whatsapp', ` Its code is ${shown(status)}.`)
}

function streamError(status: number, tag: string, attrs: Readonly<Record<string, unknown>>): Disconnect {
  if (status === 515) return { kind: 'restart' }
  // The library takes every conflict for a replacement, unless the server adds a code.
  if (attrs.type === 'device_removed' || status === 401) return ended('logged_out')
  if (status === 440 || tag === 'conflict')
    return { kind: 'ended', code: 'replaced', takenOver: true, more: '' }
  if (status === 503) return ended('service_unavailable')
  const word = /^[a-z0-9_-]{1,40}$/i.exec(tag)?.[0]
  return ended('stream_error', word && word !== 'unknown' ? ` WhatsApp says: \`${word}\`.` : '')
}

/** Returns the meaning of an end by the library itself, by its words if the code has several. */
function ownEnd(status: number, message: string): Disconnect {
  if (/QR refs attempts ended/.test(message)) return { kind: 'link-expired' }
  if (/noise|certification match/i.test(message)) return ended('server_not_proven')
  if (/account signature|pair success/i.test(message)) return ended('link_failed')
  switch (status) {
    case 515:
      return { kind: 'restart' }
    case 401:
      return ended('logged_out')
    case 408:
      return ended('answer_timeout')
    case 411:
      return ended('client_outdated')
    case 428:
      return ended('connection_reset')
    case 440:
      return { kind: 'ended', code: 'replaced', takenOver: true, more: '' }
    case 503:
      return ended('service_unavailable')
    default:
      return ended('internal_error')
  }
}

/** The connection could not be opened, or broke below what WhatsApp says. */
function socketReason({ message, socketError, isProxied = false }: Close): ReasonCode {
  const code = socketError ?? ''
  if (Object.hasOwn(connectFailures, code)) {
    const [server, proxy] = connectFailures[code as ConnectFailureReason]
    return isProxied ? proxy : server
  }
  if (/CERT|SIGNATURE|ISSUER|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code)) return 'tls_failed'
  if (/^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code)) return 'connection_reset'
  if (/Unexpected server response|Invalid WebSocket|^WS_ERR|^HPE_/.test(`${code} ${message}`))
    return 'not_whatsapp'
  if (code.startsWith('E')) return 'server_unreachable'
  return /timed out/i.test(message) ? 'answer_timeout' : 'connection_reset'
}

/** Why there is no connection: to the server, or through a proxy. */
const connectFailures: Readonly<Record<ConnectFailureReason, readonly [ReasonCode, ReasonCode]>> = {
  refused: ['address_not_allowed', 'proxy_not_allowed'],
  unreachable: ['server_unreachable', 'proxy_unreachable'],
  authentication: ['server_unreachable', 'proxy_refused'],
  timeout: ['server_unreachable', 'proxy_unreachable'],
  malformed: ['server_unreachable', 'proxy_unreachable'],
  tls: ['tls_failed', 'tls_failed'],
  lost: ['connection_reset', 'connection_reset'],
}

type ConnectFailureReason = Exclude<FailureReason, 'status' | 'too_large'>

function ended(code: ReasonCode, more = ''): Disconnect {
  return { kind: 'ended', code, more }
}

function shown(status: number): string {
  return Number.isSafeInteger(status) ? String(status) : 'unknown'
}
