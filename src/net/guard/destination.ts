import { isIP } from 'node:net'
import { NetFailure, placeRefused } from '../failure.ts'

/** The destination of a URL, parsed once: all later code uses these values, never the text of the URL. */
export interface Destination {
  /** Without a dot at the end of its name. */
  readonly url: URL
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly encrypted: boolean
  /**
   * True if public addresses are not enough, and every address must be one that the operator lists: plain http, another
   * port than 443, or a name that only means something inside.
   */
  readonly needsListing: boolean
}

/** In UTF-16 units. */
const usualLongestUrl = 2_048

/**
 * Names that are internal by convention, and those under which clouds serve their machines. This is a courtesy to operators
 * whose name server answers for them; the real protection is the check of addresses.
 */
const insideNames =
  /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|svc|metadata\.goog)$/

/** Letters, digits, hyphens and the underscore that is met in practice: what a name server is asked for. */
const knownName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/**
 * Reads a URL, or the target of a redirect from `base`. Throws a NetFailure, reason `refused`, for one that is fetched
 * under no circumstances; what its addresses decide is not known yet.
 */
export function readDestination(
  text: string,
  base?: Destination,
  longestUrl: number = usualLongestUrl,
): Destination {
  const url = text.length <= longestUrl ? URL.parse(text, base?.url) : null
  if (url === null || url.href.length > longestUrl) {
    throw refused(`the URL must be an https URL of at most ${longestUrl} characters`)
  }
  const encrypted = url.protocol === 'https:'
  if (!encrypted && url.protocol !== 'http:') throw refused('the URL must begin with https://')
  if (url.username !== '' || url.password !== '') throw refused('the URL must not contain a user or password')
  // A URL that began with https is never continued by http, even at a listed address.
  if (base?.encrypted && !encrypted) throw placeRefused()
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isAddress = isIP(host) !== 0
  if (!isAddress && !knownName.test(host)) throw refused('the URL must contain a host name or address')
  const port = url.port === '' ? (encrypted ? 443 : 80) : Number(url.port)
  const isInside = !isAddress && (!host.includes('.') || insideNames.test(host))
  return { url, host, port, encrypted, needsListing: !encrypted || port !== 443 || isInside }
}

function refused(sentence: string): NetFailure {
  return new NetFailure('refused', true, sentence)
}
