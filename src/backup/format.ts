import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import tar from 'tar-stream'

/*
 * A backup is one tar file: `backup.json` describes it; `tables/NAME/NUMBER.jsonl` hold the rows, one JSON array a line,
 * each table after those that it refers to; `media/ID` hold the larger files; and `manifest.json`, the last entry, has the
 * counts and digests of all. A file without a manifest is not complete.
 */

export const headerName = 'backup.json'
export const manifestName = 'manifest.json'
export const formatName = 'posthorn-backup'
export const formatVersion = 1

export interface BackupTable {
  readonly name: string
  readonly columns: readonly string[]
}

export interface BackupHeader {
  readonly format: typeof formatName
  readonly format_version: number
  readonly made_at: string
  /** The version of Posthorn that wrote it. */
  readonly posthorn: string
  /** The migrations that the store had been through. */
  readonly schema: readonly string[]
  readonly store: string
  readonly epoch: string
  readonly tables: readonly BackupTable[]
  /** Place of the larger files: in the backup, or still in the object storage. */
  readonly media: 'included' | 's3'
}

export interface Digest {
  readonly size: number
  readonly sha256: string
}

export interface Manifest {
  readonly entries: Readonly<Record<string, Digest>>
  /** Number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  readonly files: number
  /** Files whose bytes were already gone. */
  readonly missing: readonly string[]
}

/** The file is not a complete backup, or this version cannot use it. The message says why. */
export class BackupBroken extends Error {
  override readonly name = 'Refusal'
}

/** A row as a line: bytes become base64, all other values are JSON already. */
export function rowLine(row: readonly unknown[]): string {
  const values = row.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value,
  )
  return `${JSON.stringify(values)}\n`
}

export function rowIn(line: string): unknown[] {
  const values = JSON.parse(line) as unknown[]
  return values.map((value) =>
    value !== null && typeof value === 'object'
      ? Buffer.from((value as { base64: string }).base64, 'base64')
      : value,
  )
}

export interface BackupEntry {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Called with the share of the file that was read, from 0 to 1. */
export type OnProgress = (share: number) => void

/** Reads the entries of a tar file one after the other; read each to its end before the next. */
export async function* entriesOf(file: string, onProgress: OnProgress): AsyncGenerator<BackupEntry> {
  const found = await stat(file).catch((error: Error) => {
    throw new BackupBroken(`the file ${file} cannot be read (${error.message}); give the path of a backup`)
  })
  if (found.isDirectory()) throw new BackupBroken(await folderInstead(file))
  const { size } = found
  const extract = tar.extract()
  const source = createReadStream(file)
  let read = 0
  source.on('data', (chunk) => {
    read += chunk.length
    onProgress(read / size)
  })
  source.on('error', (error) => extract.destroy(error))
  source.pipe(extract)
  try {
    for await (const entry of extract)
      yield { name: entry.header.name, bytes: whole(file, entry as AsyncIterable<Uint8Array>) }
  } catch (error) {
    throw error instanceof BackupBroken ? error : incomplete(file, error)
  } finally {
    source.destroy()
  }
}

/** A backup in a folder of backups by the time at which it was begun, in UTC to the second. */
export const backupName = /^posthorn-\d{8}T\d{6}Z\.tar$/

/** Says that the path of a folder was given, and which file in it to give instead. */
async function folderInstead(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => [])
  const newest = names
    .filter((name) => backupName.test(name))
    .sort()
    .at(-1)
  return newest === undefined
    ? `${folder} is a folder; give the path of a backup, which is a file`
    : `${folder} is a folder; give the path of a backup in it, such as the newest, ${join(folder, newest)}`
}

const incomplete = (file: string, error: unknown) =>
  new BackupBroken(`${file} is not a complete backup: ${(error as Error).message}`)

async function* whole(file: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw incomplete(file, error)
  }
}

/** Reads all bytes of an entry that is small enough for memory. */
export async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Passes bytes on and computes their digest, which is known once all of them have passed. */
export class Digesting {
  readonly #hash = createHash('sha256')
  #size = 0

  async *pass(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#hash.update(chunk)
      this.#size += chunk.length
      yield chunk
    }
  }

  digest(): Digest {
    return { size: this.#size, sha256: this.#hash.digest('hex') }
  }
}

/** Reads the header, the first entry of a backup. Throws if the file is not a backup, or is newer than this version can read. */
export function headerIn(file: string, name: string, bytes: Buffer): BackupHeader {
  const header = name === headerName ? (jsonIn(file, bytes) as BackupHeader) : undefined
  if (header?.format !== formatName) throw new BackupBroken(`${file} is not a Posthorn backup`)
  if (header.format_version > formatVersion)
    throw new BackupBroken(`${file} was written by a newer Posthorn (${header.posthorn}); use that version`)
  return header
}

/** The JSON of an entry; throws if it is damaged. */
export function jsonIn(file: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    throw incomplete(file, error)
  }
}
