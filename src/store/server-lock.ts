import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../runtime/system/make-folder.ts'
import { refuseLostFolder } from './data-volume.ts'

/** The lock on a data folder, which its server holds for as long as it runs. */
export interface ServerLock {
  release(): void
}

/** Another server runs on this data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
}

/**
 * Locks the data folder for this server. The lock is an exclusive SQLite transaction on a file of its own: the operating
 * system releases it when the process ends, however it ends, and it works the same way on every platform.
 */
export function lockDataFolder(folder: string): ServerLock {
  refuseLostFolder(folder)
  makeFolder(folder)
  // SQLite does not say why it cannot open a file; this does.
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  const database = new DatabaseSync(join(folder, 'server.lock'))
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw new DataFolderInUse(
      `another Posthorn server is running on the data folder ${folder}; stop it first, or set POSTHORN_DATA to another folder`,
      { cause: error },
    )
  }
  return { release: () => database.close() }
}
