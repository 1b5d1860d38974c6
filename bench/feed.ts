import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { listEvents } from '../src/contract/operations/event-operations.ts'
import { readFeedCursor, writeFeedCursor } from '../src/events/feed-cursor.ts'
import { residentMemory } from '../test/kit/resident-memory.ts'
import {
  type Bench,
  type Figure,
  median,
  megabytes,
  milliseconds,
  perSecond,
  quantile,
  type Row,
} from './figure.ts'
import { instanceNames } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'
import { fillJournal } from './prepare-store.ts'

const events = 1_000_000
/** As many events as a page has that is asked for without a limit. */
const pageSize = 50
const rounds = 7
const listeners = 2_000
/** Events that go through every stream. */
const eventsHeard = 10
const text = { instance: instanceNames[0], to: 'ana@accepts.sandbox', text: 'Your order is on its way.' }
/** Milliseconds that a process is left alone before it is measured; every stream shows a sign of life meanwhile. */
const quiet = 20_000

/** Measures reading after much has happened: pages from anywhere, a stream that catches up, and many that listen. */
export const feed: Figure = {
  name: 'feed',
  async measure(bench) {
    const data = join(bench.folder, 'journal')
    bench.note(`writing ${events.toLocaleString('en')} events`)
    await fillJournal(data, events)
    const posthorn = await startPosthorn(data, { POSTHORN_STREAM_LIMIT: 'off' })
    try {
      return [...(await pages(posthorn)), await catchUp(posthorn), await listening(bench)]
    } finally {
      await posthorn.end()
    }
  },
}

/** Pages from anywhere, one after the other over one connection, from the request to the last byte of the answer. */
async function pages(posthorn: Posthorn): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const cursorAt = await cursorsOf(posthorn)
  const anywhere = () => cursorAt(Math.floor(Math.random() * (events - pageSize)))
  const ask = async (query: string) => {
    const begun = performance.now()
    const text = await textOf(await open(posthorn, `${query}&after=${anywhere()}`, { agent }))
    return { took: performance.now() - begun, text }
  }
  const measure = async (query: string) => {
    for (let count = 0; count < 500; count++) await ask(query)
    const measured: { p50: number; p99: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const durations: number[] = []
      for (let count = 0; count < 500; count++) durations.push((await ask(query)).took)
      const sorted = durations.toSorted((left, right) => left - right)
      measured.push({ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) })
    }
    return { p50: median(measured.map(({ p50 }) => p50)), p99: median(measured.map(({ p99 }) => p99)) }
  }
  const whole = `limit=${pageSize}`
  const { text } = await ask(whole)
  const { data } = JSON.parse(text) as { data: unknown[] }
  if (data.length !== pageSize) throw new Error(`a page has ${data.length} events`)
  const some = await measure(whole)
  const rare = await measure(`${whole}&types=message.failed`)
  agent.destroy()
  return [
    {
      figure: `a page of ${pageSize} out of 1,000,000 events, p99`,
      measured: milliseconds(some.p99),
      goal: '≤ 10 ms',
      reached: some.p99 <= 10,
    },
    { figure: '… p50', measured: milliseconds(some.p50) },
    { figure: '… of a type that one event in 10,000 has, p99', measured: milliseconds(rare.p99) },
  ]
}

/** Makes cursors of the epoch that the server is in. */
async function cursorsOf(posthorn: Posthorn): Promise<(sequence: number) => string> {
  const page = JSON.parse(await textOf(await open(posthorn, 'after=latest', {}))) as { next_cursor: string }
  const { epoch = '' } = readFeedCursor(page.next_cursor) ?? {}
  return (sequence) => writeFeedCursor({ epoch, sequence })
}

/** All events as one stream. */
async function catchUp(posthorn: Posthorn): Promise<Row> {
  const cursorAt = await cursorsOf(posthorn)
  const begun = performance.now()
  const response = await open(posthorn, `after=${cursorAt(0)}`, { accept: 'text/event-stream' })
  const last = `id: ${cursorAt(events)}\n`
  let tail = ''
  for await (const chunk of response) {
    tail = (tail + chunk).slice(-4_000)
    if (tail.includes(last)) break
  }
  const seconds = (performance.now() - begun) / 1000
  return {
    figure: 'events of a stream that catches up with 1,000,000',
    measured: perSecond(events / seconds),
  }
}

/**
 * Measures the memory that each of many streams adds to a server that has some already, after events went through all of
 * them.
 */
async function listening(bench: Bench): Promise<Row> {
  const posthorn = await startPosthorn(join(bench.folder, 'listeners'), { POSTHORN_STREAM_LIMIT: 'off' })
  try {
    let received = 0
    const hear = (chunk: Buffer) => {
      received += chunk.toString().split('event: ').length - 1
    }
    const opened = async (from: number, count: number) => {
      for (let number = from; number < from + count; number++) {
        const response = await open(posthorn, 'types=message.queued', { accept: 'text/event-stream' })
        response.on('data', hear)
      }
      const all = received + (from + count) * eventsHeard
      for (let number = 0; number < eventsHeard; number++) await posthorn.post('/v1/messages/text', text, 202)
      while (received < all) await wait(10)
      await wait(quiet)
      const memory = residentMemory(posthorn.pid)
      bench.note(`${from + count} streams: ${megabytes(memory)}`)
      return memory
    }
    await posthorn.createInstances('stopped')
    const before = await opened(0, listeners / 2)
    const after = await opened(listeners / 2, listeners)
    const each = (after - before) / listeners
    return {
      figure: 'memory of each event stream',
      measured: `${(each / 1e3).toFixed(1)} KB`,
      baseline: `${megabytes(after)} with ${(listeners * 1.5).toLocaleString('en')}`,
      goal: '≤ 50 KB',
      reached: each <= 50e3,
    }
  } finally {
    await posthorn.end()
  }
}

function open(
  { url, key }: Posthorn,
  query: string,
  { agent, accept = 'application/json' }: { agent?: Agent; accept?: string },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept }
    const request = get(
      `${url}${listEvents.path}?${query}`,
      { agent: agent ?? false, headers },
      (response) => {
        if (response.statusCode === 200) resolve(response)
        else reject(new Error(`${query} was answered ${response.statusCode}`))
      },
    )
    request.on('error', reject)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}
