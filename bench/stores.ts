import { join } from 'node:path'
import { startPostgres } from '../test/kit/postgres.ts'
import type { Bench } from './figure.ts'
import { countMessages, type Posthorn, startPosthorn } from './posthorn.ts'
import { processorTimeOfFamily } from './processor.ts'

/** One of the two stores that Posthorn can keep everything in, ready for servers of the benchmark. */
export interface BenchStore {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Starts a Posthorn with a data folder and an empty store of its own. */
  start(folder: string): Promise<Posthorn & { countMessages(): Promise<ReadonlyMap<string, number>> }>
  /** What the processes of the store itself have used, in microseconds; undefined for a store inside of Posthorn. */
  readonly processorTime?: () => Promise<number>
  end(): Promise<void>
}

const sqlite = async ({ folder }: Bench): Promise<BenchStore> => ({
  name: 'SQLite',
  async start(name) {
    const posthorn = await startPosthorn(join(folder, name))
    return { ...posthorn, countMessages: async () => countMessages(posthorn.data) }
  },
  end: async () => {},
})

/** A PostgreSQL with the settings that it has by default. */
async function postgres({ folder }: Bench): Promise<BenchStore> {
  const started = await startPostgres({ shared_buffers: '128MB', max_connections: '100' })
  if (!started.available) throw new Error(started.reason)
  const { server } = started
  return {
    name: 'PostgreSQL',
    async start(name) {
      const url = await server.createDatabase()
      const posthorn = await startPosthorn(join(folder, `${name}-postgres`), { POSTHORN_DATABASE_URL: url })
      const count = 'select status, count(*)::int as count from messages group by status'
      return {
        ...posthorn,
        async countMessages() {
          const rows = await server.query<{ status: string; count: number }>(count, [], url)
          return new Map(rows.map(({ status, count }) => [status, count]))
        },
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

/** The stores by the name that `--only` takes. */
export const stores = { sqlite, postgres }
