import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import {
  DummyDriver,
  Kysely,
  type LimitNode,
  sql as raw,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { announcedBy, asError, type Boundary, type Call, commitTogether, committed } from '../commit.ts'
import { migrate } from '../migrate.ts'
import type { Schema } from '../schema.ts'
import { type Executor, Session } from '../session.ts'
import {
  type Dialect,
  type FunctionsByName,
  functionsByName,
  type ReadFunction,
  type StoreFunctions,
  StoreUnavailable,
} from '../store.ts'
import {
  crossingFault,
  type ThreadAnswer,
  type ThreadAnswers,
  type ThreadOrder,
  type ThreadReport,
  type ThreadTask,
} from './sqlite.ts'
import { holdAlone, OpenFiles, openDatabase } from './sqlite-open.ts'

/** What is different about SQLite. */
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

type NamedCall = { readonly name: string; readonly args: unknown }

/**
 * Serves the store on this thread: opens and migrates the file, then performs the groups that the main thread sends. A thread
 * serves exactly one store, and ends when the main thread orders it.
 */
export async function serveSqliteStore(functions: StoreFunctions): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('the store must run on a thread of its own')
  const { file, alone, schema } = workerData as ThreadTask
  const database = openDatabase(file)
  if (alone) holdAlone(database, file)
  const execute = executor(database)
  const session = new Session(sqliteSql, sqliteDialect, execute)
  database.exec('BEGIN IMMEDIATE')
  await migrate(session, schema)
  database.exec('COMMIT')
  const files = new OpenFiles(file)
  const byName = functionsByName(functions)
  const boundary = boundaryOf(database, execute, files)
  port.on('message', async (order: ThreadOrder) => {
    if ('end' in order) {
      database.close()
      port.postMessage({ ended: true } satisfies ThreadReport)
      return port.close()
    }
    report(port, await performGroup(boundary, session, order.group, byName))
  })
  port.postMessage({ ready: true } satisfies ThreadReport)
}

/** Sends the answers. A result that cannot cross to the main thread is the fault of the function that returned it. */
function report(port: MessagePort, performed: ThreadAnswers): void {
  try {
    port.postMessage(performed satisfies ThreadReport)
  } catch {
    const crossing = performed.answers.map((answer) => {
      const fault = crossingFault(answer)
      return fault ? faultOf(fault) : answer
    })
    port.postMessage({ ...performed, answers: crossing } satisfies ThreadReport)
  }
}

/** How many prepared statements are kept; lists with filters make a few dozen different ones. */
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

/** How long a write waits, and the thread with it, while another program holds the lock of the file; in milliseconds. */
const lockTimeout = 1_000
/** How long a write waits once the lock was held for that long, so that the writes after it do not each wait as long. */
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
      // Nobody finds a replaced file again, so what was written to it is lost.
      files.refuseReplaced()
    },
    // If the disk is full, SQLite may have undone everything by itself.
    rollback: () => (database.isTransaction ? database.exec('ROLLBACK') : undefined),
  }
}

/** Reads first, on what is committed; then all transactions under one commit. */
async function performGroup(
  boundary: Boundary,
  session: Session,
  group: readonly NamedCall[],
  functions: FunctionsByName,
): Promise<ThreadAnswers> {
  const answers: ThreadAnswer[] = new Array(group.length)
  const reads: number[] = []
  const writes: number[] = []
  const calls: Call[] = []
  for (const [index, { name, args }] of group.entries()) {
    const transaction = functions.transactions.get(name)
    if (transaction) {
      writes.push(index)
      calls.push({ transaction, args })
    } else if (functions.reads.has(name)) reads.push(index)
    else answers[index] = faultOf(new Error(`the store has no function ${name}`))
  }
  if (reads.length > 0) {
    boundary.word('BEGIN')
    for (const index of reads) answers[index] = await readOne(session, group[index] as NamedCall, functions)
    await boundary.rollback()
  }
  if (writes.length === 0) return { answers, committed: 0, announced: [] }
  try {
    const outcomes = await commitTogether(boundary, session, calls)
    for (const [order, outcome] of outcomes.entries())
      answers[writes[order] as number] =
        'error' in outcome ? faultOf(outcome.error) : { value: outcome.value }
    return { answers, committed: committed(outcomes), announced: announcedBy(outcomes) }
  } catch (error) {
    for (const index of writes) answers[index] = faultOf(error)
    return { answers, committed: 0, announced: [] }
  }
}

/** Performs a read in the transaction of all reads of a moment, which see one state whatever another process writes. */
async function readOne(
  session: Session,
  { name, args }: NamedCall,
  { reads }: FunctionsByName,
): Promise<ThreadAnswer> {
  try {
    const { run } = reads.get(name) as ReadFunction<unknown, unknown>
    return { value: await session.perform(run, args) }
  } catch (error) {
    return faultOf(error)
  }
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

function faultOf(thrown: unknown): ThreadAnswer {
  const error = asError(thrown)
  const { message, stack } = error
  if (error instanceof StoreUnavailable) return { fault: { message, kind: error.failure } }
  return { fault: { message, kind: 'fault', ...(stack ? { stack } : {}) } }
}
