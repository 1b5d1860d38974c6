import { hash } from 'node:crypto'
import type { CompiledQuery, Expression, Kysely, KyselyPlugin, RawNode } from 'kysely'
import { type RowOf, type Schema, tables } from './schema.ts'
import { type Columns, type ColumnType, typesOf } from './tables/columns.ts'

/** Builds SQL for the database at hand; it never executes anything by itself. */
export type Sql = Kysely<Schema>

/** Anything that Kysely can compile, with the type of its rows. */
export interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

/**
 * The condition of the index by which the oldest messages of an instance are found in the outbox. Every message has a number above
 * zero; but without it a planner that has no statistics would take that index for the lanes of an instance, too, and read its
 * whole queue for each of them.
 */
export const oldestFirst: Expression<boolean> = rawSql('outbox.seq > 0')

/**
 * Makes the same as Kysely's `sql`; made here, so that a thread that only names statements need not load the code that
 * builds them.
 */
export function rawSql<T>(text: string): Expression<T> {
  const node: RawNode = { kind: 'RawNode', sqlFragments: [text], parameters: [] }
  return { expressionType: undefined, toOperationNode: () => node }
}

/** True of rows of the organization whose turn it is, and without one of all. */
export function ofTurn(turn: string | null): Expression<boolean> {
  // While a statement is compiled, its arguments are expressions, or placeholders.
  const given = turn as unknown as Partial<Expression<string>>
  const parameter = given.toOperationNode?.() ?? { kind: 'ValueNode', value: turn }
  const node: RawNode = {
    kind: 'RawNode',
    sqlFragments: ['organization_id = coalesce(', ', organization_id)'],
    parameters: [parameter],
  }
  return { expressionType: undefined, toOperationNode: () => node }
}

export type Value = string | number | bigint | Uint8Array | null

/** Stands for an argument while a statement is being compiled. */
export class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Names an argument of a statement, typed as the value that it will have. */
export type Argument<A> = <K extends keyof A & string>(name: K) => A[K]

/**
 * A statement that is compiled once for each database and executed often. Compiling with Kysely costs more than executing a
 * simple statement, so the paths that every message takes are written with this.
 */
export interface Statement<A, Row> {
  readonly build: (sql: Sql, argument: Argument<A>) => Compilable<Row>
}

/** Writes a statement: `statement<{ id: string }>()((sql, argument) => sql.selectFrom(…).where('id', '=', argument('id')))`. */
export function statement<A>() {
  return <Row>(build: (sql: Sql, argument: Argument<A>) => Compilable<Row>): Statement<A, Row> => ({ build })
}

/** A query that Kysely can still change before it is compiled. */
export interface UncompiledQuery<Row> extends Compilable<Row> {
  withPlugin(plugin: KyselyPlugin): Compilable<Row>
}

/**
 * A statement that is executed for each row of a set. PostgreSQL executes it once for all of them, so that a set takes one
 * round trip; SQLite, which has none, once for each. So no row may depend on what the statement does for another, and what is
 * returned stands in no order.
 */
export interface SetStatement<A, Row> {
  readonly columns: Readonly<Record<keyof A & string, ColumnType>>
  readonly build: (sql: Sql, given: Argument<A>) => UncompiledQuery<Row>
}

/** The rows of a batch whose columns have these types. */
export type RowsOf<C extends Readonly<Record<string, ColumnType>>> = {
  readonly [K in keyof C]: C[K] extends 'text' ? string : C[K] extends 'bytes' ? Uint8Array : number
}

/**
 * Writes a statement for sets: `batchStatement({ seq: 'bigint' })((sql, given) => sql.updateTable(…).where('seq', '=',
 * given('seq')))`. Rows whose values may be null, or only some words, are named: `batchStatement<Row>(…)`.
 */
