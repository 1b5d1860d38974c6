import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keptKind, seen } from '../src/store/tables/kept-message.ts'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import type { Bench, StoreName } from './figure.ts'
import { countMessages, type Posthorn, sendingTimes, startPosthorn } from './posthorn.ts'
import { processorTimeOfFamily } from './processor.ts'

/** A Posthorn whose store is looked at from outside. */
export interface StoredPosthorn extends Posthorn {
  countMessages(): Promise<ReadonlyMap<string, number>>
  /** As `sendingTimes` of the embedded store has it. */
  sendingTimes(since: number, instance?: string | null, until?: number): Promise<readonly number[]>
  /** Carries out statements that both stores understand, while the server runs. */
  execute(statements: readonly string[]): Promise<void>
  /** Returns the rows that such a statement finds. */
  read(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** One of the two stores that Posthorn can keep everything in, ready for servers of the benchmark. */
export interface BenchStore {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Starts a Posthorn with a data folder and an empty store of its own; again with the same name, it goes on with both. */
  start(folder: string, environment?: Readonly<Record<string, string>>): Promise<StoredPosthorn>
  /** Processor time of the store's own processes, in microseconds; undefined for a store inside of Posthorn. */
  readonly processorTime?: () => Promise<number>
  end(): Promise<void>
}

const sqlite = async ({ folder }: Bench): Promise<BenchStore> => ({
  name: 'SQLite',
  async start(name, environment = {}) {
    const posthorn = await startPosthorn(join(folder, name), environment)
    return {
      ...posthorn,
      countMessages: async () => countMessages(posthorn.data),
      sendingTimes: async (...which) => sendingTimes(posthorn.data, ...which),
      async execute(statements) {
        const database = new DatabaseSync(join(posthorn.data, 'posthorn.db'), { timeout: 10_000 })
        for (const statement of statements) database.exec(statement)
        database.close()
      },
      async read(statement) {
        const database = new DatabaseSync(join(posthorn.data, 'posthorn.db'), { readOnly: true })
        const rows = database.prepare(statement).all()
        database.close()
        return rows
      },
    }
  },
  end: async () => {},
})

/** A PostgreSQL with the settings that it has by default. */
async function postgres({ folder }: Bench): Promise<BenchStore> {
  const started = await startOwnPostgres({ shared_buffers: '128MB', max_connections: '100' })
  if (!started.available) throw new Error(started.reason)
  const { server } = started
  const databases = new Map<string, string>()
  return {
    name: 'PostgreSQL',
    async start(name, environment = {}) {
      const url = databases.get(name) ?? (await server.createDatabase())
      databases.set(name, url)
      const settings = { ...environment, POSTHORN_DATABASE_URL: url }
      const posthorn = await startPosthorn(join(folder, `${name}-postgres`), settings)
      const count = 'select status, count(*)::int as count from messages group by status'
      return {
        ...posthorn,
        async countMessages() {
          const rows = await server.query<{ status: number; count: number }>(count, [], url)
          return new Map(rows.map(({ status, count }) => [seen({ status }).status, count]))
        },
        async sendingTimes(since, instance = null, until = Number.MAX_SAFE_INTEGER) {
          const rows = await server.query<{ ms: number | null }>(times, [since, until, instance], url)
          return rows.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY)
        },
        async execute(statements) {
          for (const statement of statements) await server.query(statement, [], url)
        },
        read: (statement) => server.query(statement, [], url),
      }
    },
    async processorTime() {
      const rows = await server.query<{ pid: number }>(
        'select pid from pg_stat_activity where pid <> pg_backend_pid()',
      )
      return processorTimeOfFamily(rows.map(({ pid }) => pid))
    },
    end: () => server.stop(),
  }
}

const times = `select sent_after::float8 as ms from messages join message_instances on number = instance
  where kind = ${keptKind('text')} and created_at >= $1 and created_at < $2
  and ($3::text is null or instance_name = $3) order by ms nulls last`

/** The stores by the name that `--only` or `--store` takes. */
export const stores: Readonly<Record<StoreName, (bench: Bench) => Promise<BenchStore>>> = { sqlite, postgres }
