import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../system/make-folder.ts'
import { ConfigError } from './config.ts'

/** The trimmed content of a secret file, or undefined if it does not exist. */
export function readSecretFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ConfigError(`the file ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Writes a file that only its owner may read. It is on disk, and complete, when this returns. */
export function writeSecretFile(file: string, secret: string): void {
  const folder = dirname(file)
  makeFolder(folder)
  const draft = `${file}.draft`
  // A draft that a crash left behind might have other permissions.
  rmSync(draft, { force: true })
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(descriptor, `${secret}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
  syncFolder(folder)
}

/** Syncs the new name to disk: otherwise a power cut could lose the key that the store was sealed with. */
function syncFolder(folder: string): void {
  // Windows cannot open folders, and does not need this.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
