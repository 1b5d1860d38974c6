import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
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
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.draft`
  const descriptor = openSync(draft, 'w', 0o600)
  writeSync(descriptor, `${secret}\n`)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(draft, file)
}
