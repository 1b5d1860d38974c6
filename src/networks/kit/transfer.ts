import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
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

/** A file that cannot be read now may be readable later; one that is gone will not come back. */
function faultOf(cause: unknown): UploadFault {
  if (cause instanceof MediaMissing) return new UploadFault('file_missing', true, cause)
  return new UploadFault('file_unreadable', false, cause)
}

function opened(file: OutgoingFile): Readable {
  try {
    return file.open()
  } catch (caught) {
    throw faultOf(caught)
  }
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
    const source = opened(this.#file)
    // The reader gets its error; one that comes while the source is let go of harms nothing.
    source.on('error', () => {})
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
