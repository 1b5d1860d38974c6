import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import tar from 'tar-stream'
import { openStore } from '../gateway/open-store.ts'
import { mediaPlace } from '../media/media.ts'
import { sync, syncNames } from '../media/store/disk.ts'
import { openFileMedia } from '../media/store/files.ts'
import type { KeptFile, MediaStore } from '../media/store/media-store.ts'
import { noteBackup } from '../organizations/audit-log.ts'
import type { Config } from '../runtime/config/config.ts'
import { migrations } from '../store/migrations/index.ts'
import { version } from '../version.ts'
import {
  BackupBroken,
  type BackupHeader,
  type BackupTable,
  type Digest,
  Digesting,
  formatName,
  formatVersion,
  headerName,
  type Manifest,
  manifestName,
  type OnProgress,
  rowLine,
} from './format.ts'
import { openSource, type Source } from './source.ts'

/** About how many bytes of rows go into one entry. */
const partBytes = 1024 * 1024

/** Organizations for which one transaction notes a backup: a server that runs waits for it. */
const notedAtOnce = 100

/** The backup that was written. */
export interface Written {
  readonly header: BackupHeader
  readonly manifest: Manifest
  /** The number of events in it: a row of the journal holds several. */
  readonly events: number
  /** Why the backup could not be noted in the audit log; undefined if it was. */
  readonly notNoted: string | undefined
}

/**
 * Writes a backup of the store at one moment, with the larger files, while the server may be running. The file gets its name
 * once it is complete and on disk. It never contains the master key.
 */
export async function writeBackup(config: Config, file: string, onProgress: OnProgress): Promise<Written> {
  if (existsSync(file)) throw new BackupBroken(`${file} already exists; choose another name`)
  const part = `${file}.${process.pid}.part`
  const bytes = await openMediaBytes(config)
  try {
    const archive = new Archive(part)
    const { header, rows, events, files } = await addRows(archive, config)
    const media = bytes ? await addFiles(archive, files, bytes, onProgress) : { files: 0, missing: [] }
    const manifest = { entries: Object.fromEntries(archive.digests), rows, ...media }
    await archive.add(manifestName, Buffer.from(JSON.stringify(manifest, null, 2)))
    await archive.end()
    await sync(part)
    const notNoted = await note(config, header)
    await rename(part, file)
    await syncNames(dirname(resolve(file)))
    return { header, manifest, events, notNoted }
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await bytes?.close()
  }
}

/**
 * Adds the header and all tables, which are read in one snapshot. That is let go before any file is copied: the files are listed in it, and
 * may take hours.
 */
async function addRows(archive: Archive, config: Config) {
  const source = await openSource(config)
  try {
    const header = await headerOf(config, source)
    await archive.add(headerName, Buffer.from(JSON.stringify(header, null, 2)))
    const { rows, events } = await addTables(archive, source, header)
    return { header, rows, events, files: await largerFiles(source) }
  } finally {
    await source.close()
  }
}

/**
 * Notes the backup in the audit log before it gets its name, so that there is no backup without a note. A store that cannot be
 * written to, or that has an older schema, can be backed up nevertheless; then this returns why there is no note.
 */
