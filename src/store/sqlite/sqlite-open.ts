import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../store.ts'

/** Opens the file with the settings that durability depends on, and makes sure that they took effect. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA busy_timeout = 5000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = 1;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16000;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
  `)
  const synchronous = database.prepare('PRAGMA synchronous').get() as { synchronous: number }
  const journal = database.prepare('PRAGMA journal_mode').get() as { journal_mode: string }
  if (synchronous.synchronous !== 2 || journal.journal_mode !== 'wal') {
    throw new Error(
      `SQLite did not take synchronous=FULL and journal_mode=WAL for ${file}; use a local disk, not a network file system`,
    )
  }
  return database
}

/**
 * Opens the file for reading, beside the connection that writes to it. Throws if it is no longer the file with this identity, which
 * that connection has open.
 */
export function openReader(file: string, identity: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec(`
    PRAGMA busy_timeout = 1000;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -4000;
  `)
  // The log is opened with the first read, and must be that of the same file.
  database.exec('SELECT count(*) FROM sqlite_schema')
  if (identityOf(file) === identity) return database
  database.close()
  throw replaced(file)
}

const busy = 5

/**
 * Makes sure that no other process has the file open, and that no other process can succeed in this while the connection lives.
 * In WAL mode each open connection holds a shared lock on the file itself. It is made exclusive for a moment and then
 * shared again without a gap, so other programs can read and write beside it, but no second server starts.
 */
export function holdAlone(database: DatabaseSync, file: string): void {
  // The write-ahead log must be open first: otherwise SQLite could not leave the exclusive mode.
  database.exec('SELECT count(*) FROM sqlite_schema')
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT')
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new StoreUnavailable(
      `another program has ${file} open, perhaps another Posthorn server or a command that works on the store; stop it, or wait until it has finished`,
      { cause: error },
    )
  }
  // The exclusive lock is released when the next transaction ends.
  database.exec('PRAGMA locking_mode = NORMAL; BEGIN; SELECT count(*) FROM sqlite_schema; COMMIT')
}

/** The files of an open database, and their identity when it was opened. */
export class OpenFiles {
  readonly #opened: ReadonlyMap<string, string>

  constructor(file: string) {
    this.#opened = new Map([file, `${file}-wal`, `${file}-shm`].map((path) => [path, identityOf(path)]))
  }

  /** A text that distinguishes the file from any other. */
  get identity(): string {
    return [...this.#opened.values()][0] as string
  }

  /** Throws if one of them was removed or replaced: data written then would be lost at the next start. */
  refuseReplaced(): void {
    for (const [path, identity] of this.#opened) {
      if (identityOf(path) !== identity) throw replaced(path)
    }
  }
}

function replaced(path: string): StoreUnavailable {
  const message = `${path} was removed or replaced while this server has it open`
  return new StoreUnavailable(message, { failure: 'replaced' })
}

function identityOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.dev} ${stats.ino}` : 'none'
}
