import { hash } from 'node:crypto'
import type { CompiledQuery, Expression, Kysely, RawNode } from 'kysely'
import type { Schema } from './schema.ts'

/** Builds SQL for the database at hand; it never executes anything by itself. */
export type Sql = Kysely<Schema>

/** Anything that Kysely can compile, with the type of its rows. */
export interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

/**
 * The condition that a message is not settled yet. It is spelled out, not bound, because SQLite uses a partial index only
 * where the text of the query implies the text of the index.
 */
export const unsettled: Expression<boolean> = spelledOut("status in ('queued', 'sending')")

/** The block of a message: its number without the last ten bits. Spelled out too, as indexes begin with it. */
export const messageBlock: Expression<number> = spelledOut('(seq >> 10)')

export function blockOf(seq: number): number {
  return Math.floor(seq / 1024)
}

export function firstOfBlock(block: number): number {
  return block * 1024
}

/** What Kysely's `sql` makes; made here, so that a thread that only names statements need not load what builds them. */
export function spelledOut<T>(text: string): Expression<T> {
  const node: RawNode = { kind: 'RawNode', sqlFragments: [text], parameters: [] }
  return { expressionType: undefined, toOperationNode: () => node }
}

type Value = string | number | bigint | Uint8Array | null

/** Stands for an argument while a statement is being compiled. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Names an argument of a statement, typed as the value that it will have. */
export type Argument<A> = <K extends keyof A & string>(name: K) => A[K]

/**
 * A statement that is compiled once for each database and executed often. Compiling with Kysely costs more than executing
 * a simple statement, so the paths that every message takes are written with this.
 */
export interface Statement<A, Row> {
  readonly build: (sql: Sql, argument: Argument<A>) => Compilable<Row>
}

/** Writes a statement: `statement<{ id: string }>()((sql, argument) => sql.selectFrom(…).where('id', '=', argument('id')))`. */
export function statement<A>() {
  return <Row>(build: (sql: Sql, argument: Argument<A>) => Compilable<Row>): Statement<A, Row> => ({ build })
}

/** A statement ready for one database: its text, and how its parameters follow from the arguments. */
export interface Prepared {
  readonly sql: string
  /** Follows from the text, so that a connection that outlives a version of this code never takes one text for another. */
  readonly name: string
  parameters(args: Readonly<Record<string, unknown>>): Value[]
}

/** Compiles statements on first use and keeps them. */
export class Statements {
  readonly #sql: Sql
  readonly #prepared = new Map<Statement<never, unknown>, Prepared>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  prepare<A, Row>(statement: Statement<A, Row>): Prepared {
    const key = statement as Statement<never, unknown>
    const known = this.#prepared.get(key)
    if (known) return known
    const prepared = compile(this.#sql, statement)
    this.#prepared.set(key, prepared)
    return prepared
  }
}

function compile<A, Row>(sql: Sql, statement: Statement<A, Row>): Prepared {
  const argument = (name: string) => new Placeholder(name)
  const compiled = statement.build(sql, argument as unknown as Argument<A>).compile()
  const slots = compiled.parameters
  return {
    sql: compiled.sql,
    name: hash('sha256', compiled.sql, 'base64url'),
    parameters: (args) =>
      slots.map((slot) => (slot instanceof Placeholder ? args[slot.name] : slot) as Value),
  }
}
