import { sizeInWords } from '../runtime/text/size.ts'

/**
 * Why nothing came of going out: this server does not connect to the host or the URL (`refused`); no connection (`unreachable`),
 * none with good encryption (`tls`), or one that broke (`lost`); the proxy wants other credentials (`authentication`); something
 * took too long (`timeout`); more bytes than asked for (`too_large`); a status that is not wanted (`status`); a response that
 * cannot be used (`malformed`).
 */
export type FailureReason =
  | 'refused'
  | 'unreachable'
  | 'authentication'
  | 'tls'
  | 'lost'
  | 'timeout'
  | 'too_large'
  | 'status'
  | 'malformed'

interface FailureDetails {
  readonly status?: number
  readonly code?: string
}

/**
 * The one kind of failure of everything that leaves this server. The message is a clause in lower case without a full stop. It
 * names no host and no secret, so the caller who gave the URL may read it.
 */
export class NetFailure extends Error {
  override readonly name = 'NetFailure'
  readonly reason: FailureReason
  /** True if a retry would fail in the same way. */
  readonly permanent: boolean
  /** The HTTP status, if the reason is `status`. */
  readonly status: number | undefined
  /** Code of the failure from the operating system, the resolver, TLS or the HTTP parser, if one of them gave one. */
  readonly code: string | undefined

  constructor(
    reason: FailureReason,
    permanent: boolean,
    clause: string,
    { status, code }: FailureDetails = {},
  ) {
    super(clause)
    this.reason = reason
    this.permanent = permanent
    this.status = status
    this.code = code
  }

  /** The message as a sentence, for where it stands alone. */
  get sentence(): string {
    return `${this.message.charAt(0).toUpperCase()}${this.message.slice(1)}.`
  }
}

/**
 * The one failure for every host that this server may not fetch from, whether or not anything is there. It states the whole
 * rule, because it must not say which part of it was violated.
 */
export function placeRefused(): NetFailure {
  const rule = 'URLs are fetched over HTTPS, on port 443, from public addresses'
  const exception = 'and otherwise only from addresses that the operator lists (POSTHORN_FETCH_ALLOW_CIDRS)'
  return new NetFailure('refused', true, `${rule}, ${exception}`)
}

/** The refusal of an address that the operator does not let instances connect to. It does not say which address that is. */
export function addressRefused(where = 'that address'): NetFailure {
  return new NetFailure('refused', true, `the operator does not let instances connect to ${where}`)
}

/** The failure for more bytes than were asked for. */
export function tooLarge(largest: number): NetFailure {
  return new NetFailure('too_large', true, `it has more than ${sizeInWords(largest)}`)
}

/** The failure for a response that cannot be used. */
export function malformed(sentence: string): NetFailure {
  return new NetFailure('malformed', true, sentence)
}

/** Statuses of temporary failures (RFC 9110 section 15, RFC 6585, RFC 8470). */
const passingStatuses = new Set([408, 425, 429])

/** The failure for a status that is not wanted. */
export function statusFailure(status: number): NetFailure {
  const permanent = status < 500 && !passingStatuses.has(status)
  return new NetFailure('status', permanent, `the server responded with the status ${status}`, { status })
}

/** The failure for a connection that the server closed. */
export function connectionLost(code: string): NetFailure {
  return new NetFailure('lost', false, 'the server closed the connection', { code })
}

/** Anything that a socket, TLS or the HTTP parser threw, as a failure. */
export function failureFrom(caught: unknown): NetFailure {
  if (caught instanceof NetFailure) return caught
  const code = caught instanceof Error && 'code' in caught ? String(caught.code) : ''
  const failure = (reason: FailureReason, permanent: boolean, clause: string) =>
    new NetFailure(reason, permanent, clause, { code })
  if (code.startsWith('HPE_'))
    return failure('malformed', true, `the server's response is not valid HTTP (${code})`)
  if (isAboutCertificate(code))
    return failure('tls', true, `the server's certificate was not accepted (${code})`)
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO)/.test(code))
    return failure('tls', false, 'the encrypted connection could not be set up')
  if (/^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code)) return connectionLost(code)
  return failure('unreachable', false, 'the server could not be reached')
}

/** The names that OpenSSL and Node give to what is wrong with a certificate. */
function isAboutCertificate(code: string): boolean {
  return /CERT|UNABLE_TO|SIGNATURE|ISSUER|INVALID_(CA|PURPOSE)/.test(code)
}
