import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { freeBuffer } from '../../runtime/free-buffer.ts'
import { connectionLost } from '../failure.ts'
import type { Timeouts } from '../timeouts.ts'
import type { FileBody } from './request.ts'
import type { EncodedBody } from './request-body.ts'

/** The file of a request cannot be read, or does not have its size. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'

  constructor(cause: unknown) {
    super('the file could not be read', { cause })
  }
}

/** Bytes that are written at once. */
const largestPiece = 65_536

/**
 * Writes one body to one request. At any time one chunk is under way: the next is read when the server has taken it, within the
 * time of `stall`. The end of the timeouts also destroys the stream of the file.
 */
export class BodyUpload {
  readonly #body: EncodedBody
  readonly #timeouts: Timeouts
  #chunks: FileChunks | undefined
  #isSent = false

  constructor(body: EncodedBody, timeouts: Timeouts) {
    this.#body = body
    this.#timeouts = timeouts
  }

  get isSent(): boolean {
    return this.#isSent
  }

  /** Opens the file and reads its first bytes. So most files that cannot be read fail before anything is sent. */
  async open(): Promise<void> {
    const { file } = this.#body
    if (file === undefined) return
    this.#chunks = new FileChunks(file, this.#timeouts)
    await this.#chunks.peek()
  }

  /** Writes everything and calls `onSent`, or destroys the request with the error. */
  writeTo(to: Writable, onSent: () => void): void {
    this.#write(to).then(
      () => {
        this.#isSent = true
        to.end()
        onSent()
      },
      (caught) => to.destroy(caught),
    )
  }

  async #write(to: Writable): Promise<void> {
    const { before, after } = this.#body
    await this.#taken(to, before)
    for (let chunk = await this.#chunks?.next(); chunk !== undefined; chunk = await this.#chunks?.next()) {
      await this.#taken(to, chunk)
      freeBuffer(chunk)
    }
    await this.#taken(to, after)
  }

  async #taken(to: Writable, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += largestPiece) {
      const piece = bytes.subarray(at, at + largestPiece)
      await this.#timeouts.during('stall', written(to, piece), 'the server stopped reading')
    }
  }
}

/** Settles when bytes were handed to the operating system, which waits for the server once its own memory is full. */
function written(to: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(connectionLost('ECONNRESET'))
    to.once('close', gone)
    to.write(bytes, (error) => {
      to.off('close', gone)
      if (error) reject(error)
      else resolve()
    })
  })
}

/** The bytes of a file, exactly as many as it is said to have. */
class FileChunks {
  readonly #size: number
  readonly #timeouts: Timeouts
  readonly #chunks: AsyncIterator<Buffer, undefined>
  #count = 0
  #first: Promise<Buffer | undefined> | undefined

  constructor(file: FileBody, timeouts: Timeouts) {
    this.#size = file.size
    this.#timeouts = timeouts
    const stream = opened(file)
    // The reader of the stream gets the error; at the end of everything, there is no reader.
    stream.on('error', () => {})
    addAbortSignal(timeouts.signal, stream)
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async peek(): Promise<void> {
    this.#first = this.next()
    await this.#first
  }

  /** The next chunk; undefined after the last. */
  async next(): Promise<Buffer | undefined> {
    if (this.#first !== undefined) {
      const first = this.#first
      this.#first = undefined
      return first
    }
    const chunk = await this.#read()
    this.#count += chunk?.length ?? 0
    if (this.#count > this.#size || (chunk === undefined && this.#count < this.#size))
      throw new UnreadableFile(new Error(`the file does not have its ${this.#size} bytes`))
    return chunk
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      const next = unlessAborted(this.#chunks.next(), this.#timeouts.signal)
      return (await this.#timeouts.during('stall', next, 'reading the file took too long')).value
    } catch (caught) {
      throw new UnreadableFile(caught)
    }
  }
}

/** Waits no longer than the signal says: a stream that hangs may also hang when it is destroyed. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function opened(file: FileBody): Readable {
  try {
    return file.open()
  } catch (caught) {
    throw new UnreadableFile(caught)
  }
}
