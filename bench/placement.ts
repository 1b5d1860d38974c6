import {
  countInstances,
  findFree,
  takeOverFunctions,
  takeOverInstances,
} from '../src/instances/lifecycle/take-over.ts'
import { openPostgresStore } from '../src/store/postgres/postgres.ts'
import type { Store } from '../src/store/store.ts'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import { type Figure, median, milliseconds, quantile, type Row } from './figure.ts'

/** Of the simulated installation: its nodes, and the instances of an organization. */
const nodeCount = 50
const perOrganization = 10
/** The instances that a node takes over in one transaction, as the supervisor does. */
const atOnce = 200
const sizes = [10_000, 100_000, 1_000_000]

/**
 * Simulates nodes that place many instances among themselves, by the transaction with which nodes do: first all of them, as after a start, and
 * then those of one node that has died. All nodes take turns; each transaction excludes the others, so their times add up.
 */
export const placement: Figure = {
  name: 'placement',
  onlyByName: true,
  async measure(bench) {
    const started = await startOwnPostgres({ shared_buffers: '512MB', max_wal_size: '4GB' })
    if (!started.available) throw new Error(started.reason)
    const { server } = started
    const rows: Row[] = []
    try {
      for (const size of sizes) {
        if (bench.only !== undefined && bench.only !== String(size)) continue
        const url = await server.createDatabase()
        const functions = {
          reads: [...takeOverFunctions.reads],
          transactions: [...takeOverFunctions.transactions],
        }
        const store = await openPostgresStore({ url, functions })
        const execute = (text: string) => server.query(text, [], url)
        try {
          await fill(execute, size)
          bench.note(`${size.toLocaleString('en')} instances: filled`)
          const first = await place(store, nodes)
          bench.note(`placed: ${describe(first)}`)
          await execute(`update nodes set boot = '' where id = '${nodes[0]}'`)
          const moved = await place(store, nodes.slice(1), first.taken)
          bench.note(`one of ${nodeCount} nodes died: ${describe(moved)}`)
          rows.push(...rowsOf(size, first, moved))
        } finally {
          await store.close()
        }
      }
    } finally {
      await server.stop()
    }
    return rows
  },
}

const nodes = Array.from({ length: nodeCount }, (_, index) => `node_${String(index).padStart(3, '0')}`)

async function fill(execute: (text: string) => Promise<unknown>, size: number): Promise<void> {
  const values = nodes.map((id) => `('${id}', 'runs', 0, '1', '1', 'postgres', 0)`)
  await execute(
    `insert into nodes (id, boot, seen_at, version, schema, media, started_at) values ${values.join(', ')}`,
  )
  await execute(`insert into organizations (id, name, created_at)
    select 'org_' || n, 'organization-' || n, 0 from generate_series(0, ${size / perOrganization - 1}) as n`)
  await execute(`insert into instances (id, organization_id, name, network, wanted, status, status_since, settings, credentials, metadata, created_at, updated_at)
    select 'inst_' || lpad(n::text, 26, '0'), 'org_' || n / ${perOrganization}, 'instance-' || n, 'sandbox', 'running', 'connected', 0, '{}', '', '{}', 0, 0
    from generate_series(0, ${size - 1}) as n`)
  await execute(`insert into message_instances (instance_id, organization_id, instance_name)
    select id, organization_id, name from instances`)
  await execute('vacuum analyze')
}

/** The work until no instance was free. */
interface Placed {
  /** Milliseconds of each transaction, in order. */
  readonly times: readonly number[]
  readonly taken: ReadonlyMap<string, number>
  readonly instances: number
  /** Instances that the nodes took: the fewest, and the most. */
  readonly fewest: number
  readonly most: number
}

async function place(
  store: Store,
  running: readonly string[],
  had: ReadonlyMap<string, number> = new Map(),
): Promise<Placed> {
  const times: number[] = []
  const taken = new Map(running.map((node) => [node, 0]))
  const turn = { party: 'start' }
  const total = await store.read(countInstances, null, turn)
  for (let some = true; some; ) {
    some = false
    for (const node of running) {
      const has = (had.get(node) ?? 0) + (taken.get(node) ?? 0)
      const candidates = await store.read(findFree, { node, has, total, limit: atOnce }, turn)
      if (candidates.length === 0) continue
      const begun = performance.now()
      const args = { node, now: Date.now(), candidates }
      const { instances } = await store.transact(takeOverInstances, args, turn)
      times.push(performance.now() - begun)
      taken.set(node, (taken.get(node) ?? 0) + instances.length)
      some = true
    }
  }
  const counts = [...taken.values()].sort((one, other) => one - other)
  return {
    taken,
    times: times.sort((one, other) => one - other),
    instances: counts.reduce((sum, count) => sum + count, 0),
    fewest: counts[0] ?? 0,
    most: counts.at(-1) ?? 0,
  }
}

const sum = (times: readonly number[]) => times.reduce((all, time) => all + time, 0)

function describe({ times, instances, fewest, most }: Placed): string {
  const seconds = (sum(times) / 1_000).toFixed(1)
  return `${instances} instances by ${times.length} transactions in ${seconds} s (p50 ${milliseconds(median(times))}, p99 ${milliseconds(quantile(times, 0.99))}); ${fewest} to ${most} each`
}

function rowsOf(size: number, first: Placed, moved: Placed): Row[] {
  const row = (what: string, placed: Placed): Row => ({
    figure: `${size.toLocaleString('en')} instances, ${nodeCount} nodes, ${what}: ${placed.fewest} to ${placed.most} a node`,
    measured: `${(sum(placed.times) / 1_000).toFixed(1)} s, p99 ${milliseconds(quantile(placed.times, 0.99))}`,
  })
  return [row('all placed', first), row(`${moved.instances} of a dead node`, moved)]
}
