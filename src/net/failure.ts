import { sizeInWords } from '../runtime/text/size.ts'

/**
 * Why a fetch or a post failed: this server does not connect to the host or the URL (`refused`); no connection
 * (`unreachable`), none with good encryption (`tls`), or one that broke (`lost`); something took too long (`timeout`); more
 * bytes than asked for (`too_large`); a status that is not wanted (`status`); an answer that cannot be used (`malformed`).
 */
export type FailureReason =
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'lost'
  | 'timeout'
  | 'too_large'
  | 'status'
  | 'malformed'

/** A fetch or a post failed. The message names no host, so the caller who gave the URL may read it. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly reason: FailureReason
  /** True if a retry would fail in the same way. */
  readonly permanent: boolean
  /** The HTTP status, if the reason is `status`. */
  readonly status: number | undefined

  constructor(reason: FailureReason, permanent: boolean, sentence: string, status?: number) {
    super(sentence)
    this.reason = reason
    this.permanent = permanent
    this.status = status
  }
}

/**
 * The one answer for every host that this server may not fetch from, whether or not anything is there. It states the whole
 * rule, because it must not say which part of it was violated.
 */
export function placeRefused(): FetchFailure {
  const rule = 'URLs are fetched over HTTPS, on port 443, from public addresses'
  const exception = 'and otherwise only from addresses that the operator lists (POSTHORN_FETCH_ALLOW_CIDRS)'
  return new FetchFailure('refused', true, `${rule}, ${exception}`)
}

/** The failure for more bytes than were asked for. */
export function tooLarge(largest: number): FetchFailure {
  return new FetchFailure('too_large', true, `it has more than ${sizeInWords(largest)}`)
}

/** The failure for an answer that cannot be used. */
export function malformed(sentence: string): FetchFailure {
  return new FetchFailure('malformed', true, sentence)
}

/** Statuses that a server answers for now, and not for good (RFC 9110 section 15, RFC 6585, RFC 8470). */
const passingStatuses = new Set([408, 425, 429])

/** The failure for a status that is not wanted. */
export function statusFailure(status: number): FetchFailure {
  const permanent = status < 500 && !passingStatuses.has(status)
  return new FetchFailure('status', permanent, `the server answered with the status ${status}`, status)
}

/** Anything that a socket, TLS or the HTTP parser threw, as a failure. */
export function failureFrom(caught: unknown): FetchFailure {
  if (caught instanceof FetchFailure) return caught
  const code = caught instanceof Error && 'code' in caught ? String(caught.code) : ''
  if (code.startsWith('HPE_')) return malformed(`the server's answer is not valid HTTP (${code})`)
  if (isAboutCertificate(code)) {
    return new FetchFailure('tls', true, `the server's certificate was not accepted (${code})`)
  }
  if (/^(ERR_TLS|ERR_SSL|EPROTO)/.test(code)) {
    return new FetchFailure('tls', false, 'the encrypted connection could not be set up')
  }
  if (/^(ECONNRESET|ECONNABORTED|EPIPE)$/.test(code)) {
    return new FetchFailure('lost', false, 'the server closed the connection')
  }
  return new FetchFailure('unreachable', false, 'the server could not be reached')
}

/** The names that OpenSSL and Node give to what is wrong with a certificate. */
function isAboutCertificate(code: string): boolean {
  return /CERT|UNABLE_TO|SIGNATURE|ISSUER|INVALID_(CA|PURPOSE)/.test(code)
}
