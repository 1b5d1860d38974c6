import { spelledOut } from '../../statement.ts'
import type { Dialect } from '../../store.ts'

/** Lets SQLite keep the rows in the tree of the key, so that a row is written once. PostgreSQL has no such tables. */
export const inOneTree = ({ name }: Dialect) => spelledOut(name === 'sqlite' ? 'without rowid' : '')
