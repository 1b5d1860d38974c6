import pg from 'pg'
import { StoreUnavailable } from '../store.ts'

/** PostgreSQL undid the transaction for a reason that passes: done again, it may succeed. */
export class Undone extends StoreUnavailable {
  /** Between here and the database, prepared statements do not stay with their connection. */
  readonly preparedStatementsLost: boolean

  constructor(message: string, preparedStatementsLost: boolean) {
    super(message)
    this.preparedStatementsLost = preparedStatementsLost
  }
}

const conflicts = new Set(['40001', '40P01'])

/** Unknown by that name, or known already: a pooler handed the transaction to a server connection that others prepared on. */
const lostStatements = new Set(['26000', '42P05'])

const diskFull = '53100'

/**
 * The classes of SQLSTATE that speak of the database's state and not of the statement: connection, authorization,
 * missing database, rollback, resources, operator, system, corruption.
 */
const unavailableClasses = new Set(['08', '28', '3D', '40', '53', '57', '58', 'XX'])

/** Lock not available, a server that only reads (a standby after a failover), and transactions that were idle or too long. */
const unavailableCodes = new Set(['55P03', '25006', '25P03', '25P04'])

/**
 * Translates an error of the driver for the store: `StoreUnavailable` if the database fails, and a plain error when the
 * statement is at fault. The driver's own error goes no further, since its details quote rows.
 */
export function classified(error: unknown): Error {
  if (error instanceof RangeError) return error
  if (!(error instanceof pg.DatabaseError)) {
    const { message, code } = error as Error & { code?: string }
    return new StoreUnavailable(`PostgreSQL cannot be reached: ${message || code}`, { cause: error })
  }
  const { message, code = '', routine } = error
  if (conflicts.has(code)) return new Undone(message, false)
  // A prepared statement whose tables were altered by another process.
  if (lostStatements.has(code) || routine === 'RevalidateCachedQuery') return new Undone(message, true)
  if (unavailableClasses.has(code.slice(0, 2)) || unavailableCodes.has(code))
    return new StoreUnavailable(`PostgreSQL: ${message} (${code})`, { full: code === diskFull })
  return new Error(`${message} (SQLSTATE ${code})`)
}
