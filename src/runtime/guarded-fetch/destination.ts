import { isIP } from 'node:net'
import { FetchFailure, placeRefused } from './failure.ts'

/** Where a URL leads, read from it once: everything later is done with these values and never with its text. */
export interface Destination {
  /** Without a dot at the end of its name. */
  readonly url: URL
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly encrypted: boolean
  /**
   * True where public addresses will not do, and every address must be one that the operator lists: plain http, another
   * port than 443, or a name that only means something inside.
   */
  readonly needsListing: boolean
}

const longestUrl = 2_048

/**
 * Names that lead inside by convention, and those under which clouds serve their machines. This is a courtesy to whoever
 * runs a name server that answers for them; the wall is the judgement of addresses.
 */
const insideNames =
  /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|svc|metadata\.goog)$/

/** Letters, digits, hyphens and the underscore that is met in practice: what a name server is asked for. */
const knownName = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/**
 * Reads a URL, or the target of a redirect from `base`. Throws a FetchFailure, reason `refused`, for one that is fetched
 * under no circumstances; what its addresses decide is not known yet.
 */
export function readDestination(text: string, base?: Destination): Destination {
  const url = text.length <= longestUrl ? URL.parse(text, base?.url) : null
  if (url === null || url.href.length > longestUrl) {
    throw refused(`the URL must be an https URL of at most ${longestUrl} characters`)
  }
  const encrypted = url.protocol === 'https:'
  if (!encrypted && url.protocol !== 'http:') throw refused('the URL must begin with https://')
  if (url.username !== '' || url.password !== '') throw refused('the URL must not contain a user or password')
  // What was asked for under encryption is not fetched without, wherever it may be.
  if (base?.encrypted && !encrypted) throw placeRefused()
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isAddress = isIP(host) !== 0
  if (!isAddress && !knownName.test(host)) throw refused('the URL must contain a host name or address')
  const port = url.port === '' ? (encrypted ? 443 : 80) : Number(url.port)
  const isInside = !isAddress && (!host.includes('.') || insideNames.test(host))
  return { url, host, port, encrypted, needsListing: !encrypted || port !== 443 || isInside }
}

function refused(sentence: string): FetchFailure {
  return new FetchFailure('refused', true, sentence)
}
