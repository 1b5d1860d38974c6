import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Draft } from '../../contract/handler.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { diskFault, onDisk, sync, syncNames } from './disk.ts'
import { type ByteRange, type KeptFile, MediaMissing, type MediaStore } from './media-store.ts'

/**
 * Keeps files in a folder, which must be on the file system of the drafts. A file gets its name when it is whole and on disk.
 * The names are spread over 256 folders by their last two characters, which are random.
 */
export async function openFileMedia(folder: string): Promise<MediaStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return new FileMedia(folder)
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

class FileMedia implements MediaStore {
  readonly #folder: string
  readonly #made = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(id: string, draft: Draft): Promise<void> {
    await onDisk(this.#put(id, draft))
  }

  async #put(id: string, draft: Draft): Promise<void> {
    const folder = this.#folderOf(id)
    await this.#make(folder)
    const path = await draft.file()
    await sync(path)
    await rename(path, join(folder, id))
    await syncNames(folder)
  }

  async has({ id, size }: KeptFile): Promise<boolean> {
    try {
      return (await stat(this.#pathOf(id))).size === size
    } catch (error) {
      if (isMissing(error)) return false
      throw diskFault(error)
    }
  }

  async *read(
    { id, size }: KeptFile,
    range: ByteRange = { first: 0, last: size - 1 },
  ): AsyncIterable<Uint8Array> {
    const file = await this.#open(id)
    try {
      if ((await file.stat()).size !== size) throw new MediaMissing(id)
      yield* pieces(file, range)
    } finally {
      await file.close()
    }
  }

  async #open(id: string): Promise<FileHandle> {
    try {
      return await open(this.#pathOf(id), 'r')
    } catch (error) {
      throw isMissing(error) ? await this.#missing(id) : diskFault(error)
    }
  }

  /** If only the file does not exist, it is gone. If the folder is missing too, the media store is unavailable, for example an unmounted disk. */
  async #missing(id: string): Promise<Error> {
    const names = await onDisk(readdir(this.#folder))
    return names.length > 0 ? new MediaMissing(id) : new StoreUnavailable(`${this.#folder} is empty`)
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await onDisk(rm(this.#pathOf(id), { force: true }))
  }

  async *ids(): AsyncIterable<string> {
    for await (const folder of await onDisk(opendir(this.#folder))) {
      for await (const { name } of await onDisk(opendir(join(this.#folder, folder.name)))) yield name
    }
  }

  async close(): Promise<void> {}

  #folderOf(id: string): string {
    return join(this.#folder, id.slice(-2))
  }

  #pathOf(id: string): string {
    return join(this.#folderOf(id), id)
  }

  /** Makes a folder on first use, on disk. */
  async #make(folder: string): Promise<void> {
    if (this.#made.has(folder)) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await syncNames(this.#folder)
    this.#made.add(folder)
  }
}

/** As many bytes are read at a time: a turn to the disk takes longer than to copy half of them. */
const pieceBytes = 128 * 1024

/** Reads a part of a file, each chunk into its own buffer, and none before it is requested. */
async function* pieces(file: FileHandle, { first, last }: ByteRange): AsyncGenerator<Uint8Array, void> {
  for (let at = first; at <= last; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, last + 1 - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}
