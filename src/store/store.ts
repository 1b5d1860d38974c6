import type { RawBuilder } from 'kysely'
import type { Compilable, SetStatement, Sql, Statement } from './statement.ts'

/** Reads. The type of its first parameter says what a function may do: a `Reader` cannot write. */
export interface Reader {
  readonly sql: Sql
  readonly dialect: Dialect
  all<Row>(query: Compilable<Row>): Promise<Row[]>
  all<A, Row>(statement: Statement<A, Row>, args: A): Promise<Row[]>
  first<Row>(query: Compilable<Row>): Promise<Row | undefined>
  first<A, Row>(statement: Statement<A, Row>, args: A): Promise<Row | undefined>
  /** The rows that a statement finds for each row of a set, in no order. */
  allForEach<A, Row>(statement: SetStatement<A, Row>, rows: readonly A[]): Promise<Row[]>
}

/** Reads and writes, all or nothing. */
export interface Transaction extends Reader {
  /** Executes a statement that returns no rows, and returns how many rows it changed. */
  run(query: Compilable<unknown>): Promise<number>
  run<A>(statement: Statement<A, unknown>, args: A): Promise<number>
  /** Executes a statement for each row of a set, and returns how many rows it changed. */
  runForEach<A>(statement: SetStatement<A, unknown>, rows: readonly A[]): Promise<number>
  /**
   * Executes a statement for each row of a set, and does not wait for it: what is asked next is sent behind it, and sees what it
   * wrote. If it fails, the function fails.
   */
  sendForEach<A>(statement: SetStatement<A, unknown>, rows: readonly A[]): void
  /**
   * Wakes its listeners in this process after the commit; see `onCommit`. It saves them polling, and may be lost: only the
   * store is the truth.
   */
  announce(topic: string): void
}

/**
 * Waits for statements that are sent together, so that they take one round trip: for all of them, also if one fails, so that none
 * is sent after its transaction was undone.
 */
export async function sentTogether<const P extends readonly Promise<unknown>[]>(
  statements: P,
): Promise<{ -readonly [K in keyof P]: Awaited<P[K]> }> {
  await Promise.allSettled(statements)
  return await Promise.all(statements)
}

/** The few differences between the SQL of the databases. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** The column type of an ascending integer key that the database assigns. */
  readonly sequence: 'integer' | 'bigserial'
  readonly bytes: 'blob' | 'bytea'
  /** The database's own time, in milliseconds since the epoch: the one clock that all nodes share. */
  readonly now: RawBuilder<number>
}

/**
 * A transaction, or a read, as a value: a named function over plain arguments that does no input or output of its own, so
 * that it can run where the store lives. It returns refusals; anything that it throws is a fault and rolls back.
 */
export interface StoreFunction<Context, A, R> {
  readonly name: string
  readonly run: (context: Context, args: A) => Promise<R>
}

export interface ReadFunction<A, R> extends StoreFunction<Reader, A, R> {
  /** It finds a few rows by an index, however large the store is, so that a transaction may wait for it. */
  readonly isBrief?: boolean
}

export interface TransactionFunction<A, R> extends StoreFunction<Transaction, A, R> {
  /** Performs the calls of one moment at once, if it can; the results are in the order of the calls. */
  readonly runTogether?: RunTogether<A, R>
  /** True if a call is performed after those that came before it, except those of transactions that keep no order. */
  readonly keepsOrder?: boolean
  /**
   * Returns the amount of work in a call, compared with others that are performed together with it; 1 without. At least 1.
   */
  readonly weigh?: (args: A) => number
  /** Says what a call changes if the turn that it takes does not: a turn of an organization says that it is its rows. */
  readonly touches?: (args: A) => Touched
  /** Returns true if these arguments, and the result, are JSON: text crosses to a thread for a third of what other values cost. */
  readonly isJson?: (args: A) => boolean
  /** True if the store adds to the arguments whose turn a call takes: its arguments are `OfTurn`. */
  readonly isToldTurn?: boolean
}

