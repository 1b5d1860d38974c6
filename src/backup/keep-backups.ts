import { lstat, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncNames } from '../media/store/disk.ts'
import type { Config } from '../runtime/config/config.ts'
import { checkBackup } from './check-backup.ts'
import {
  BackupBroken,
  type BackupHeader,
  backupName,
  entriesOf,
  headerIn,
  headerName,
  type OnProgress,
  wholeOf,
} from './format.ts'
import { type Written, writeBackup } from './write-backup.ts'

/** Leftovers of a backup that was interrupted, or not found complete. */
const leftoverName = /^posthorn-\d{8}T\d{6}Z\.tar\.unverified(?:\.\d+\.part)?$/
/** Milliseconds after which a leftover is no backup that is still being written. */
const leftoverAge = 86_400_000

/** The backup that was written into a folder, and the older ones that were removed for it. */
export interface Kept extends Written {
  readonly file: string
  readonly removed: readonly string[]
}

export interface KeepOptions {
  readonly folder: string
  /** Number of backups of this store that stay in the folder, with the new one. */
  readonly keep: number
  readonly now: Date
  readonly onWriting: OnProgress
  readonly onChecking: OnProgress
}

/**
 * Writes a backup into a folder, reads it from end to end, and gives it its name. Only then it removes older backups of the same
 * store, and nothing else but leftovers of its own. Throws `BackupBroken` if the folder is missing or the backup is not complete.
 */
export async function keepBackups(config: Config, options: KeepOptions): Promise<Kept> {
  const { folder, keep, now } = options
  await refuseOtherThanFolder(folder)
  const name = `posthorn-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar`
  const file = join(folder, name)
  if ((await readdir(folder)).includes(name))
    throw new BackupBroken(`${file} already exists; run the command again a second later`)
  const unverified = `${file}.unverified`
  const written = await writeBackup(config, unverified, options.onWriting)
  try {
    await checkBackup(unverified, options.onChecking)
  } catch (error) {
    await rm(unverified, { force: true })
    throw new BackupBroken(`${(error as Error).message}; it was removed, and no older backup was`)
  }
  await rename(unverified, file)
  await syncNames(folder)
  const older = (await backupsOf(folder, written.header)).filter((other) => other !== name)
  const removed = older.slice(0, Math.max(0, older.length - (keep - 1)))
  for (const other of [...removed, ...(await leftoversIn(folder, now))]) await rm(join(folder, other))
  return { ...written, file, removed: removed.map((other) => join(folder, other)) }
}

/** Never makes the folder: it may be missing because its disk is not mounted. */
async function refuseOtherThanFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory())
    throw new BackupBroken(
      `${folder} is not a folder; with --keep, give one that exists, such as a mounted disk`,
    )
}

/** Returns the names of the backups of the same store, from the oldest. */
async function backupsOf(folder: string, { store }: BackupHeader): Promise<string[]> {
  const named = (await readdir(folder)).filter((name) => backupName.test(name)).sort()
  const own: string[] = []
  for (const name of named) if ((await storeIn(join(folder, name))) === store) own.push(name)
  return own
}

/** Returns the store that a backup is of; undefined if the file is none. */
async function storeIn(file: string): Promise<string | undefined> {
  if (!(await lstat(file)).isFile()) return undefined
  try {
    for await (const { name, bytes } of entriesOf(file, () => {}))
      return name === headerName ? headerIn(file, name, await wholeOf(bytes)).store : undefined
  } catch (error) {
    if (!(error instanceof BackupBroken)) throw error
  }
  return undefined
}

async function leftoversIn(folder: string, now: Date): Promise<string[]> {
  const old: string[] = []
  for (const name of (await readdir(folder)).filter((entry) => leftoverName.test(entry))) {
    const found = await lstat(join(folder, name)).catch(() => undefined)
    if (found?.isFile() && now.getTime() - found.mtimeMs > leftoverAge) old.push(name)
  }
  return old
}
