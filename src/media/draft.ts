import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { onDisk } from './disk.ts'

/** How many of the first bytes a draft shows, to tell from them what it is. */
export const headBytes = 4096

/** A file that came in whole and is nobody's yet: it is kept in the media store, or discarded. */
export interface Draft {
  /** Where its bytes are, until it is kept or discarded. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** The SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string
  /** The first bytes, at most `headBytes` of them. */
  readonly head: Uint8Array
  /** Removes the bytes, unless they were kept. Call it when the draft is done with, however that went. */
  discard(): Promise<void>
}

/** More bytes came than may. */
export class MediaTooLarge extends Error {
  override readonly name = 'MediaTooLarge'
  /** In bytes. */
  readonly limit: number

  constructor(limit: number) {
    super(`the file has more than ${limit} bytes`)
    this.limit = limit
  }
}

/** Takes in bytes of unknown length and origin, into files of this server's own. */
export class Drafts {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Uses a folder for drafts, and removes what an earlier server left there when it crashed. No other process may use the
   * folder: it stands in the data folder, whose lock is held.
   */
  static async open(folder: string): Promise<Drafts> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
    return new Drafts(resolve(folder))
  }

  /** Uses the folder of a server that may be running, in which nothing else is touched. */
  static beside(folder: string): Drafts {
    return new Drafts(resolve(folder))
  }

  /**
   * Writes everything that comes to a draft, and hashes and counts it on the way; nothing is read ahead of the disk. Rejects
   * with `MediaTooLarge` at the first byte over `limit`, with `StoreUnavailable` when the disk does not take it, or with the
   * source's own error; then the source is destroyed and no byte stays.
   */
  async receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<Draft> {
    const path = join(this.#folder, randomUUID())
    const discard = () => rm(path, { force: true })
    const file = new GrowingFile(path)
    try {
      // It is listened to from the beginning: a stream that fails unheard would end the process.
      const received = await pour(source, limit, file).finally(() => file.close())
      return { path, ...received, discard }
    } catch (error) {
      await discard()
      throw error
    }
  }
}

/** A file that is made when the first bytes are there for it. */
class GrowingFile {
  readonly #path: string
  #file: FileHandle | undefined

  constructor(path: string) {
    this.#path = path
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#file ??= await onDisk(open(this.#path, 'wx', 0o600))
    await onDisk(this.#file.writeFile(bytes))
  }

  async close(): Promise<void> {
    if (this.#file) await onDisk(this.#file.close())
  }
}

async function pour(source: AsyncIterable<Uint8Array>, limit: number, file: GrowingFile) {
  const hash = createHash('sha256')
  const head: Uint8Array[] = []
  let size = 0
  for await (const bytes of source) {
    if (size < headBytes) head.push(bytes.subarray(0, headBytes - size))
    size += bytes.length
    if (size > limit) throw new MediaTooLarge(limit)
    hash.update(bytes)
    await file.append(bytes)
  }
  if (size === 0) await file.append(new Uint8Array())
  return { size, sha256: hash.digest('hex'), head: Buffer.concat(head) }
}
