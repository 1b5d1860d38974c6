import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { OutgoingFile } from '../../../src/networks/driver/message.ts'

/** Facts about a file besides its bytes. */
export interface FileFacts {
  readonly filename?: string
  readonly mime_type?: string
}

const piece = 64 * 1024

let files = 0

/** A file of so many bytes, which are not those of any other file of this run. */
export function newFile(size: number, facts: FileFacts = {}): OutgoingFile {
  files += 1
  const seed = files
  const hash = createHash('sha256')
  for (const bytes of bytesOf(size, seed)) hash.update(bytes)
  return {
    filename: 'report.bin',
    mime_type: 'application/octet-stream',
    ...facts,
    size,
    sha256: hash.digest('hex'),
    open: () => Readable.from(bytesOf(size, seed), { objectMode: false }),
  }
}

/** Every piece begins with its place and the seed; what follows is the same in all. */
function* bytesOf(size: number, seed: number): Generator<Buffer, undefined> {
  for (let at = 0; at < size; at += piece) {
    const bytes = Buffer.from(filling)
    bytes.writeUInt32BE(seed, 0)
    bytes.writeUInt32BE(at / piece, 4)
    yield bytes.subarray(0, Math.min(piece, size - at))
  }
}

const filling = Buffer.from(Array.from({ length: piece }, (_, index) => (index * 31 + (index >> 8)) & 0xff))

const half = 8 * piece

/** A file of a megabyte that tells what is done with it: it stops in the middle, until it is told how to go on. */
export class StoppingFile implements OutgoingFile {
  readonly filename = 'report.bin'
  readonly mime_type = 'application/octet-stream'
  readonly size = 2 * half
  readonly sha256: string
  /** Resolves when the file was let go of. */
  readonly released: Promise<void>
  /** Number of times that it was opened. */
  opened = 0
  readonly #file = newFile(2 * half)
  readonly #stopped = Promise.withResolvers<void>()
  readonly #released = Promise.withResolvers<void>()
  readonly #order = Promise.withResolvers<Error | null>()

  constructor() {
    this.sha256 = this.#file.sha256
    this.released = this.#released.promise
  }

  /** Resolves when the first half was taken and more is asked for. An attempt that ends before is an error. */
  async stopped(attempt: Promise<unknown>): Promise<void> {
    const early = attempt.then((outcome) => {
      throw new Error(`the attempt ended before its file did: ${JSON.stringify(outcome)}`)
    })
    await Promise.race([this.#stopped.promise, early])
  }

  /** The second half comes. */
  goOn(): void {
    this.#order.resolve(null)
  }

  /** The second half cannot be read, as from a disk that is broken. */
  break(): void {
    this.#order.resolve(Object.assign(new Error('input/output error'), { code: 'EIO' }))
  }

  open(): Readable {
    this.opened += 1
    const bytes = this.#file.open().iterator()
    const stopped = this.#stopped
    const order = this.#order.promise
    let given = 0
    const give = async (to: Readable) => {
      if (given === half) {
        stopped.resolve()
        const error = await order
        if (error) return to.destroy(error)
      }
      const next: IteratorResult<Buffer> = await bytes.next()
      given += next.done ? 0 : next.value.length
      to.push(next.done ? null : next.value)
    }
    const stream = new Readable({ read: () => void give(stream) })
    return stream.on('close', () => this.#released.resolve())
  }
}
