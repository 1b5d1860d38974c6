import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../../store/store.ts'

/** Codes of file systems when nothing more fits, or no more of this user. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT'])

/**
 * Returns the error for a refusal of the file system: the store could not do it, for want of space or for another reason.
 */
export function diskFault(error: unknown): StoreUnavailable {
  const { message, code = '' } = error as NodeJS.ErrnoException
  return new StoreUnavailable(message, { cause: error, full: fullCodes.has(code) })
}

/** Waits for work of the file system; what it refuses rejects with `StoreUnavailable`. */
export async function onDisk<R>(work: Promise<R>): Promise<R> {
  try {
    return await work
  } catch (error) {
    throw diskFault(error)
  }
}

/** Reads a file in parts of at most `length` bytes; what the file system refuses is thrown as `StoreUnavailable`. */
export async function* readFrom(path: string, length: number): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: length })
  } catch (error) {
    throw diskFault(error)
  }
}

/** Puts what a file holds on disk: it is there after a power cut. */
export function sync(path: string): Promise<void> {
  // For writing, since Windows syncs no file that was opened for reading.
  return syncOpened(open(path, 'r+'))
}

/** Puts the names in a folder on disk. Windows cannot open folders, and keeps names with the file. */
export async function syncNames(folder: string): Promise<void> {
  if (process.platform !== 'win32') await syncOpened(open(folder, 'r'))
}

async function syncOpened(opening: Promise<FileHandle>): Promise<void> {
  const file = await opening
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