async function note(config: Config, { schema }: BackupHeader): Promise<string | undefined> {
  const known = new Set(schema)
  if (migrations.some(({ name }) => !known.has(name))) return 'the store was written by an older version'
  try {
    const store = await openStore(config)
    try {
      const part = { now: Date.now(), limit: notedAtOnce }
      for (let after: string | null = ''; after !== null; )
        after = await store.transact(noteBackup, { ...part, after })
    } finally {
      await store.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}

/** A tar file that is being written. */
class Archive {
  readonly digests = new Map<string, Digest>()
  readonly #pack = tar.pack()
  readonly #file: ReturnType<typeof createWriteStream>
  readonly #failed: Promise<never>

  constructor(path: string) {
    this.#file = createWriteStream(path, { mode: 0o600 })
    this.#failed = once(this.#file, 'error').then(([error]) => {
      throw error
    })
    this.#failed.catch(() => {})
    this.#pack.pipe(this.#file)
  }

  async add(name: string, bytes: Buffer): Promise<void> {
    await this.stream(name, bytes.length, [bytes])
  }

  async stream(
    name: string,
    size: number,
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    const done = Promise.withResolvers<void>()
    done.promise.catch(() => {})
    const entry = this.#pack.entry({ name, size, mode: 0o600 }, (error) =>
      error ? done.reject(error) : done.resolve(),
    )
    const digesting = new Digesting()
    for await (const chunk of digesting.pass(bytes as AsyncIterable<Uint8Array>))
      if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), this.#failed])
    entry.end(undefined)
    await Promise.race([done.promise, this.#failed])
    this.digests.set(name, digesting.digest())
  }

  async end(): Promise<void> {
    const closed = once(this.#file, 'close')
    this.#pack.finalize()
    await Promise.race([closed, this.#failed])
  }
}

async function headerOf(config: Config, source: Source): Promise<BackupHeader> {
  const facts = new Map(
    (await source.ask("select name, value from service where name in ('store_id', 'epoch')")).map(
      ([name, value]) => [String(name), String(value)],
    ),
  )
  return {
    format: formatName,
    format_version: formatVersion,
    made_at: new Date().toISOString(),
    posthorn: version,
    schema: (await source.ask('select name from migrations order by name')).map(([name]) => String(name)),
    store: facts.get('store_id') ?? '',
    epoch: facts.get('epoch') ?? '',
    tables: await source.tables(),
    media: mediaPlace(config) === 's3' ? 's3' : 'included',
  }
}

async function addTables(
  archive: Archive,
  source: Source,
  { tables }: BackupHeader,
): Promise<{ rows: Record<string, number>; events: number }> {
  const counts: Record<string, number> = {}
  let events = 0
  for (const table of tables) {
    const eventsIn = counterOfEvents(table)
    let count = 0
    let parts = 0
    let text: string[] = []
    let length = 0
    const flush = async () => {
      const number = String(++parts).padStart(6, '0')
      await archive.add(`tables/${table.name}/${number}.jsonl`, Buffer.from(text.join('')))
      text = []
      length = 0
    }
    for await (const row of source.rows(table)) {
      const line = rowLine(row)
      text.push(line)
      length += line.length
      count++
      events += eventsIn(row)
      if (length >= partBytes) await flush()
    }
    if (length > 0) await flush()
    counts[table.name] = count
  }
  return { rows: counts, events }
}

/** Counts the events in a row of a table. A store of an older version has one in each row of the journal. */
function counterOfEvents({ name, columns }: BackupTable): (row: readonly unknown[]) => number {
  if (name !== 'events') return () => 0
  const place = columns.indexOf('count')
  return (row) => (place < 0 ? 1 : Number(row[place]))
}

/** The bytes of the files that are not rows of the store: those of more than 64 KB. Null if they are not copied. */
async function openMediaBytes(config: Config): Promise<MediaStore | null> {
  const place = mediaPlace(config)
  if (place === 's3') return null
  if (place === 'files') return openFileMedia(join(config.POSTHORN_DATA, 'media', 'files'))
  const { openPostgresMedia } = await import('../media/store/postgres.ts')
  return openPostgresMedia(config.POSTHORN_DATABASE_URL as string)
}

async function largerFiles(source: Source): Promise<KeptFile[]> {
  const known = await source.ask(
    'select id, size from media where id not in (select media_id from small_files) order by id',
  )
  return known.map(([id, size]) => ({ id: String(id), size: Number(size) }))
}

async function addFiles(
  archive: Archive,
  known: readonly KeptFile[],
  bytes: MediaStore,
  onProgress: OnProgress,
) {
  const missing: string[] = []
  for (const [index, file] of known.entries()) {
    // It may have expired meanwhile, or be registered while its bytes are still coming in.
    if (await bytes.has(file)) await archive.stream(`media/${file.id}`, file.size, bytes.read(file))
    else missing.push(file.id)
    onProgress((index + 1) / known.length)
  }
  return { files: known.length - missing.length, missing }
}
