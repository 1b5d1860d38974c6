import { createHash } from 'node:crypto'
import { PassThrough, Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CodeMeaning, sentencesOf, triesAgain } from '../../contract/codes.ts'
import { MediaMissing } from '../../media/store/media-store.ts'
import type { OutgoingFile } from '../driver/message.ts'
import type { NetworkError } from '../driver/outcome.ts'

const isBroken =
  'Send a new message with the file, and tell the operator that the storage for files is damaged.'

/** Faults of a file itself. A network with files documents these together with its own errors. */
export const fileErrors = {
  file_unreadable: {
    happened: 'The stored file could not be read.',
    next: `${triesAgain} If this continues, tell the operator.`,
  },
  file_missing: {
    happened: 'The stored file is missing or incomplete.',
    next: isBroken,
  },
  file_altered: {
    happened: 'The stored file differs from the one that was accepted.',
    next: isBroken,
  },
} satisfies Record<string, CodeMeaning>

/** A file that cannot be read, or does not match its record. It was certainly not shown to the recipient. */
export class UploadFault extends Error {
  override readonly name = 'FileFault'
  readonly error: NetworkError

  constructor(code: keyof typeof fileErrors, permanent: boolean, cause?: unknown) {
    const detail = sentencesOf(fileErrors[code])
    super(detail, { cause })
    this.error = { code, detail, permanent }
  }
}

/**
 * Copies the bytes of a file to `to`, with back-pressure, and ends `to` once they were found to match the record. If anything
 * goes wrong, both sides are destroyed. Rejects with a `FileFault` if the file is at fault, with an
 * `AbortError` if the signal aborts, and otherwise with the error of `to`.
 */
export async function transfer(file: OutgoingFile, to: Writable, signal: AbortSignal): Promise<void> {
  const source = opened(file, to)
  // A pipeline destroys all of its streams with the first error, so only the first that failed is at fault.
  let first: Readable | Writable | undefined
  source.on('error', () => {
    first ??= source
  })
  to.on('error', () => {
    first ??= to
  })
  try {
    await pipeline(source, checked(file), to, { signal })
  } catch (caught) {
    if (signal.aborted || caught instanceof UploadFault || first !== source) throw caught
    throw faultOf(caught)
  }
}

function opened(file: OutgoingFile, to: Writable): Readable {
  try {
    return file.open()
  } catch (caught) {
    to.destroy()
    throw faultOf(caught)
  }
}

/** Passes bytes on as long as they may be those of the file, and ends only after the last of them. */
function checked(file: OutgoingFile): Transform {
  const hash = createHash('sha256')
  let count = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      count += chunk.length
      hash.update(chunk)
      if (count > file.size) pass(altered())
      else pass(null, chunk)
    },
    flush(end) {
      end(count === file.size && hash.digest('hex') === file.sha256 ? null : altered())
    },
  })
}

/** A file that cannot be read now may be readable later; one that is gone will not come back. */
function faultOf(cause: unknown): UploadFault {
  if (cause instanceof MediaMissing) return new UploadFault('file_missing', true, cause)
  return new UploadFault('file_unreadable', false, cause)
}

function altered(): UploadFault {
  return new UploadFault('file_altered', true)
}

/**
 * The bytes of a file for a reader that reads them to their end: the last of them come only once all were found to match the
 * record. So if `wasRead` is false, no reader has the whole file. The stream fails with a `FileFault` if the file is at
 * fault.
 */
export class CheckedFile {
  readonly #file: OutgoingFile
  #wasRead = false

  constructor(file: OutgoingFile) {
    this.#file = file
  }

  get wasRead(): boolean {
    return this.#wasRead
  }

  /** Throws a `FileFault`. */
  open(): Readable {
    const nowhere = new PassThrough()
    const source = opened(this.#file, nowhere)
    const bytes = this.#read(source)
    // A generator that waits for its source ends only once the source does.
    const end = () => {
      source.destroy()
      return bytes.return()
    }
    const reading = { [Symbol.asyncIterator]: () => ({ next: () => bytes.next(), return: end }) }
    return Readable.from(reading, { objectMode: false, highWaterMark: 1 })
  }

  async *#read(source: Readable): AsyncGenerator<Buffer, void> {
    const hash = createHash('sha256')
    let count = 0
    let last: Buffer | undefined
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        count += chunk.length
        hash.update(chunk)
        if (count > this.#file.size) throw altered()
        if (last) yield last
        last = chunk
      }
    } catch (caught) {
      throw caught instanceof UploadFault ? caught : faultOf(caught)
    }
    if (count !== this.#file.size || hash.digest('hex') !== this.#file.sha256) throw altered()
    this.#wasRead = true
    if (last) yield last
  }
}
