import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import {
  DummyDriver,
  Kysely,
  type LimitNode,
  sql as raw,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { asError, type Boundary, type CallResult, commitTogether, groupResult } from '../commit.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Schema } from '../schema.ts'
import { type Executor, StoreSession } from '../session.ts'
import {
  type Dialect,
  type FunctionsByName,
  functionsByName,
  readBudget,
  type StoreFunctions,
  StoreUnavailable,
} from '../store.ts'
import { serveCalls, type ThreadService } from '../thread/serve.ts'
import type { NamedCall } from '../thread/store-worker.ts'
import { holdAlone, OpenFiles, openDatabase, openReader } from './sqlite-open.ts'

/** The file that a thread has to open: to write to it, or to read from it if it is still the one that is written to. */
export type SqliteTask =
  | { readonly file: string; readonly alone: boolean; readonly schema: readonly string[] | undefined }
  | { readonly file: string; readonly identity: string }

/** Properties of SQLite in which databases differ. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  sequence: 'integer',
  bytes: 'blob',
  now: raw<number>`cast(unixepoch('subsec') * 1000 as integer)`,
}

/**
 * SQLite looks at the value of a bound limit while it plans, and so plans anew at every execution, which takes longer than
 * most of our statements. A limit that is computed is not looked at.
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit cast(')
    this.visitNode(limit)
    this.append(' as integer)')
  }
}

/** Builds SQL for SQLite. */
export const sqliteSql = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  },
})

/**
 * Serves the store on this thread: opens the file, to write or to read as its task says, then performs the groups that the main
 * thread sends. A thread serves exactly one store, and ends when the main thread orders it.
 */
export async function serveSqliteStore(functions: StoreFunctions): Promise<void> {
  const task = workerData as SqliteTask
  const byName = functionsByName(functions)
  serveCalls('identity' in task ? readerOf(task, byName) : await writerOf(task, byName))
}

/** Opens and migrates the file. */
async function writerOf(
  { file, alone, schema }: Extract<SqliteTask, { alone: boolean }>,
  functions: FunctionsByName,
): Promise<ThreadService> {
  const database = openDatabase(file)
  if (alone) holdAlone(database, file)
  const execute = executor(database)
  const session = new StoreSession(sqliteSql, sqliteDialect, execute)
  database.exec('BEGIN IMMEDIATE')
  await migrate(session, schema)
  database.exec('COMMIT')
  const files = new OpenFiles(file)
  const boundary = boundaryOf(database, execute, files)
  return {
    identity: files.identity,
    perform(group, { isRead = false }) {
      if (isRead) return groupResult(group.length, () => readGroup(execute, session, group, functions))
      const calls = group.map(({ name, args }) => ({ transaction: functions.transaction(name), args }))
      return groupResult(group.length, () => commitTogether(boundary, session, calls))
    },
    close: () => database.close(),
  }
}

function readerOf(
  { file, identity }: Extract<SqliteTask, { identity: string }>,
  functions: FunctionsByName,
): ThreadService {
  const database = openReader(file, identity)
  const execute = executor(database)
  const session = new StoreSession(sqliteSql, sqliteDialect, execute)
  return {
    identity,
    perform: (group) => groupResult(group.length, () => readGroup(execute, session, group, functions)),
    close: () => database.close(),
  }
}

/** Number of prepared statements that are kept; lists with filters make a few dozen different ones. */
const keptStatements = 256

function executor(
  database: DatabaseSync,
): Executor & { run(text: string, parameters: readonly unknown[]): number } {
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const known = prepared.get(text)
    if (known) return known
    const fresh = database.prepare(text)
    if (prepared.size >= keptStatements) prepared.delete(prepared.keys().next().value as string)
    prepared.set(text, fresh)
    return fresh
  }
  const executing = <R>(execute: () => R): R => {
    try {
      return execute()
    } catch (error) {
      throw classified(error)
    }
  }
  return {
    all: (text, parameters) => executing(() => prepare(text).all(...(parameters as never[]))),
    run: (text, parameters) => executing(() => Number(prepare(text).run(...(parameters as never[])).changes)),
  }
}

/** Milliseconds that a write waits, and the thread with it, while another program holds the lock of the file. */
const lockTimeout = 1_000
/**
 * Milliseconds that a write waits once the lock was held for that long, so that the writes after it do not each wait as
 * long.
 */
const shortLockTimeout = 50

function boundaryOf(
  database: DatabaseSync,
  execute: ReturnType<typeof executor>,
  files: OpenFiles,
): Boundary {
  const word = (text: string) => void execute.run(text, [])
  let waits = 0
  const wait = (milliseconds: number) => {
    if (milliseconds !== waits) database.exec(`PRAGMA busy_timeout = ${milliseconds}`)
    waits = milliseconds
  }
  wait(lockTimeout)
  return {
    word,
    begin() {
      files.refuseReplaced()
      try {
        word('BEGIN IMMEDIATE')
        wait(lockTimeout)
      } catch (error) {
        wait(shortLockTimeout)
        throw error
      }
    },
    commit() {
      word('COMMIT')
      // A replaced file is never found again, so what was written to it is lost.
      files.refuseReplaced()
    },
    // If the disk is full, SQLite may have undone everything by itself.
    rollback: () => (database.isTransaction ? database.exec('ROLLBACK') : undefined),
  }
}

/** Performs reads on one committed state, regardless of writes meanwhile, until their time is over. */
async function readGroup(
  execute: ReturnType<typeof executor>,
  session: StoreSession,
  group: readonly NamedCall[],
  functions: FunctionsByName,
): Promise<(CallResult | null)[]> {
  const answers: (CallResult | null)[] = group.map(() => null)
  const begun = performance.now()
  execute.run('BEGIN', [])
  let now = begun
  for (const [index, { name, args }] of group.entries()) {
    if (index > 0 && now - begun >= readBudget) break
    const { run } = functions.read(name)
    const answer = await session.transact(run, args).catch((error) => ({ error: asError(error) }))
    const end = performance.now()
    answers[index] = { ...answer, cost: end - now }
    now = end
  }
  execute.run('ROLLBACK', [])
  return answers
}

const sqliteFull = 13
/** A page that is not what it should be, and a file that is no database. */
const sqliteCorrupt = new Set([11, 26])

/** SQLite's primary codes for our own mistakes: wrong SQL, too big, a constraint, a mismatch, misuse, out of range. */
const faultCodes = new Set([1, 18, 19, 20, 21, 25])

/** Any other error of SQLite is about the disk, the file, or another process that holds it. */
function classified(error: unknown): unknown {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number }
  const primary = (errcode ?? 0) & 0xff
  if (code !== 'ERR_SQLITE_ERROR' || faultCodes.has(primary)) return error
  const failure = sqliteCorrupt.has(primary) ? 'corrupt' : primary === sqliteFull ? 'full' : 'away'
  return new StoreUnavailable(message, { cause: error, failure })
}
