import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { onDisk } from './disk.ts'

/** How many of the first bytes a draft shows, to tell from them what it is. */
export const headBytes = 4096

/** A file of at most so many bytes is small: it costs less in memory, and as a row of the store, than as a file of its own. */
export const smallBytes = 64 * 1024

/** A file that came in whole and is nobody's yet: it is kept, or discarded. */
export interface Draft {
  /** All bytes of a small one, null for a larger one, whose bytes are on disk. */
  readonly bytes: Uint8Array | null
  /** Where its bytes are as a file, until it is kept or discarded; those of a small one are written there first. */
  file(): Promise<string>
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
   * Takes everything that comes into a draft, and hashes and counts it on the way; nothing is read ahead of the disk. Rejects
   * with `MediaTooLarge` at the first byte over `limit`, with `StoreUnavailable` when the disk does not take it, or with the
   * source's own error; then the source is destroyed and no byte stays. A part is used until the next is asked for.
   */
  async receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<Draft> {
    const file = new GrowingFile(join(this.#folder, randomUUID()))
    try {
      // It is listened to from the beginning: a stream that fails unheard would end the process.
      const received = await pour(source, limit, file).finally(() => file.close())
      return { bytes: file.small, ...received, file: () => file.path(), discard: () => file.discard() }
    } catch (error) {
      await file.discard()
      throw error
    }
  }
}

/** So many bytes of a draft are put on disk while the next come. Else a large one would wait for that when it is whole. */
const syncEvery = 16 * 1024 * 1024

/** Bytes in memory while they are few, and in a file that is made when they become more or somebody asks for it. */
class GrowingFile {
  readonly #path: string
  #pieces: Uint8Array[] = []
  #size = 0
  #file: FileHandle | undefined
  #isMade = false
  /** Bytes that no sync was begun for yet. */
  #unsynced = 0
  #syncing: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** All bytes of a small file. */
  get small(): Uint8Array | null {
    return this.#isMade ? null : this.#gathered()
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#size += bytes.length
    if (this.#isMade) return this.#write(bytes)
    // What comes may be in memory that is used again for what comes next.
    this.#pieces.push(Uint8Array.from(bytes))
    if (this.#size > smallBytes) await this.#make()
  }

  async #make(): Promise<void> {
    this.#isMade = true
    this.#file = await onDisk(open(this.#path, 'wx', 0o600))
    await this.#write(this.#gathered())
    this.#pieces = []
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const file = this.#file as FileHandle
    await onDisk(file.writeFile(bytes))
    this.#unsynced += bytes.length
    if (this.#unsynced < syncEvery) return
    await this.#syncing
    this.#unsynced = 0
    this.#syncing = onDisk(file.datasync())
    // It is listened to by what comes next.
    this.#syncing.catch(() => {})
  }

  #gathered(): Uint8Array {
    const [only] = this.#pieces
    return only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces)
  }

  async path(): Promise<string> {
    if (!this.#isMade) await this.#make().finally(() => this.close())
    return this.#path
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    try {
      await this.#syncing
    } finally {
      if (file) await onDisk(file.close())
    }
  }

  async discard(): Promise<void> {
    this.#pieces = []
    if (this.#isMade) await rm(this.#path, { force: true })
  }
}

async function pour(source: AsyncIterable<Uint8Array>, limit: number, file: GrowingFile) {
  const hash = createHash('sha256')
  const head: Uint8Array[] = []
  let size = 0
  for await (const bytes of source) {
    if (size < headBytes) head.push(Uint8Array.from(bytes.subarray(0, headBytes - size)))
    size += bytes.length
    if (size > limit) throw new MediaTooLarge(limit)
    hash.update(bytes)
    await file.append(bytes)
  }
  return { size, sha256: hash.digest('hex'), head: Buffer.concat(head) }
}
