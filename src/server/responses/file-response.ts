import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create as contentDisposition } from 'content-disposition'
import type { ServedFile } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { Alarm, Alarms } from '../../runtime/timers/alarms.ts'

/** The response to a request for a file. */
export interface FileResponse {
  readonly status: 200 | 206 | 304
  readonly headers: Readonly<Record<string, string>>
  /** The part that is sent; undefined for all of it, or nothing. */
  readonly range: Range | undefined
}

/** From the byte `first` to the byte `last`, both sent. */
interface Range {
  readonly first: number
  readonly last: number
}

/** The bytes come from an unknown sender: a browser that shows them after all executes nothing, and treats them as from nowhere. */
const filePolicy = "default-src 'none'; sandbox"

/**
 * The part of a file that a request asks for (RFC 9110, sections 13.1 and 14.2): all of it, a range, or nothing if the caller
 * has it already. Headers that are not understood are ignored. Throws a problem if the file does not have the range.
 */
export function fileResponse(file: ServedFile, asked: IncomingHttpHeaders): FileResponse {
  const { size, mimeType, filename } = file
  const etag = `"${file.sha256}"`
  if (names(asked['if-none-match'], etag)) return { status: 304, headers: { etag }, range: undefined }
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'content-type': mimeType,
    'content-disposition': contentDisposition(filename),
    'content-security-policy': filePolicy,
  }
  const ifRange = asked['if-range']
  const range = ifRange === undefined || ifRange === etag ? rangeIn(asked.range, size) : undefined
  if (!range) return { status: 200, headers: { ...headers, 'content-length': String(size) }, range }
  const { first, last } = range
  const part = {
    'content-length': String(last + 1 - first),
    'content-range': `bytes ${first}-${last}/${size}`,
  }
  return { status: 206, headers: { ...headers, ...part }, range }
}

/** True if a list of entity tags names this one, weakly compared. */
function names(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false
  const tags = list.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}

/** The requested range; undefined if there is none, or if there are several. */
function rangeIn(asked: string | undefined, size: number): Range | undefined {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(asked ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from !== '' && to !== '' && Number(from) > Number(to)) return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first < size) return { first, last }
  throw new Problem('range_not_satisfiable', { headers: { 'content-range': `bytes */${size}` } })
}

/** Opens what is sent of a file, and resolves when its first bytes are there. Until then it may still be refused. */
export async function openStoredFile(file: ServedFile, range: Range | undefined): Promise<Readable> {
  const bytes = file.open(range)
  await once(bytes, 'readable')
  return bytes
}

/** Milliseconds without progress before the connection is cut, and milliseconds between two checks of that. */
const stallLimit = 120_000
const stallCheck = 30_000

/**
 * Sends the opened file, with back-pressure. Rejects if it could not be sent completely; the rest of it is then not read.
 */
export async function sendFile(
  response: ServerResponse,
  file: FileResponse,
  bytes: Readable,
  { headers, alarms }: { readonly headers: Readonly<Record<string, string>>; readonly alarms: Alarms },
): Promise<void> {
  const watch = new StallWatch(response, alarms)
  try {
    if (response.destroyed) return void bytes.destroy()
    response.writeHead(file.status, { ...headers, ...file.headers })
    if (response.req.method === 'HEAD') {
      bytes.destroy()
      response.end()
    } else await pipeline(bytes, response)
  } finally {
    watch.end()
  }
}

/** Closes a connection on which nothing moves: a caller who stops reading would hold the file open forever. */
class StallWatch {
  readonly #response: ServerResponse
  readonly #alarms: Alarms
  #alarm: Alarm
  #sent = -1
  #still = 0

  constructor(response: ServerResponse, alarms: Alarms) {
    this.#response = response
    this.#alarms = alarms
    this.#alarm = alarms.in(stallCheck, () => this.#look())
  }

  end(): void {
    this.#alarm.cancel()
  }

  #look(): void {
    const { socket } = this.#response
    const sent = socket ? socket.bytesWritten - socket.writableLength : this.#sent
    this.#still = sent === this.#sent ? this.#still + stallCheck : 0
    this.#sent = sent
    if (this.#still >= stallLimit) this.#response.destroy()
    else this.#alarm = this.#alarms.in(stallCheck, () => this.#look())
  }
}
