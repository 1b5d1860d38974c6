import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, openAsBlob, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A file cannot be taken, however often it is tried. The message says why, for a person. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused'
}

/** A file on its way, on the disk of the bridge. */
export interface KeptFile {
  readonly path: string
  blob(): Promise<Blob>
}

/** Keeps files on disk while they are on their way, so that no file is ever in memory as a whole. */
export class Files {
  readonly #folder: string
  readonly #maxBytes: number

  constructor(data: string, maxBytes: number) {
    this.#folder = join(data, 'files')
    this.#maxBytes = maxBytes
    // Files of a process that was killed are fetched again.
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  /** True if the file is known to be too large. */
  isTooLarge(size: number | null | undefined): boolean {
    return (size ?? 0) > this.#maxBytes
  }

  /** The sentence for a file that is too large. */
  get tooLarge(): string {
    return `It is larger than the ${Math.floor(this.#maxBytes / 1_000_000)} MB that the bridge carries.`
  }

  /** Writes a response to disk, passes it to `use`, and removes it. Throws a `FileRefused` if it is too large. */
  async keep<R>(response: Response, use: (file: KeptFile) => Promise<R>): Promise<R> {
    const path = join(this.#folder, randomUUID())
    try {
      if (this.isTooLarge(Number(response.headers.get('content-length') ?? 0)))
        throw new FileRefused(this.tooLarge)
      const body = response.body
        ? Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
        : Readable.from([])
      await pipeline(body, this.#counted(), createWriteStream(path, { mode: 0o600 }))
      return await use({ path, blob: () => openAsBlob(path) })
    } finally {
      await response.body?.cancel().catch(() => undefined)
      await rm(path, { force: true })
    }
  }

  #counted(): Transform {
    let length = 0
    const max = this.#maxBytes
    const tooLarge = this.tooLarge
    return new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        length += chunk.length
        if (length > max) done(new FileRefused(tooLarge))
        else done(null, chunk)
      },
    })
  }
}
