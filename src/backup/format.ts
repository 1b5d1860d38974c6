import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import tar from 'tar-stream'

/*
 * A backup is one tar file: `backup.json` says what it is, `tables/NAME/NUMBER.jsonl` hold rows, a JSON array each, the
 * tables in an order in which each comes after those that it refers to, `media/ID` hold the larger files, and
 * `manifest.json` ends it with the counts and digests of all. What has no manifest is not whole.
 */

export const headerName = 'backup.json'
export const manifestName = 'manifest.json'
export const formatName = 'posthorn-backup'
export const formatVersion = 1

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

export interface Header {
  readonly format: typeof formatName
  readonly format_version: number
  readonly made_at: string
  /** The version of Posthorn that made it. */
  readonly posthorn: string
  /** The steps of the schema that the store had been through. */
  readonly schema: readonly string[]
  readonly store: string
  readonly epoch: string
  readonly tables: readonly Table[]
  /** Whether the larger files are in it, or stay in the object storage. */
  readonly media: 'included' | 's3'
}

export interface Digest {
  readonly size: number
  readonly sha256: string
}

export interface Manifest {
  readonly entries: Readonly<Record<string, Digest>>
  /** How many rows each table has. */
  readonly rows: Readonly<Record<string, number>>
  readonly files: number
  /** Files whose bytes were not there any more. */
  readonly missing: readonly string[]
}

/** The file is no whole backup, or none that this version can read. The message says why. */
export class BackupBroken extends Error {
  override readonly name = 'Refusal'
}

/** A row as a line: bytes become base64, everything else is JSON already. */
export function lineOf(row: readonly unknown[]): string {
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

export interface Entry {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** How much of the file was read, from 0 to 1. */
export type OnProgress = (share: number) => void

/** Reads the entries of a tar file one after the other; each must be read to its end before the next. */
export async function* entriesOf(file: string, onProgress: OnProgress): AsyncGenerator<Entry> {
  const { size } = await stat(file)
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
    throw error instanceof BackupBroken ? error : notWhole(file, error)
  } finally {
    source.destroy()
  }
}

const notWhole = (file: string, error: unknown) =>
  new BackupBroken(`${file} is no whole backup: ${(error as Error).message}`)

async function* whole(file: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw notWhole(file, error)
  }
}

/** Reads all bytes of an entry that is small enough for memory. */
export async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Passes bytes on and takes their digest on the way; `digest` is known once they have all passed. */
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

/** Reads the header, which begins a backup. Throws for what is none, or is newer than this version can read. */
export function headerIn(file: string, name: string, bytes: Buffer): Header {
  const header = name === headerName ? (jsonIn(file, bytes) as Header) : undefined
  if (header?.format !== formatName) throw new BackupBroken(`${file} is no backup of Posthorn`)
  if (header.format_version > formatVersion)
    throw new BackupBroken(`${file} was made by a newer Posthorn (${header.posthorn}); use that version`)
  return header
}

/** What an entry says; throws where it is damaged. */
export function jsonIn(file: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    throw notWhole(file, error)
  }
}