/**
 * The arguments of a transaction that names an instance or a message by its id alone: the turn says of which organization that must be,
 * as the caller that has the turn did not choose it.
 */
export interface OfTurn {
  /** Undefined in a turn of the server, which may be about any organization. */
  readonly turn?: string | undefined
}

/** True if something is of another organization than the one whose turn a call takes: to that call it is as if it were not there. */
export function isForeign({ turn }: OfTurn, organization: string): boolean {
  return turn !== undefined && turn !== organization
}

/**
 * What a call reads in order to change it: the rows of these organizations, or of all. Nothing else changes them meanwhile, on
 * whichever node.
 */
export type Touched = readonly string[] | 'all'

/** Of a transaction that changes nothing about organizations, or what others change at the same time as well. */
export const touchesNothing = (): Touched => []

export type RunTogether<A, R> = (tx: Transaction, calls: readonly A[]) => Promise<R[]>

/** Every function that a store offers, by the name that crosses to its thread. */
export interface StoreFunctions {
  readonly reads: readonly ReadFunction<never, unknown>[]
  readonly transactions: readonly TransactionFunction<never, unknown>[]
  readonly fence?: Fence
}

/**
 * The beginning of every group of transactions in a store that other processes may write to: throws `LeaseTaken` if this
 * process no longer runs its node, which undoes the group.
 */
export type Fence = (tx: Transaction, node: NodeBoot) => Promise<void>

/** The node that a process runs, and the name of the process. */
export interface NodeBoot {
  readonly id: string
  readonly boot: string
}

/**
 * The functions of a store by name, for callers that perform them without knowing their arguments. A call of one that the store does
 * not have fails.
 */
export interface FunctionsByName {
  read(name: string): ReadFunction<unknown, unknown>
  transaction(name: string): TransactionFunction<unknown, unknown>
}

export function functionsByName({ reads, transactions }: StoreFunctions): FunctionsByName {
  const byName = <F extends StoreFunction<never, never, unknown>>(functions: readonly F[]) => {
    const known = new Map(functions.map((one) => [one.name, one]))
    return (name: string): F => {
      const run = () => Promise.reject(new Error(`the store has no function ${name}`))
      return known.get(name) ?? ({ name, run } as unknown as F)
    }
  }
  return { read: byName(reads), transaction: byName(transactions) } as unknown as FunctionsByName
}

export function transaction<A, R>(
  name: string,
  run: (tx: Transaction, args: A) => Promise<R>,
  options: Pick<TransactionFunction<A, R>, 'touches' | 'isToldTurn'> = {},
): TransactionFunction<A, R> {
  return { name, run, ...options }
}

/**
 * Makes a transaction that performs all its calls of one moment at once, so that they take a few statements, however many
 * calls there are. The outcome is as if they had been performed one after the other. The time that they took is shared among
 * them by what they weigh. Other calls may come between them if it `keepsOrder`; if not, it is as if all had come with the first.
 */
export function transactionOfMany<A, R>(
  name: string,
  runTogether: RunTogether<A, R>,
  {
    weigh = () => 1,
    isJson = () => false,
    keepsOrder = false,
    ...others
  }: Pick<TransactionFunction<A, R>, 'weigh' | 'isJson' | 'keepsOrder' | 'touches' | 'isToldTurn'> = {},
): TransactionFunction<A, R> {
  const run = async (tx: Transaction, args: A) => (await runTogether(tx, [args]))[0] as R
  return { name, run, runTogether, weigh, isJson, keepsOrder, ...others }
}

export function read<A, R>(name: string, run: (reader: Reader, args: A) => Promise<R>): ReadFunction<A, R> {
  return { name, run }
}

