import { checkName } from '../../gateway/first-start.ts'
import { installationName } from '../../media/media.ts'
import { lastBackupName } from '../../organizations/last-backup.ts'
import { type AppliedStep, migrations, whyUnfit } from '../../store/migrations/index.ts'

/** Facts about a store, found without writing to it. */
export interface StoreFacts {
  /** The migrations that it has been through; empty if no server was ever started on it. */
  readonly migrations: readonly AppliedStep[]
  /** The value that only the right master key opens; null if nothing was sealed yet. */
  readonly masterKeyCheck: string | null
  /** The id by which it recognizes its own files in an object storage; null if no server was ever started on it. */
  readonly installation: string | null
  readonly organizations: number
  /** When the latest organization or key was created, in milliseconds since the epoch; null if there is none. */
  readonly latest: number | null
  /** Messages that are held because the store was restored from a backup. */
  readonly held: number
  /** When a backup was last complete, in milliseconds since the epoch; null if none was. */
  readonly lastBackupAt: number | null
}

/** The facts about a store on which no server was ever started. */
export const noFacts: StoreFacts = {
  migrations: [],
  masterKeyCheck: null,
  installation: null,
  organizations: 0,
  latest: null,
  held: 0,
  lastBackupAt: null,
}

/** The migrations that the next start will run. */
export function pendingMigrations(facts: StoreFacts): string[] {
  const done = new Set(facts.migrations.map(({ name }) => name))
  return migrations.map(({ name }) => name).filter((name) => !done.has(name))
}

/** The same SQL for both databases. If the table `migrations` is missing, no other query is made. */
export const factQueries = {
  migrations: 'select name, expands from migrations order by name',
  masterKeyCheck: `select value from service where name = '${checkName}'`,
  installation: `select value from service where name = '${installationName}'`,
  lastBackup: `select value from service where name = '${lastBackupName}'`,
  running:
    "select id from nodes where boot <> '' and seen_at > extract(epoch from clock_timestamp()) * 1000 - 18000 order by id",
  held: 'select count(*) as held from outbox where held = 1',
  counts:
    'select (select count(*) from organizations) as organizations, (select max(created_at) from (select created_at from organizations union all select created_at from api_keys) as made) as latest',
}

/** Rows of a query in either database. */
export type Query = <Row>(sql: string) => Promise<readonly Row[]>

/** Reads the facts about a store that has the table `migrations`. */
export async function readFacts(query: Query): Promise<StoreFacts> {
  const steps = await query<AppliedStep>(factQueries.migrations)
  if (whyUnfit(steps)) return { ...noFacts, migrations: steps }
  const storedAs = async (sql: string) => (await query<{ value: string }>(sql))[0]?.value ?? null
  const [counts] = await query<{ organizations: number; latest: number | null }>(factQueries.counts)
  const [messages] = await query<{ held: number | string }>(factQueries.held)
  const lastBackup = await storedAs(factQueries.lastBackup)
  return {
    migrations: steps,
    masterKeyCheck: await storedAs(factQueries.masterKeyCheck),
    installation: await storedAs(factQueries.installation),
    organizations: counts?.organizations ?? 0,
    latest: counts?.latest ?? null,
    held: Number(messages?.held ?? 0),
    lastBackupAt: lastBackup === null ? null : Number(lastBackup),
  }
}
