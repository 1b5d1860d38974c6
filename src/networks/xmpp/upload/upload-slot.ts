import type { OutgoingFile } from '../../driver/message.ts'
import { isLoopback } from '../settings.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import { refusedSlot, type UploadRefused, uploadRefused } from './upload-refusal.ts'
import type { UploadService } from './upload-service.ts'

/** A place for a file: the URL to upload it to, and the one to fetch it from afterwards (XEP-0363 section 4). */
export interface Slot {
  readonly put: URL
  /** Header fields that the upload must carry, in the order in which they were given. */
  readonly headers: Readonly<Record<string, string[]>>
  readonly get: URL
}

/** The only header fields that a service may ask for; others could say things in our name. */
const allowedHeaders = new Map(
  ['Authorization', 'Cookie', 'Expires'].map((name) => [name.toLowerCase(), name]),
)

/** In UTF-16 units: recipients are sent the URL, and a name of 255 characters takes up to 3,060 of them. */
const longestUrl = 8_000

/** The facts about a file that a service must know before the upload. */
export type FileForSlot = Pick<OutgoingFile, 'filename' | 'size' | 'mime_type'>

export interface SlotOptions {
  /** True if addresses of this machine may do without encryption. */
  readonly plaintext: boolean
  /** In milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Asks the service for a slot. Rejects with `UploadRefused`, or when the signal aborts. */
export async function requestSlot(
  file: FileForSlot,
  service: UploadService,
  iqRequests: IqRequests,
  { plaintext, now, signal }: SlotOptions,
): Promise<Slot> {
  const { filename, size, mime_type } = file
  const attributes = { xmlns: ns.upload, filename, size: String(size), 'content-type': mime_type }
  const answer = await iqRequests.ask('get', service.address, element('request', attributes), signal)
  if (answer.attrs.type === 'error') throw refusedSlot(answer, now())
  return slotIn(answer, plaintext)
}

/** Reads a slot; throws `UploadRefused` if it cannot be used. */
export function slotIn(answer: Xml, plaintext: boolean): Slot {
  const slot = answer.getChild('slot', ns.upload)
  const put = slot?.getChild('put')
  const get = slot?.getChild('get')
  if (!put || !get) throw unusable('none was named')
  return { put: urlIn(put, plaintext), headers: headersIn(put), get: urlIn(get, plaintext) }
}

function unusable(word: string): UploadRefused {
  return uploadRefused('upload_slot_unusable', { permanent: true, word })
}

/** The URL of one side, spelled as URLs are: what is not allowed in one, such as a space in a name, is percent-encoded. */
function urlIn(side: Xml, plaintext: boolean): URL {
  const written = attribute(side, 'url') ?? ''
  const url = URL.parse(written)
  if (!url || url.href.length > longestUrl || url.username !== '' || url.password !== '')
    throw unusable('no usable URL')
  const local = plaintext && url.protocol === 'http:' && isLoopback(hostOf(url))
  if (url.protocol !== 'https:' && !local) throw unusable('no encryption')
  return url
}

/** The host of a URL as `node:net` expects it: an IPv6 address without brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** XEP-0363 section 4: line breaks are taken out of names and values, and names that are not allowed are ignored. */
function headersIn(put: Xml): Record<string, string[]> {
  const headers: Record<string, string[]> = {}
  for (const header of put.getChildren('header')) {
    const written = (attribute(header, 'name') ?? '').replace(/[\r\n]/g, '')
    const name = allowedHeaders.get(written.toLowerCase())
    const value = header.text().replace(/[\r\n]/g, '')
    if (name === undefined) continue
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw unusable('a header field that HTTP cannot carry')
    headers[name] = [...(headers[name] ?? []), value]
  }
  return headers
}