/** Makes a read that may be performed on the thread that writes: of a few rows, found by an index. */
export function briefRead<A, R>(
  name: string,
  run: (reader: Reader, args: A) => Promise<R>,
): ReadFunction<A, R> {
  return { name, run, isBrief: true }
}

export type OnCommit = (transactions: number, announced: readonly string[]) => void

/** The party whose turn a call takes. Parties take turns at the store, weighted by the time that their calls take. */
export interface Turn {
  /** The id of an organization, or the name of a part of the server that works for all of them. */
  readonly party: string
  /** Aborted if the caller has gone: a read whose turn has not come is then dropped. */
  readonly signal?: { readonly aborted: boolean } | undefined
}

/** True if a party is an organization, and no part of the server. */
export function isOrganization(party: string): boolean {
  return party.startsWith('org_')
}

/** The caller had gone before the turn of its call came: nothing was done. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'

  constructor() {
    super('the caller has gone')
  }
}

/** Milliseconds for which reads share a snapshot: while one is held, the log of the database cannot be emptied. */
export const readBudget = 10

/** The turn of a call that names no party: of a process that works for no party in particular, such as a command. */
export const serverTurn: Turn = { party: 'server' }

/** Numbers of calls that wait, by kind. */
export type WaitingCalls = Readonly<Record<'read' | 'transaction', number>>

/**
 * The storage of Posthorn, as those have it who work for more than one party: each call says whose turn it takes. The calls are
 * properties, because TypeScript compares the parameters of methods less strictly: this must not pass for a `Store`.
 */
export interface StoreForAll {
  readonly dialect: Dialect['name']
  /** Runs a read on a committed state, which has everything whose commit was told before. Reads do not wait for transactions. */
  readonly read: <A, R>(query: ReadFunction<A, R>, args: A, turn: Turn) => Promise<R>
  /**
   * Runs a transaction and resolves after its commit is on disk. Transactions of one moment share a commit. Those of one
   * party are performed in the order in which they were asked for. Rejects with `StoreUnavailable` if the store could not do
   * it, or if the connection was lost during the commit. It is not known then whether it is done: a repetition must expect
   * that it is.
   */
  readonly transact: <A, R>(transaction: TransactionFunction<A, R>, args: A, turn: Turn) => Promise<R>
  /** Returns the numbers of calls that wait for their turn. */
  waiting?(): WaitingCalls
  /** Called after each commit with the number of transactions that shared it, and what they announced. */
  onCommit?: OnCommit
  /** Called once if the store is lost for good, so that the process had better end. */
  onLost?: (cause: Error) => void
  close(): Promise<void>
}

/** The same for one party, whose turn a call takes that names no other. In a server, `TurnsOf` makes it. */
export interface Store extends StoreForAll {
  readonly read: <A, R>(query: ReadFunction<A, R>, args: A, turn?: Turn) => Promise<R>
  readonly transact: <A, R>(transaction: TransactionFunction<A, R>, args: A, turn?: Turn) => Promise<R>
}

/** A store that other processes may write to at the same time. */
export interface SharedStore extends StoreForAll {
  /** The node that this process runs: if set, every group of transactions begins with the fence for it. */
  node?: NodeBoot
}

/**
 * The reason why a store cannot do its work: it is `full`, and nothing was stored; its data is `corrupt`; its file was
 * `replaced` under the running server; or it is `away` for any other reason, which may pass.
 */
export type StoreFailure = 'away' | 'full' | 'corrupt' | 'replaced'

/** The store failed, or does not know whether it succeeded. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly failure: StoreFailure

  constructor(message: string, options: { cause?: unknown; full?: boolean; failure?: StoreFailure } = {}) {
    super(message, { cause: options.cause })
    this.failure = options.failure ?? (options.full ? 'full' : 'away')
  }

  /** The store is out of space, and stored nothing. */
  get full(): boolean {
    return this.failure === 'full'
  }
}

/** This process no longer runs its node, so nothing was written. */
export class LeaseTaken extends StoreUnavailable {}
