import type { Readable } from 'node:stream'
import { freeBuffer } from '../../runtime/free-buffer.ts'

/** As many bytes as are parsed, and written to disk, at once. A chunk that comes has at most 64 KB. */
const largestRoom = 128 * 1024

/** The receiver of a body, in the way of a stream: it calls `done` when it is ready for more. */
export interface BodyParser {
  write(bytes: Buffer, done?: () => void): void
  end(bytes?: Buffer): void
}

/**
 * Carries a body to its parser in two pieces of memory, for as long as it lasts: one of them is filled while what the other
 * holds is parsed, and used. So what a body costs depends neither on its size, nor on how small the chunks are that it comes in.
 * A body that comes in a single chunk is parsed in place.
 */
export class BodyFeed {
  readonly #body: Readable
  readonly #parser: BodyParser
  readonly #length: number | undefined
  #filling: Buffer | undefined
  #other: Buffer | undefined
  #filled = 0
  #isParsing = false
  #isLent = false
  #file: Readable | undefined
  #next: NodeJS.Immediate | undefined

  /** Begins at once. Nothing else may use the memory of the chunks; `length` is the number of bytes to come, if known. */
  constructor(body: Readable, parser: BodyParser, length?: number) {
    this.#body = body
    this.#parser = parser
    this.#length = length
    body.on('data', this.#take).once('end', this.#end)
  }

  /** The bytes of a file that the parser gives out. A part of them is overwritten when the next one is asked for. */
  lend(file: Readable): AsyncIterable<Uint8Array> {
    this.#file = file
    return this.#lent(file)
  }

  async *#lent(file: Readable): AsyncGenerator<Uint8Array, void> {
    for await (const bytes of file) {
      this.#isLent = true
      yield bytes
      this.#isLent = false
      this.#passSoon()
    }
  }

  /** Gives the memory back, once no part of the body is in use. */
  free(): void {
    for (const piece of [this.#filling, this.#other]) if (piece) freeBuffer(piece)
  }

  /** Stops parsing. The rest of the body is read and discarded. */
  stop(): void {
    clearImmediate(this.#next)
    this.#body.off('data', this.#take).off('end', this.#end)
    readPast(this.#body)
  }

  readonly #take = (chunk: Buffer): void => {
    if (chunk.length === this.#length) {
      this.#other = chunk
      this.#parser.write(chunk)
      return
    }
    this.#filling ??= this.#piece()
    const taken = chunk.copy(this.#filling, this.#filled)
    this.#filled += taken
    if (this.#filled > this.#filling.length / 2) this.#body.pause()
    if (taken < chunk.length) this.#body.unshift(chunk.subarray(taken))
    else freeBuffer(chunk)
    this.#passSoon()
  }

  readonly #end = (): void => {
    clearImmediate(this.#next)
    this.#parser.end(this.#filling?.subarray(0, this.#filled))
  }

  /** Deferred: chunks of the same tick are parsed together, and by then the reader has what the parser emitted before. */
  #passSoon(): void {
    if (this.#filled > 0) this.#next ??= setImmediate(this.#pass)
  }

  readonly #pass = (): void => {
    this.#next = undefined
    const full = this.#filling
    if (!full || this.#isParsing || this.#isLent || (this.#file && this.#file.readableLength > 0)) return
    this.#isParsing = true
    this.#parser.write(full.subarray(0, this.#filled), () => {
      this.#isParsing = false
      this.#passSoon()
    })
    this.#filling = this.#other ?? this.#piece()
    this.#other = full
    this.#filled = 0
    this.#body.resume()
  }

  #piece(): Buffer {
    return Buffer.allocUnsafeSlow(Math.min(this.#length ?? largestRoom, largestRoom))
  }
}

/** Reads what is still to come of a body, and throws it away. */
export function readPast(body: Readable): void {
  body.on('data', freeBuffer).resume()
}
