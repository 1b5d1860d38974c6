import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readSecretFile, writeSecretFile } from './secret-file.ts'

const fileIn = (folder: string) => join(folder, 'server.url')

/** The URLs of a server. */
export interface ServerUrls {
  /** The one under which browsers reach it. */
  readonly browsers: string
  /** The one at which it listens, for programs on its machine; undefined if an older version kept only the other. */
  readonly local: string | undefined
}

/** Keeps in the data folder where the server that runs on it is. Throws if the file cannot be written. */
export function keepServerUrls(folder: string, { browsers, local }: Required<ServerUrls>): void {
  writeSecretFile(fileIn(folder), [browsers, local].join('\n'))
}

/** Removes what an earlier server on the data folder kept. */
export function forgetServerUrls(folder: string): void {
  rmSync(fileIn(folder), { force: true })
}

/** The URLs that were kept last; undefined if there are none. They are true only while a server runs on the data folder. */
export function readServerUrls(folder: string): ServerUrls | undefined {
  const [browsers, local] = readSecretFile(fileIn(folder))?.split('\n') ?? []
  return browsers ? { browsers, local } : undefined
}
