import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readSecretFile, writeSecretFile } from './secret-file.ts'

const fileIn = (folder: string) => join(folder, 'server.url')

/** Keeps in the data folder under which URL browsers reach the server that runs on it. Throws if the file cannot be written. */
export function keepServerUrl(folder: string, url: string): void {
  writeSecretFile(fileIn(folder), url)
}

/** Removes what an earlier server on the data folder kept. */
export function forgetServerUrl(folder: string): void {
  rmSync(fileIn(folder), { force: true })
}

/** The URL that was kept last; undefined if there is none. It is true only while a server runs on the data folder. */
export function readServerUrl(folder: string): string | undefined {
  return readSecretFile(fileIn(folder))
}
