import { existsSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openSharedStore } from '../gateway/open-store.ts'
import { Drafts } from '../media/draft.ts'
import { mediaPlace } from '../media/media.ts'
import { syncNames } from '../media/store/disk.ts'
import { openFileMedia } from '../media/store/files.ts'
import type { MediaStore } from '../media/store/media-store.ts'
import { countHeld, markRestored } from '../messages/outbox/recovery/held.ts'
import { findRunning } from '../nodes/node-store.ts'
import { hasOrganizations } from '../organizations/organization-store.ts'
import type { Config } from '../runtime/config/config.ts'
import { randomBase32 } from '../runtime/ids.ts'
import { whyUnfit } from '../store/migrations/index.ts'
import { advancePosition } from '../store/position.ts'
import { writeRecordedPosition } from '../store/recorded-position.ts'
import type { Store } from '../store/store.ts'
import { checkBackup } from './check-backup.ts'
import {
  BackupBroken,
  type BackupHeader,
  Digesting,
  entriesOf,
  type Manifest,
  manifestName,
  rowIn,
  wholeOf,
} from './format.ts'
import { newPostgresTarget, newSqliteTarget, type RestoreTarget } from './target.ts'

interface RestoreOptions {
  /** An existing store is put aside (SQLite) or removed (PostgreSQL). */
  readonly replace: boolean
  readonly onProgress: (doing: string, share: number) => void
  /** Decides about the held messages before a server starts on the store. */
  readonly decide: (store: Store) => Promise<void>
}

export interface Restored {
  readonly header: BackupHeader
  readonly manifest: Manifest
  /** Messages that are held for the operator to decide about. */
  readonly held: number
  /** The path of the previous store, if it was put aside. */
  readonly aside: string | undefined
}

/** Restores a backup into the store that the configuration names. The data folder must be locked. */
export async function restoreBackup(
  config: Config,
  file: string,
  options: RestoreOptions,
): Promise<Restored> {
  const { header, manifest } = await checkBackup(file, (share) => options.onProgress('checking', share))
  refuseUnfit(config, file, header, manifest)
  const url = config.POSTHORN_DATABASE_URL
  const folder = config.POSTHORN_DATA
  if (url === undefined) refusePresent(join(folder, 'posthorn.db'), options)
  else await refuseUsed(url, options)
  const building = join(folder, 'restoring')
  await rm(building, { recursive: true, force: true })
  if (url === undefined) await mkdir(building, { recursive: true, mode: 0o700 })
  const target =
    url === undefined ? await newSqliteTarget(building, header) : await newPostgresTarget(url, header)
  await load(config, file, { header, manifest, target, options }).catch(async (error) => {
    await target.abandon()
    throw error
  })
  const store = await target.open()
  let held = 0
  try {
    await markRestored(store, { epoch: randomBase32(5), now: Date.now() })
    await options.decide(store)
    held = await countHeld(store)
    if (url !== undefined)
      writeRecordedPosition(folder, { ...(await store.transact(advancePosition, null)), begun: true })
    else await store.transact(advancePosition, null)
  } finally {
    await store.close()
  }
  const aside = url === undefined ? await putInPlace(folder, building) : undefined
  return { header, manifest, held, aside }
}

function refuseUnfit(
  config: Config,
  file: string,
  { schema, posthorn, media }: BackupHeader,
  { files }: Manifest,
): void {
  const unfit = whyUnfit(schema.map((name) => ({ name, expands: 0 })))
  if (unfit)
    throw new BackupBroken(
      `${file} was written by Posthorn ${posthorn}, and its store ${unfit}; restore it with that version`,
    )
  const place = mediaPlace(config)
  if (media === 's3' && place !== 's3')
    throw new BackupBroken(
      `the larger files of ${file} stay in an object storage; set POSTHORN_MEDIA_STORE to s3, with the bucket and the prefix of the server that was backed up`,
    )
  if (place === 's3' && files > 0)
    throw new BackupBroken(
      `${file} contains ${files} files, and files cannot be restored into an object storage; set POSTHORN_MEDIA_STORE to files or postgres`,
    )
}

