import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { tooLarge } from './failure.ts'
import type { Timeouts } from './timeouts.ts'

/**
 * The body of an answer, counted while it is read, with back-pressure. It fails if the server sends more than `largest` bytes,
 * sends too slowly or stops early, and if the fetch is ended. A failure is reported to the next read.
 * Destroying it ends the fetch.
 */
export function boundedBody(answer: IncomingMessage, largest: number, timeouts: Timeouts): Readable {
  const chunks: AsyncIterator<Buffer, undefined> = answer[Symbol.asyncIterator]()
  let count = 0
  const next = async (): Promise<Buffer | null> => {
    const { value } = await timeouts.forBytes(chunks.next(), (came) => came.value?.length ?? 0)
    if (value === undefined) {
      if (isCutShort(answer)) throw answer.socket.errored
      return null
    }
    count += value.length
    if (count > largest) throw tooLarge(largest)
    return value
  }
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

/** A body that lasts as long as its connection is whole to Node also when that breaks. */
function isCutShort({ headers, socket }: IncomingMessage): boolean {
  const lasts = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return lasts && socket.errored !== null
}
