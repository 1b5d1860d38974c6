import { checkName } from '../../first-start.ts'
import { installationName } from '../../media/media.ts'
import { migrations } from '../../store/migrations/index.ts'
import { leaseName } from '../../store/server-lease.ts'

/** What a store tells of itself when it is only looked at. */
export interface StoreFacts {
  /** The steps of the schema that it has been through; empty where no server was started on it. */
  readonly migrations: readonly string[]
  /** The value that only the right master key opens; null where nothing was sealed yet. */
  readonly masterKeyCheck: string | null
  /** By which it knows its place in an object storage; null where no server was started on it. */
  readonly installation: string | null
  readonly organizations: number
  /** When the latest organization or key was made, in milliseconds since the epoch; null where there is none. */
  readonly latest: number | null
  /** How many messages are held because the store went back to a backup. */
  readonly held: number
}

/** What a store is like on which no server was ever started. */
export const noFacts: StoreFacts = {
  migrations: [],
  masterKeyCheck: null,
  installation: null,
  organizations: 0,
  latest: null,
  held: 0,
}

/** The steps that the next start will take. */
export function pendingMigrations(facts: StoreFacts): string[] {
  return migrations.map(({ name }) => name).filter((name) => !facts.migrations.includes(name))
}

/** The same SQL for both databases; a store without the table `migrations` is asked nothing else. */
export const factQueries = {
  migrations: 'select name from migrations',
  masterKeyCheck: `select value from service where name = '${checkName}'`,
  installation: `select value from service where name = '${installationName}'`,
  lease: `select value from service where name = '${leaseName}'`,
  held: "select count(*) as held from messages where held = 1 and status in ('queued', 'sending')",
  counts:
    'select (select count(*) from organizations) as organizations, (select max(created_at) from (select created_at from organizations union all select created_at from api_keys) as made) as latest',
}