function refusePresent(database: string, { replace }: RestoreOptions): void {
  if (replace || (statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  throw new BackupBroken(
    `there is already a store, ${database}; restore into another data folder, or put this store aside with --replace`,
  )
}

/** Refuses a database that a server uses or, without `replace`, one that has an organization. */
async function refuseUsed(url: string, { replace }: RestoreOptions): Promise<void> {
  const store = await openSharedStore(url)
  try {
    const [running] = await store.read(findRunning, null)
    if (running)
      throw new BackupBroken(
        `a server (${running.id}) runs on this database; stop it first or, if it has crashed, wait ${Math.ceil(running.left / 1000)} s`,
      )
    if (!replace && (await store.read(hasOrganizations, null)))
      throw new BackupBroken(
        'there is already a store in this database; set POSTHORN_DATABASE_URL to another one, or delete this store with --replace',
      )
  } finally {
    await store.close()
  }
}

interface Loading {
  readonly header: BackupHeader
  readonly manifest: Manifest
  readonly target: RestoreTarget
  readonly options: RestoreOptions
}

/** Facts about the server that ran on the store; the next server writes its own. */
const ofServer = new Set<unknown>(['restoring', 'probe'])

async function load(config: Config, file: string, loading: Loading): Promise<void> {
  const { header, manifest, target, options } = loading
  const tables = new Map(header.tables.map((table) => [table.name, table]))
  const sizes = (id: string) => manifest.entries[`media/${id}`]?.size ?? 0
  let files: FilesIn | undefined
  for await (const { name, bytes } of entriesOf(file, (share) => options.onProgress('restoring', share))) {
    const digesting = new Digesting()
    const passed = digesting.pass(bytes)
    const [kind, what = ''] = name.split('/')
    const table = kind === 'tables' ? tables.get(what) : undefined
    if (table) {
      const rows = (await wholeOf(passed)).toString().split('\n').slice(0, -1).map(rowIn)
      const column = table.columns.indexOf('name')
      await target.insert(
        table,
        table.name === 'service' ? rows.filter((row) => !ofServer.has(row[column])) : rows,
      )
    } else if (kind === 'media') {
      if (!files) await target.commit()
      files ??= await filesOf(config)
      await files.put(what, passed, sizes(what))
    } else for await (const _ of passed);
    // The file was checked a moment ago. If it has changed since, it was not.
    if (name !== manifestName && digesting.digest().sha256 !== manifest.entries[name]?.sha256)
      throw new BackupBroken(`${file} changed while it was being restored; run the restore again`)
  }
  if (!files) await target.commit()
  await files?.close()
}

interface FilesIn {
  put(id: string, bytes: AsyncIterable<Uint8Array>, size: number): Promise<void>
  close(): Promise<void>
}

async function filesOf(config: Config): Promise<FilesIn> {
  const folder = join(config.POSTHORN_DATA, 'media')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const drafts = await Drafts.open(join(folder, 'drafts'))
  const store = await openBytes(config, join(folder, 'files'))
  return {
    async put(id, bytes, size) {
      const draft = await drafts.receive(bytes, size)
      await store.put(id, draft)
    },
    close: () => store.close(),
  }
}

async function openBytes(config: Config, folder: string): Promise<MediaStore> {
  if (mediaPlace(config) === 'files') return openFileMedia(folder)
  const { openPostgresMedia } = await import('../media/store/postgres.ts')
  return openPostgresMedia(config.POSTHORN_DATABASE_URL as string)
}

/** Moves the store into place, the last step. A previous store keeps all of its files, under another name. */
async function putInPlace(folder: string, building: string): Promise<string | undefined> {
  const database = join(folder, 'posthorn.db')
  const aside = existsSync(database) ? `${database}.before-${Date.now()}` : undefined
  for (const suffix of ['-shm', '-wal', '']) {
    if (aside && existsSync(`${database}${suffix}`)) await rename(`${database}${suffix}`, `${aside}${suffix}`)
    else await rm(`${database}${suffix}`, { force: true })
  }
  await rename(join(building, 'posthorn.db'), database)
  await syncNames(folder)
  await rm(building, { recursive: true, force: true })
  return aside
}
