import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import type { PostgresDatabases } from '../test/kit/processes/postgres-databases.ts'
import { type Bench, type Figure, median, milliseconds, type Row } from './figure.ts'
import { fillPostgres } from './fill-postgres.ts'
import { sendTexts } from './load.ts'
import { type Posthorn, startPosthorn, untilMetric } from './posthorn.ts'
import { processorTime, processorTimeOfFamily } from './processor.ts'

const sizes = [1_000_000, 10_000_000]
const rounds = 4
const seconds = 12
/** Milliseconds after which the last texts of a load are in the index of lists and in the counts. */
const afterwards = 4_000

/** Measures texts beside 1,000,000 and 10,000,000 old messages on PostgreSQL, in turns. */
export const growth: Figure = {
  name: 'growth',
  onlyByName: true,
  async measure(bench) {
    const started = await startOwnPostgres({ shared_buffers: '128MB', max_connections: '100' })
    if (!started.available) throw new Error(started.reason)
    const { server } = started
    const sides: Side[] = []
    try {
      for (const size of sizes) sides.push(await prepare(bench, server, size))
      return await compare(bench, server, sides)
    } finally {
      await Promise.all(sides.map(({ posthorn }) => posthorn.end()))
      await server.stop()
    }
  },
}

/** A server beside so many old messages. */
export interface Side {
  readonly size: number
  readonly posthorn: Posthorn
}

async function prepare(bench: Bench, server: PostgresDatabases, size: number): Promise<Side> {
  const url = await server.createDatabase()
  const data = join(bench.folder, `growth-${size}`)
  const settings = {
    POSTHORN_DATABASE_URL: url,
    POSTHORN_MESSAGE_RETENTION_DAYS: '365',
    POSTHORN_EVENT_RETENTION_DAYS: '365',
  }
  const first = await startPosthorn(data, settings)
  await first.createInstances('running')
  await first.end()
  bench.note(`writing ${size.toLocaleString('en')} messages`)
  await fillPostgres({ url, messages: size, from: 95, until: 5 })
  return { size, posthorn: await startPosthorn(data, settings) }
}

/** Cost of a text until it is settled, listed and counted. Times in microseconds, but for `p99` in milliseconds. */
interface Cost {
  readonly ofNode: number
  readonly ofStore: number
  readonly walBytes: number
  readonly perSecond: number
  readonly p99: number
}

/** Sends to all sides in turns; the first is the baseline. */
export async function compare(
  { note }: Pick<Bench, 'note'>,
  server: PostgresDatabases,
  sides: readonly Side[],
): Promise<Row[]> {
  for (const { posthorn } of sides) await costOf(server, posthorn, 20)
  const measured: Cost[][] = []
  for (let round = 1; round <= rounds; round++) {
    const inTurns: Cost[] = sides.map(() => ({ ofNode: 0, ofStore: 0, walBytes: 0, perSecond: 0, p99: 0 }))
    const order = round % 2 === 1 ? sides : sides.toReversed()
    for (const side of order) inTurns[sides.indexOf(side)] = await costOf(server, side.posthorn, seconds)
    measured.push(inTurns)
    note(`round ${round}: ${inTurns.map(describe).join('; ')}`)
  }
  return sides.flatMap(({ size }, index) => rowsOf(size, index, measured))
}

async function costOf(server: PostgresDatabases, posthorn: Posthorn, duration: number): Promise<Cost> {
  // So that each begins with the same: the first change of a page after a checkpoint writes all of it to the log.
  await server.query('checkpoint')
  const before = await used(server, posthorn)
  const load = await sendTexts({
    url: posthorn.url,
    key: posthorn.key,
    seconds: duration,
    domain: 'delivers.sandbox',
  })
  await untilMetric(posthorn, 'posthorn_queue_depth', 0)
  await wait(afterwards)
  const now = await used(server, posthorn)
  const ofText = (what: keyof typeof now) => (now[what] - before[what]) / load.accepted
  return {
    ofNode: ofText('node'),
    ofStore: ofText('store'),
    walBytes: ofText('wal'),
    perSecond: load.perSecond,
    p99: load.p99,
  }
}

/** Processor time in microseconds, and bytes of the log, used so far. */
async function used(server: PostgresDatabases, { pid }: Posthorn) {
  const others = 'select pid from pg_stat_activity where pid <> pg_backend_pid()'
  const pids = (await server.query<{ pid: number }>(others)).map(({ pid }) => pid)
  const written = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`
  const wal = (await server.query<{ bytes: number }>(written))[0]?.bytes ?? Number.NaN
  return { node: processorTime(pid), store: processorTimeOfFamily(pids), wal }
}

function describe({ ofNode, ofStore, walBytes, perSecond, p99 }: Cost): string {
  return `${perSecond.toFixed(0)}/s, ${ofNode.toFixed(0)} and ${ofStore.toFixed(0)} µs, ${walBytes.toFixed(0)} bytes, p99 ${milliseconds(p99)}`
}

function rowsOf(size: number, index: number, measured: readonly (readonly Cost[])[]): Row[] {
  const all = (side: number) => measured.map((inTurns) => inTurns[side] as Cost)
  const row = (figure: string, what: keyof Cost, write: (value: number) => string): Row => ({
    figure,
    measured: write(median(all(index).map((cost) => cost[what]))),
    baseline: write(median(all(0).map((cost) => cost[what]))),
    ratio: median(
      measured.map((inTurns) => (inTurns[index] as Cost)[what] / (inTurns[0] as Cost)[what]),
    ).toFixed(2),
  })
  const time = (value: number) => `${value.toFixed(0)} µs`
  return [
    row(
      `texts beside ${size.toLocaleString('en')} messages, settled`,
      'perSecond',
      (rate) => `${rate.toFixed(0)}/s`,
    ),
    row('… processor time of the node', 'ofNode', time),
    row('… of PostgreSQL', 'ofStore', time),
    row('… bytes of its log', 'walBytes', (bytes) => bytes.toFixed(0)),
    row('… response time, p99', 'p99', milliseconds),
  ]
}
