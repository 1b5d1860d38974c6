import { rawSql } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** Lets SQLite keep the rows in the tree of the key, so that a row is written once. PostgreSQL has no such tables. */
export const inOneTree = ({ name }: Dialect) => rawSql(name === 'sqlite' ? 'without rowid' : '')
