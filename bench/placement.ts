import { countInstances, takeOverFunctions } from '../src/instances/lifecycle/take-over.ts'
import { openPostgresStore } from '../src/store/postgres/postgres.ts'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import type { PostgresServer } from '../test/kit/processes/postgres-server.ts'
import { type Bench, type Figure, median, milliseconds, quantile, type Row } from './figure.ts'
import { connectAll } from './placement-connects.ts'
import { type Placement, SimulatedNodes } from './placement-nodes.ts'

/** Numbers of instances, and of the nodes that place them. */
const sizes = [
  { size: 10_000, nodeCount: 50 },
  { size: 100_000, nodeCount: 50 },
  { size: 1_000_000, nodeCount: 100 },
]
/** Each tenth instance is that of one large organization; the others have so many each. */
const perOrganization = 10
const largeOrganization = 'org_large'
/** Nodes that die at once. */
const storm = 10
/** Connections a second, of all nodes together: the default, and what many networks bear. */
const rates = [50, 1_000]

/**
 * Simulates nodes that place many instances among themselves, by the code with which nodes do: all of them; those of a node that dies,
 * and of ten that die at once; and after a start of all. Then they connect them, by the code that paces that, while a clock is simulated.
 */
export const placement: Figure = {
  name: 'placement',
  onlyByName: true,
  async measure(bench) {
    const settings = { shared_buffers: '1GB', max_wal_size: '8GB', max_connections: '300' }
    const started = await startOwnPostgres(settings)
    if (!started.available) throw new Error(started.reason)
    try {
      const rows: Row[] = []
      for (const { size, nodeCount } of sizes) {
        if (bench.only === undefined || bench.only === String(size))
          rows.push(...(await simulate(bench, started.server, { size, nodeCount })))
      }
      return rows
    } finally {
      await started.server.stop()
    }
  },
}

interface Size {
  readonly size: number
  readonly nodeCount: number
}

async function simulate({ note }: Bench, server: PostgresServer, { size, nodeCount }: Size): Promise<Row[]> {
  const url = await server.createDatabase()
  const ids = Array.from({ length: nodeCount }, (_, index) => `node_${String(index).padStart(3, '0')}`)
  const nodes = await SimulatedNodes.open(url, ids, note)
  const execute = (text: string) => server.query(text, [], url)
  const declareGone = (gone: readonly string[]) =>
    execute(`update nodes set boot = '' where id in (${gone.map((id) => `'${id}'`).join(', ')})`)
  const of = `${size.toLocaleString('en')} instances, ${nodeCount} nodes`
  const rows: Row[] = []
  const tell = (what: string, done: Placement) => {
    note(`${what}: ${describe(done)}`)
    rows.push(rowOf(`${of}, ${what}`, done))
  }
  const tellConnects = (what: string) => {
    for (const count of rates) {
      const done = connectAll(nodes.placed, { count, seconds: 1 }, largeOrganization)
      const times = `${seconds(done.all)} (small organizations: half in ${seconds(done.smallHalf)}, all in ${seconds(done.smallAll)}; the large one ${seconds(done.large)})`
      const row = {
        figure: `${of}, ${what}, ${count}/s`,
        measured: `${times}, at most ${done.busiestSecond} in a second`,
      }
      note(`${row.figure}: ${row.measured}`)
      rows.push(row)
    }
  }
  try {
    await fill(execute, size)
    note(`${of}: filled`)
    tell('all placed', await nodes.start())
    note(`counting all takes ${milliseconds(await countingTime(url))}`)
    tell('one node died', await nodes.die(1, declareGone))
    tell(`${storm} died at once`, await nodes.die(storm, declareGone))
    await declareGone(ids)
    tell('all started again', await nodes.start())
    tellConnects('connected again')
  } finally {
    await nodes.close()
  }
  return rows
}

async function fill(execute: (text: string) => Promise<unknown>, size: number): Promise<void> {
  const small = Math.ceil(size / perOrganization)
  await execute(`insert into organizations (id, name, created_at)
    select 'org_' || n, 'organization-' || n, 0 from generate_series(0, ${small}) as n
    union all select '${largeOrganization}', 'large', 0`)
  await execute(`insert into instances (id, organization_id, name, network, wanted, status, status_since, settings, credentials, metadata, created_at, updated_at)
    select 'inst_' || lpad(n::text, 26, '0'),
      case when n % 10 = 0 then '${largeOrganization}' else 'org_' || n / ${perOrganization} end,
      'instance-' || n, 'sandbox', 'running', 'connected', 0, '{}', '', '{}', 0, 0
    from generate_series(0, ${size - 1}) as n`)
  await execute(`insert into message_instances (instance_id, organization_id, instance_name)
    select id, organization_id, name from instances`)
  await execute('vacuum analyze')
}

async function countingTime(url: string): Promise<number> {
  const store = await openPostgresStore({ url, functions: takeOverFunctions })
  const times: number[] = []
  for (let time = 0; time < 5; time++) {
    const begun = performance.now()
    await store.read(countInstances, null)
    times.push(performance.now() - begun)
  }
  await store.close()
  return median(times)
}

const seconds = (time: number) => `${time < 100 ? time.toFixed(1) : Math.round(time).toLocaleString('en')} s`

const timesOf = ({ times }: Placement) =>
  `p50 ${milliseconds(median(times))}, p99 ${milliseconds(quantile(times, 0.99))}`

function describe(done: Placement): string {
  const { moved, times, took, lost, failed, each, share } = done
  return `${moved} instances by ${times.length} transactions in ${seconds(took / 1_000)} (${timesOf(done)}); ${lost} chosen in vain, ${failed} transactions failed; ${each.join(' to ')} taken by each, ${share.join(' to ')} a node`
}

function rowOf(figure: string, done: Placement): Row {
  const { moved, times, took, each, share } = done
  return {
    figure: `${figure}: ${moved} moved, ${each.join(' to ')} by each, ${share.join(' to ')} a node`,
    measured: `${seconds(took / 1_000)}, ${times.length} transactions, ${timesOf(done)}`,
  }
}
