import { PostgresDatabases } from './processes/postgres-databases.ts'
import { PostgresServer } from './processes/postgres-server.ts'

/** PostgreSQL for the tests of a file, or the reason why this machine cannot run it. */
export type PostgresForTests<Server = PostgresDatabases> =
  | { readonly available: true; readonly server: Server }
  | { readonly available: false; readonly reason: string }

/**
 * Gives databases on a real PostgreSQL: on the server that all test files of a run share, whose address is in
 * `POSTHORN_TEST_SHARED_POSTGRES`, or without one on a server of its own. Call it once in a test file, and `stop()` when its
 * tests end. If PostgreSQL cannot run, skip the tests with the reason; it throws instead when `POSTHORN_TEST_REQUIRE` names
 * postgres.
 */
export async function startPostgres(): Promise<PostgresForTests> {
  const shared = process.env.POSTHORN_TEST_SHARED_POSTGRES
  return shared ? { available: true, server: new PostgresDatabases(shared) } : startOwnPostgres()
}

/** Starts a server for those who crash it, freeze it or change its settings, as `startPostgres` does. */
export async function startOwnPostgres(
  settings: Record<string, string> = {},
): Promise<PostgresForTests<PostgresServer>> {
  try {
    return { available: true, server: await PostgresServer.create(settings) }
  } catch (error) {
    const reason = `PostgreSQL cannot run here: ${(error as Error).message}`
    if (process.env.POSTHORN_TEST_REQUIRE?.includes('postgres')) throw new Error(reason, { cause: error })
    return { available: false, reason }
  }
}
