import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startOwnPostgres } from '../test/kit/postgres.ts'
import { type Figure, median, milliseconds, perSecond, type Row } from './figure.ts'
import { fillPostgres } from './fill-postgres.ts'
import { sendTexts } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const messages = 1_000_000
/** Texts a second that are sent meanwhile, and the seconds after which their response times are noted. */
const rate = 300
const seconds = 10
/** Shortest times that can be configured; nearly all of the messages are older. */
const times = { POSTHORN_MESSAGE_RETENTION_DAYS: '7', POSTHORN_EVENT_RETENTION_DAYS: '7' }
const tables = ['messages', 'events', 'outbox', 'message_index', 'conversations']
const longest = 30 * 60_000

type Ask = (text: string) => Promise<Record<string, number>[]>

/**
 * Measures how fast 1,000,000 old messages and their events are forgotten on PostgreSQL while texts come steadily, the response times of these
 * before and meanwhile, and what is dead in the tables.
 */
export const retention: Figure = {
  name: 'retention',
  onlyByName: true,
  async measure(bench) {
    const started = await startOwnPostgres({ shared_buffers: '128MB', max_connections: '100' })
    if (!started.available) throw new Error(started.reason)
    const { server } = started
    const url = await server.createDatabase()
    const data = join(bench.folder, 'retention')
    try {
      const first = await startPosthorn(data, { POSTHORN_DATABASE_URL: url })
      await first.createInstances('running')
      await first.end()
      bench.note('writing 1,000,000 messages')
      await fillPostgres({ url, messages, from: 95, until: 5 })
      const posthorn = await startPosthorn(data, { POSTHORN_DATABASE_URL: url, ...times })
      try {
        return rowsOf(await watch(posthorn, (text) => server.query(text, [], url), bench.note))
      } finally {
        await posthorn.end()
      }
    } finally {
      await server.stop()
    }
  },
}

/** Some seconds of the run. */
interface Part {
  /** Messages and events that were forgotten, a second; events are counted by their rows. */
  readonly messages: number
  readonly events: number
  /** Response times of texts, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Dead rows, and megabytes of the table with its indexes. */
  readonly tables: ReadonlyMap<string, { readonly dead: number; readonly size: number }>
}

/** Watches until nothing is forgotten any more. */
export async function watch(posthorn: Posthorn, ask: Ask, note: (text: string) => void): Promise<Part[]> {
  const parts: Part[] = []
  const deadline = performance.now() + longest
  for (let idle = 0; idle < 3 && performance.now() < deadline; ) {
    const [before, begun] = [await deleted(ask), performance.now()]
    const load = await sendTexts({
      url: posthorn.url,
      key: posthorn.key,
      domain: 'delivers.sandbox',
      rate,
      seconds,
    })
    // Connections report what they did within a second.
    await wait(1_000)
    const [now, passed] = [await deleted(ask), (performance.now() - begun) / 1_000]
    const gone = (what: 'messages' | 'events') => (now[what] - before[what]) / passed
    const part = {
      messages: gone('messages'),
      events: gone('events'),
      p50: load.p50,
      p99: load.p99,
      tables: await look(ask),
    }
    parts.push(part)
    note(describe(part))
    const isIdle = part.messages + part.events === 0
    idle = isIdle && parts.some((one) => one.messages > 0) ? idle + 1 : 0
  }
  return parts
}

async function deleted(ask: Ask) {
  const rows =
    await ask(`select coalesce(sum(n_tup_del) filter (where relname = 'messages'), 0)::int as messages,
    coalesce(sum(n_tup_del) filter (where relname = 'events'), 0)::int as events from pg_stat_user_tables`)
  return rows[0] as { messages: number; events: number }
}

async function look(ask: Ask): Promise<Part['tables']> {
  const columns = tables.map(
    (table) => `(select n_dead_tup from pg_stat_user_tables where relname = '${table}')::int as ${table}_dead,
    pg_total_relation_size('${table}')::float8 / 1e6 as ${table}_size`,
  )
  const row = (await ask(`select ${columns.join(', ')}`))[0] ?? {}
  const of = (name: string) => row[name] ?? Number.NaN
  return new Map(tables.map((table) => [table, { dead: of(`${table}_dead`), size: of(`${table}_size`) }]))
}

function describe({ messages: gone, events, p50, p99, tables: sizes }: Part): string {
  const all = [...sizes].map(([table, { dead, size }]) => `${table} ${dead} dead, ${size.toFixed(0)} MB`)
  return `${perSecond(gone)} messages, ${perSecond(events)} rows of events; ${milliseconds(p50)}, ${milliseconds(p99)}; ${all.join('; ')}`
}

function rowsOf(parts: readonly Part[]): Row[] {
  const quiet = parts.slice(
    0,
    parts.findIndex((part) => part.messages + part.events > 0),
  )
  const forgetting = parts.filter((part) => part.messages > 0)
  const of = (some: readonly Part[], what: 'messages' | 'p50' | 'p99') =>
    median(some.map((part) => part[what]))
  const time = (figure: string, what: 'p50' | 'p99'): Row => ({
    figure,
    measured: milliseconds(of(forgetting, what)),
    baseline: milliseconds(of(quiet, what)),
  })
  const most = (table: string) =>
    parts.map((part) => part.tables.get(table) ?? { dead: Number.NaN, size: Number.NaN })
  return [
    {
      figure: `messages forgotten beside ${rate} texts a second`,
      measured: perSecond(of(forgetting, 'messages')),
    },
    time('… response time of these meanwhile and before, p50', 'p50'),
    time('… p99', 'p99'),
    ...tables.map((table) => ({
      figure: `… most dead rows of ${table}`,
      measured: Math.max(...most(table).map(({ dead }) => dead)).toLocaleString('en'),
      baseline: `${Math.max(...most(table).map(({ size }) => size)).toFixed(0)} MB at most`,
    })),
  ]
}