export function batchStatement<const C extends Readonly<Record<string, ColumnType>>>(
  columns: C,
): <Row>(build: SetStatement<RowsOf<C>, Row>['build']) => SetStatement<RowsOf<C>, Row>
export function batchStatement<A>(
  columns: SetStatement<A, unknown>['columns'],
): <Row>(build: SetStatement<A, Row>['build']) => SetStatement<A, Row>
export function batchStatement<A>(columns: SetStatement<A, unknown>['columns']) {
  return <Row>(build: SetStatement<A, Row>['build']): SetStatement<A, Row> => ({ columns, build })
}

/** Writes a statement for sets whose rows have some columns of a table: `batchOf('media', ['id'])((sql, { id }) => …)`. */
export function batchOf<T extends keyof Schema, K extends keyof Schema[T] & keyof RowOf<T> & string>(
  table: T,
  columns: readonly K[],
) {
  type Given = Pick<RowOf<T>, K>
  return <Row>(build: (sql: Sql, row: Given) => UncompiledQuery<Row>): SetStatement<Given, Row> => ({
    columns: typesOf(tables[table] as Columns, columns) as SetStatement<Given, Row>['columns'],
    build: (sql, given) => build(sql, valuesOf(given, columns) as Given),
  })
}

/** The values of an insert or an update whose arguments are called like its columns. */
export function valuesOf<A, K extends keyof A & string>(argument: Argument<A>, names: readonly K[]) {
  return Object.fromEntries(names.map((name) => [name, argument(name)])) as Pick<A, K>
}

type Arguments = Readonly<Record<string, unknown>>

/** A statement ready for one database: its text, and how its parameters follow from the arguments. */
export interface Prepared {
  readonly sql: string
  /** Follows from the text, so that a connection that outlives a version of this code never takes one text for another. */
  readonly name: string
  parameters(args: Arguments): Value[]
}

/** The same for a set of rows: the parameters of each execution that it takes. */
export interface PreparedSet extends Omit<Prepared, 'parameters'> {
  executions(rows: readonly Arguments[]): unknown[][]
}

/** A database's own way to compile a statement for a set of rows. */
export type CompileSet = <A, Row>(sql: Sql, statement: SetStatement<A, Row>) => PreparedSet

/** Compiles statements on first use and keeps them. */
export class Statements {
  readonly #sql: Sql
  readonly #compileSet: CompileSet
  readonly #prepared = new Map<object, Prepared>()
  readonly #preparedSets = new Map<object, PreparedSet>()

  constructor(sql: Sql, compileSet: CompileSet = compileRowByRow) {
    this.#sql = sql
    this.#compileSet = compileSet
  }

  prepare<A, Row>(statement: Statement<A, Row>): Prepared {
    return known(this.#prepared, statement, () => compile(this.#sql, statement))
  }

  prepareSet<A, Row>(statement: SetStatement<A, Row>): PreparedSet {
    return known(this.#preparedSets, statement, () => this.#compileSet(this.#sql, statement))
  }
}

function known<Key extends object, Made>(cache: Map<Key, Made>, key: Key, make: () => Made): Made {
  const found = cache.get(key)
  if (found) return found
  const made = make()
  cache.set(key, made)
  return made
}

function compile(sql: Sql, statement: Pick<Statement<never, unknown>, 'build'>): Prepared {
  const argument = (name: string) => new Placeholder(name)
  const compiled = statement.build(sql, argument as unknown as Argument<never>).compile()
  const slots = compiled.parameters
  return {
    ...named(compiled.sql),
    parameters: (args) =>
      slots.map((slot) => (slot instanceof Placeholder ? args[slot.name] : slot) as Value),
  }
}

/** The text of a statement, and its name. */
export function named(sql: string): { sql: string; name: string } {
  return { sql, name: hash('sha256', sql, 'base64url') }
}

/** For a database without round trips: the statement is executed for one row after the other. */
function compileRowByRow<A, Row>(sql: Sql, statement: SetStatement<A, Row>): PreparedSet {
  const { parameters, ...text } = compile(sql, statement as unknown as Statement<never, unknown>)
  return { ...text, executions: (rows) => rows.map(parameters) }
}
