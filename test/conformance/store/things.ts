import type { Generated, Kysely } from 'kysely'
import type { Schema } from '../../../src/store/schema.ts'
import type { Sql } from '../../../src/store/statement.ts'

/** A row of the table that only these tests have, with a column of every type that Posthorn uses. */
export interface Thing {
  name: string
  amount: number | null
  at: number | null
  note: string | null
  data: Uint8Array | null
}

type ThingsTable = { things: Thing & { seq: Generated<number> } }

export const things = (sql: Sql): Kysely<Schema & ThingsTable> => sql.withTables<ThingsTable>()
