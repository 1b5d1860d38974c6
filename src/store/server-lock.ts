import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Held by the one server of a data folder for as long as it runs. */
export interface ServerLock {
  release(): void
}

/** Another server runs on this data folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
}

/**
 * Takes the data folder for this server. The lock is an exclusive SQLite transaction on a file of its own: the operating
 * system gives it back when the process ends, however it ends, and it works alike on every platform.
 */
export function lockDataFolder(folder: string): ServerLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // SQLite would not say why it cannot open its file.
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  const database = new DatabaseSync(join(folder, 'server.lock'))
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw new DataFolderInUse(
      `another Posthorn server is running on the data folder ${folder}; stop it first, or give this one a folder of its own with POSTHORN_DATA`,
      { cause: error },
    )
  }
  return { release: () => database.close() }
}
