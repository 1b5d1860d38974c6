import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../runtime/system/make-folder.ts'
import { refuseLostFolder } from './data-volume.ts'

/** The code of SQLite for a file that another connection has locked (https://www.sqlite.org/rescode.html#busy). */
const busy = 5

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

/** True if a server runs on the data folder. Asks for a shared lock, which the server's exclusive lock refuses. */
export function isServerRunning(folder: string): boolean {
  const file = join(folder, 'server.lock')
  if (!existsSync(file)) return false
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 0; SELECT count(*) FROM sqlite_schema')
    return false
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return true
    throw error
  } finally {
    database.close()
  }
}
