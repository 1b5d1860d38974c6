import { sentencesOf } from '../../../contract/codes.ts'
import { sizeInWords } from '../../../runtime/text/size.ts'
import type { NetworkError, Outcome } from '../../driver/outcome.ts'
import { rejected } from '../../driver/outcome.ts'
import { type ErrorCode, errors } from '../codes.ts'
import { stanzaError } from '../errors.ts'
import { timeIn } from '../stanzas/date-time.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'

/**
 * The failure to get a file to the upload service, and the outcome of the attempt. It is always certain: as long as no
 * recipient was sent its URL, none has the message.
 */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('the file was not uploaded')
    this.outcome = outcome
  }
}

interface Refusal {
  readonly permanent: boolean
  /** A few words about this case. */
  readonly word?: string | undefined
  readonly network_code?: string | undefined
}

function errorOf(code: ErrorCode, { permanent, word, network_code }: Refusal): NetworkError {
  const detail = sentencesOf(errors[code], word)
  return { code, detail, permanent, ...(network_code !== undefined && { network_code }) }
}

/** The refusal of a file with one of the codes for uploads. */
export function uploadRefused(code: ErrorCode, refusal: Refusal): UploadRefused {
  return new UploadRefused(rejected(errorOf(code, refusal)))
}

/** `largest` is the size limit of the service, in bytes, if it announced one. */
export function tooLargeForUpload(largest: number | null, network_code?: string): UploadRefused {
  const word = largest === null ? undefined : `at most ${sizeInWords(largest)}`
  return uploadRefused('file_too_large', { permanent: true, word, network_code })
}

/**
 * Returns the refusal that an HTTP status other than success means (RFC 9110). Only 413 says that the same file would never
 * be taken.
 */
export function refusedByStatus(status: number): UploadRefused {
  const network_code = String(status)
  if (status === 413) return tooLargeForUpload(null, network_code)
  return uploadRefused('upload_failed', { permanent: false, word: `HTTP status ${status}`, network_code })
}

/** Milliseconds for which a message is put off that the service refused with "not now" and without a time. */
const putOff = 60_000

/** An error instead of a slot that says that the service does not exist. */
const gone = new Set([
  'feature-not-implemented',
  'gone',
  'item-not-found',
  'remote-server-not-found',
  'service-unavailable',
])

/** The meaning of an error that came instead of a slot (XEP-0363 section 5). `now` is in milliseconds. */
export function refusedSlot(answer: Xml, now: number): UploadRefused {
  const error = answer.getChild('error')
  const { permanent = false, network_code } = stanzaError(answer, 'under-way') ?? {}
  const limit = error?.getChild('file-too-large', ns.upload)
  if (limit) return tooLargeForUpload(bytesIn(limit), network_code)
  if (!permanent) {
    const until = retryTime(error) ?? now + putOff
    return new UploadRefused({
      kind: 'deferred',
      until,
      scope: 'recipient',
      error: errorOf('upload_deferred', { permanent, network_code }),
    })
  }
  // A service that was there when it was looked for may come back; if not, the next attempt finds that out for good.
  if (gone.has(network_code ?? ''))
    return uploadRefused('upload_unavailable', { permanent: false, network_code })
  return uploadRefused('upload_refused', { permanent, network_code })
}

function bytesIn(limit: Xml): number | null {
  const largest = limit.getChildText('max-file-size')?.trim() ?? ''
  return /^\d{1,15}$/.test(largest) ? Number(largest) : null
}

/** When a service that is full asks to come again. */
function retryTime(error: Xml | undefined): number | null {
  const retry = error?.getChild('retry', ns.upload)
  return timeIn(retry && attribute(retry, 'stamp'))
}
