import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from './config.ts'

/** The trimmed content of a secret file, or undefined where there is none. */
export function readSecretFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ConfigError(`the file ${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Writes a secret that only the owner may read; it is on disk, whole, when this returns. */
export function writeSecretFile(file: string, secret: string): void {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.draft`
  // A draft that a crash left behind would keep its own mode.
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

/** Puts the new name on disk: without it, a power cut could leave the store without the key that it was sealed with. */
function syncFolder(folder: string): void {
  // Windows cannot open folders, and keeps names with the file.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
