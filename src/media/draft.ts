import { createHash, type Hash, hash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Draft } from '../contract/handler.ts'
import { onDisk } from './store/disk.ts'

/** Number of the first bytes that a draft provides, to detect its type. */
export const headBytes = 4096

/** A file of at most so many bytes is small: in memory, and as a row of the store, it is cheaper than as a separate file. */
export const smallBytes = 64 * 1024

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

/** Receives bytes of unknown length and origin into this server's own files. */
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
   * with `MediaTooLarge` at the first byte over `limit`, with `StoreUnavailable` if the disk fails, or with the
   * source's own error; then the source is destroyed and no byte stays. A chunk is used until the next is requested.
   */
  async receive(source: AsyncIterable<Uint8Array>, limit: number): Promise<Draft> {
    const file = new GrowingFile(join(this.#folder, randomUUID()))
    try {
      // It is listened to from the beginning: a stream that fails unheard would end the process.
      await pour(source, limit, file).finally(() => file.close())
      return { ...file.whole(), file: () => file.path(), discard: () => file.discard() }
    } catch (error) {
      await file.discard()
      throw error
    }
  }
}

/** So many bytes of a draft are put on disk while the next come. Else a large one would wait for that when it is whole. */
const syncEvery = 16 * 1024 * 1024

/** Bytes in memory while they are few, and in a file that is made when they become more or a caller asks for it. */
class GrowingFile {
  readonly #path: string
  #pieces: Uint8Array[] = []
  #size = 0
  /** The head and the hash of a large one as it comes. */
  #large: { readonly head: Uint8Array; readonly hash: Hash } | undefined
  #small: Uint8Array | undefined
  #file: FileHandle | undefined
  #isMade = false
  /** Bytes that no sync was begun for yet. */
  #unsynced = 0
  #syncing: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  get size(): number {
    return this.#size
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#size += bytes.length
    if (this.#large) {
      // The disk is busy with them while they are hashed.
      const written = this.#write(bytes)
      this.#large.hash.update(bytes)
      return written
    }
    // The bytes may be in memory that is used again for the next ones.
    this.#pieces.push(new Uint8Array(bytes))
    if (this.#size <= smallBytes) return
    const gathered = Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#large = {
      head: Uint8Array.from(gathered.subarray(0, headBytes)),
      hash: createHash('sha256').update(gathered),
    }
    await this.#make(gathered)
  }

  /** Returns the size, digest, head and bytes once all has come; the bytes are null if they are in a file. */
  whole(): Pick<Draft, 'bytes' | 'size' | 'sha256' | 'head'> {
    const size = this.#size
    if (this.#large)
      return { bytes: null, size, sha256: this.#large.hash.digest('hex'), head: this.#large.head }
    const [only, ...others] = this.#pieces
    const bytes = only && others.length === 0 ? only : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#small = bytes
    return { bytes, size, sha256: hash('sha256', bytes), head: bytes.subarray(0, headBytes) }
  }

  async #make(bytes: Uint8Array): Promise<void> {
    this.#isMade = true
    this.#file = await onDisk(open(this.#path, 'wx', 0o600))
    await this.#write(bytes)
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

  async path(): Promise<string> {
    if (this.#small && !this.#isMade) await this.#make(this.#small).finally(() => this.close())
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
    this.#small = undefined
    if (this.#isMade) await rm(this.#path, { force: true })
  }
}

async function pour(source: AsyncIterable<Uint8Array>, limit: number, file: GrowingFile): Promise<void> {
  for await (const bytes of source) {
    if (file.size + bytes.length > limit) throw new MediaTooLarge(limit)
    await file.append(bytes)
  }
}
