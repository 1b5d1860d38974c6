import type { IncomingMessage as Message } from 'node:http'
import { addAbortSignal, Readable } from 'node:stream'
import { IncomingMessage } from '../../runtime/system/http.ts'
import { tooLarge } from '../failure.ts'
import type { Timeouts } from '../timeouts.ts'
import type { Exchanged } from './exchange.ts'

/**
 * The body of a response, counted while it is read, with back-pressure. It fails if the server sends more than `largest` bytes,
 * sends too slowly or stops early, and if the fetch is ended. A failure is reported to the next read.
 * Destroying it ends the fetch.
 */
export function boundedBody(source: Readable, largest: number, timeouts: Timeouts): Readable {
  const next = boundedChunks(source, largest, timeouts)
  return new Readable({
    read() {
      next().then(
        (chunk) => this.push(chunk),
        (caught) => this.destroy(timeouts.failureFrom(caught)),
      )
    },
    destroy(error, done) {
      timeouts.end()
      done(error)
    },
  })
}

/** The same without a size, for bytes whose size is bounded where they come from. `source` is destroyed when the fetch ends. */
export function timedBody(source: Readable, timeouts: Timeouts): Readable {
  return boundedBody(addAbortSignal(timeouts.signal, source), Number.POSITIVE_INFINITY, timeouts)
}

/**
 * Returns all bytes of a response. Throws the failures of `boundedBody`. They are copied together as they come, because many tiny
 * chunks would take a multiple of their size.
 */
export async function wholeBody(
  { response }: Exchanged,
  largest: number,
  timeouts: Timeouts,
): Promise<Buffer> {
  const next = boundedChunks(response, largest, timeouts)
  let bytes = Buffer.alloc(0)
  let count = 0
  for (let chunk = await next(); chunk !== null; chunk = await next()) {
    if (count + chunk.length > bytes.length) {
      const larger = Buffer.alloc(Math.min(largest, Math.max(2 * bytes.length, count + chunk.length)))
      bytes.copy(larger, 0, 0, count)
      bytes = larger
    }
    count += chunk.copy(bytes, count)
  }
  return bytes.subarray(0, count)
}

/**
 * The first bytes of a body, as many of them as come within the time of `beginning`, in which the connection becomes free, too.
 * A body that is longer, breaks off or hangs ends the fetch, and is no failure.
 */
export async function beginningOf(
  { response, free }: Exchanged,
  largest: number,
  timeouts: Timeouts,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let count = 0
  const alarm = timeouts.alarm('beginning', () => timeouts.end())
  if (largest === 0) timeouts.end()
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      count += chunk.length
      if (count > largest) timeouts.end()
    }
  } catch {
    // The status remains valid.
  }
  // If the response came before the request was written to its end, wait for that too.
  await free
  alarm.cancel()
  return Buffer.concat(chunks).subarray(0, largest)
}

/** Reads the next chunk; null after the last. */
function boundedChunks(source: Readable, largest: number, timeouts: Timeouts): () => Promise<Buffer | null> {
  const chunks: AsyncIterator<Buffer, undefined> = source[Symbol.asyncIterator]()
  let count = 0
  return async () => {
    const { value } = await timeouts.forBytes(chunks.next(), (came) => came.value?.length ?? 0)
    if (value === undefined) {
      if (source instanceof IncomingMessage && isCutShort(source)) throw source.socket.errored
      return null
    }
    count += value.length
    if (count > largest) throw tooLarge(largest)
    return value
  }
}

/** A body that lasts as long as its connection is whole to Node also when that breaks. */
function isCutShort({ headers, socket }: Message): boolean {
  const lasts = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return lasts && socket.errored !== null
}
