import { rawSql } from '../../store/statement.ts'
import { read, type StoreFunctions } from '../../store/store.ts'

/** Facts about a store that only its database knows. */
export interface DatabaseFacts {
  readonly bytes: number
  readonly schema: string
  /** The clock of the database, in milliseconds since the epoch. */
  readonly now: number
  /** The standby servers that confirm each commit, as PostgreSQL is told them; null for SQLite. */
  readonly standbys: string | null
}

const bytesIn = {
  sqlite: 'select page_count * page_size from pragma_page_count(), pragma_page_size()',
  postgres: 'select pg_database_size(current_database())',
} as const

/** Reads facts about the database itself. */
export const readDatabaseFacts = read(
  'service.database-facts',
  async (reader, _: null): Promise<DatabaseFacts | null> => {
    const { name, now } = reader.dialect
    const row = await reader.first(
      reader.sql.selectNoFrom((eb) => [
        eb.parens(rawSql<number | string>(bytesIn[name])).as('bytes'),
        eb.parens(rawSql<string>('select max(name) from migrations')).as('schema'),
        now.as('now'),
        eb
          .parens(rawSql<string>(name === 'postgres' ? "current_setting('synchronous_standby_names')" : "''"))
          .as('standbys'),
      ]),
    )
    if (!row) return null
    const { bytes, schema, standbys } = row
    const facts = { bytes: Number(bytes), schema, now: Number(row.now) }
    return { ...facts, standbys: name === 'postgres' ? standbys : null }
  },
)

export const databaseFactFunctions: StoreFunctions = { reads: [readDatabaseFacts], transactions: [] }
