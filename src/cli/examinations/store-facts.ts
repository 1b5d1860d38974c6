import { checkName } from '../../gateway/first-start.ts'
import { installationName } from '../../media/media.ts'
import { migrations } from '../../store/migrations/index.ts'
import { leaseName } from '../../store/server-lease.ts'

/** Facts about a store, found without writing to it. */
export interface StoreFacts {
  /** The migrations that it has been through; empty if no server was ever started on it. */
  readonly migrations: readonly string[]
  /** The value that only the right master key opens; null if nothing was sealed yet. */
  readonly masterKeyCheck: string | null
  /** The id by which it recognizes its own files in an object storage; null if no server was ever started on it. */
  readonly installation: string | null
  readonly organizations: number
  /** When the latest organization or key was created, in milliseconds since the epoch; null if there is none. */
  readonly latest: number | null
  /** Messages that are held because the store was restored from a backup. */
  readonly held: number
}

/** The facts about a store on which no server was ever started. */
export const noFacts: StoreFacts = {
  migrations: [],
  masterKeyCheck: null,
  installation: null,
  organizations: 0,
  latest: null,
  held: 0,
}

/** The migrations that the next start will run. */
export function pendingMigrations(facts: StoreFacts): string[] {
  return migrations.map(({ name }) => name).filter((name) => !facts.migrations.includes(name))
}

/** The same SQL for both databases. If the table `migrations` is missing, no other query is made. */
export const factQueries = {
  migrations: 'select name from migrations',
  masterKeyCheck: `select value from service where name = '${checkName}'`,
  installation: `select value from service where name = '${installationName}'`,
  lease: `select value from service where name = '${leaseName}'`,
  held: "select count(*) as held from messages where held = 1 and status in ('queued', 'sending')",
  counts:
    'select (select count(*) from organizations) as organizations, (select max(created_at) from (select created_at from organizations union all select created_at from api_keys) as made) as latest',
}
