import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { migrate } from './migrate.ts'
import type { Schema } from './schema.ts'
import { type Executor, Session } from './session.ts'
import { sqliteDialect, type ThreadAnswer, type ThreadOrder, type ThreadReport } from './sqlite.ts'
import type { Reader, StoreFunctions, Transaction } from './store.ts'

const sqliteSql = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

type Call = { readonly name: string; readonly args: unknown }
type Run = (context: Transaction & Reader, args: unknown) => Promise<unknown>

/**
 * Serves the store on this thread: opens and migrates the file, then performs the groups that the main thread sends.
 * A thread serves exactly one store and ends when told to.
 */
export async function serveSqliteStore(functions: StoreFunctions): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('the store must run on a thread of its own')
  const database = openDatabase((workerData as { file: string }).file)
  const session = new Session(sqliteSql, sqliteDialect, executor(database))
  database.exec('BEGIN IMMEDIATE')
  await migrate(session)
  database.exec('COMMIT')
  const reads = new Map(functions.reads.map(({ name, run }) => [name, run as unknown as Run]))
  const transactions = new Map(functions.transactions.map(({ name, run }) => [name, run as unknown as Run]))
  const answer = (report: ThreadReport) => port.postMessage(report)
  port.on('message', async (order: ThreadOrder) => {
    if ('end' in order) {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
      port.close()
      return answer({ ended: true })
    }
    answer(await performGroup(database, session, order.group, reads, transactions))
  })
  answer({ ready: true })
}

/** Opens the file with the settings that the first promise rests on, and makes sure that they took effect. */
function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA busy_timeout = 5000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = 1;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -32000;
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

/** How many prepared statements are kept; lists with filters make a few dozen different ones. */
const keptStatements = 256

function executor(database: DatabaseSync): Executor {
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const known = prepared.get(text)
    if (known) return known
    const fresh = database.prepare(text)
    if (prepared.size >= keptStatements) prepared.delete(prepared.keys().next().value as string)
    prepared.set(text, fresh)
    return fresh
  }
  return {
    all: (text, parameters) => prepare(text).all(...(parameters as never[])),
    run: (text, parameters) => Number(prepare(text).run(...(parameters as never[])).changes),
  }
}

/** Reads first, on what is committed; then all transactions under one commit. */
async function performGroup(
  database: DatabaseSync,
  session: Session,
  group: readonly Call[],
  reads: ReadonlyMap<string, Run>,
  transactions: ReadonlyMap<string, Run>,
): Promise<{ answers: ThreadAnswer[]; committed: number }> {
  const answers: ThreadAnswer[] = new Array(group.length)
  const writes: number[] = []
  for (const [index, { name, args }] of group.entries()) {
    const read = reads.get(name)
    if (read) answers[index] = await answerOf(() => read(session, args))
    else writes.push(index)
  }
  if (writes.length === 0) return { answers, committed: 0 }
  const perform = (index: number) => {
    const { name, args } = group[index] as Call
    const run = transactions.get(name)
    if (!run) throw new Error(`the store has no function ${name}`)
    return run(session, args)
  }
  return { answers, committed: await commitGroup(database, writes, perform, answers) }
}

/** A group that fails is undone and done again one by one, so that only the call at fault fails. */
async function commitGroup(
  database: DatabaseSync,
  writes: readonly number[],
  perform: (index: number) => Promise<unknown>,
  answers: ThreadAnswer[],
): Promise<number> {
  try {
    database.exec('BEGIN IMMEDIATE')
    for (const index of writes) answers[index] = { value: await perform(index) }
    database.exec('COMMIT')
    return writes.length
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    const [only, ...others] = writes
    if (others.length === 0) {
      answers[only as number] = fault(error)
      return 0
    }
    let committed = 0
    for (const index of writes) committed += await commitGroup(database, [index], perform, answers)
    return committed
  }
}

async function answerOf(run: () => Promise<unknown>): Promise<ThreadAnswer> {
  try {
    return { value: await run() }
  } catch (error) {
    return fault(error)
  }
}

const sqliteFull = 13

function fault(error: unknown): ThreadAnswer {
  const { message, stack, code, errcode } = error as Error & { code?: string; errcode?: number }
  const fromSqlite = code === 'ERR_SQLITE_ERROR'
  // A constraint (19) or a wrong statement (1) is our mistake; everything else that SQLite reports is the disk or the file.
  const primary = (errcode ?? 0) & 0xff
  const kind =
    !fromSqlite || primary === 19 || primary === 1 ? 'fault' : primary === sqliteFull ? 'full' : 'unavailable'
  return { fault: { message, kind, ...(stack ? { stack } : {}) } }
}
