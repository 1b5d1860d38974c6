import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { firstIdAt } from '../src/runtime/ids.ts'
import { type Figure, milliseconds, quantile, type Row } from './figure.ts'
import { instanceNames } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'
import { fillStore } from './prepare-store.ts'

const messages = 1_000_000
const instances = 100
const repetitions = 15
const searchers = 8
const besides = 300

interface Page {
  readonly data: readonly { readonly id: string; readonly created_at: string }[]
  readonly next_cursor: string | null
}

/** Measures the cost of lists of many messages, for their caller and for others. */
export const lists: Figure = {
  name: 'lists',
  async measure(bench) {
    const data = join(bench.folder, 'lists')
    bench.note(`writing ${messages.toLocaleString('en')} messages`)
    await fillStore(data, { instances, messages })
    nameByTime(data)
    const posthorn = await startPosthorn(data)
    try {
      await posthorn.createInstances('stopped')
      const agent = new Agent({ keepAlive: true })
      const ask = (path: string) => answerOf(posthorn, agent, 'GET', path)
      const rows = [
        ...(await firstPages(ask)),
        ...(await wholeSearch(ask)),
        ...(await beside(posthorn, agent, ask)),
      ]
      agent.destroy()
      return rows
    } finally {
      await posthorn.end()
    }
  },
}

/** Gives the messages ids of their times, as a server does. */
function nameByTime(data: string): void {
  const database = new DatabaseSync(join(data, 'posthorn.db'))
  const digits = (seq: number) => String(seq).padStart(16, '0')
  database.function('id_at', (at, seq) => firstIdAt('msg', Number(at)).slice(0, -16) + digits(Number(seq)))
  database.exec(
    'PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; update messages set id = id_at(created_at, seq); PRAGMA wal_checkpoint(TRUNCATE)',
  )
  database.close()
}

type Ask = (path: string) => Promise<{ took: number; page: Page }>

async function firstPages(ask: Ask): Promise<Row[]> {
  const day = 24 * 60 * 60_000
  const middle = Date.now() - 50 * day
  const moment = (at: number) => new Date(at).toISOString()
  const range = `created_after=${moment(middle)}&created_before=${moment(middle + day)}`
  const person = 'conversation=r4711@accepts.sandbox'
  const filters: readonly [string, string][] = [
    ['of a status that one in 50 has', 'status=failed'],
    ['of a status that none has', 'status=unknown'],
    ['of a day in the middle', range],
    ['… and of a status', `${range}&status=failed`],
    ['of an instance and a status', 'instance=old-7&status=read'],
    ['of a kind that none has', 'kind=image'],
    ['with a text that all have', 'text=WAREHOUSE'],
    ['with a text that one has', 'text=order%20123456%20'],
    ['… of a day and a status', `${range}&status=read&text=warehouse`],
    ['… of a conversation', `${person}&text=warehouse`],
    ['… of a conversation, and not there', `${person}&text=nothing`],
  ]
  const base = await slowest(ask, '/v1/messages?limit=50')
  const rows: Row[] = [
    { figure: 'first page of 1,000,000 messages, the slowest of 15', measured: milliseconds(base) },
  ]
  for (const [name, query] of filters)
    rows.push(goal(name, await slowest(ask, `/v1/messages?limit=50&${query}`), base))
  rows.push(
    goal(
      'first page of 100,000 conversations or more',
      await slowest(ask, '/v1/conversations?limit=50'),
      base,
    ),
  )
  rows.push(goal('… of an instance', await slowest(ask, '/v1/conversations?limit=50&instance=old-7'), base))
  return rows
}

const goal = (figure: string, took: number, base: number): Row => ({
  figure,
  measured: milliseconds(took),
  baseline: milliseconds(base),
  goal: '≤ 300 ms',
  reached: took <= 300,
})

async function slowest(ask: Ask, path: string): Promise<number> {
  const durations: number[] = []
  for (let count = 0; count < repetitions; count++) durations.push((await ask(path)).took)
  return Math.max(...durations)
}

/** Through everything, page by page. */
async function wholeSearch(ask: Ask): Promise<Row[]> {
  const begun = performance.now()
  const calls: number[] = []
  for (let cursor = ''; ; ) {
    const { took, page } = await ask(`/v1/messages?text=nothing${cursor}`)
    calls.push(took)
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  const sorted = calls.toSorted((left, right) => left - right)
  return [
    {
      figure: 'a text searched in all messages',
      measured: `${((performance.now() - begun) / 1000).toFixed(1)} s`,
    },
    { figure: `… each of ${calls.length} calls, p50`, measured: milliseconds(quantile(sorted, 0.5)) },
    { figure: '… the slowest', measured: milliseconds(quantile(sorted, 1)) },
  ]
}

/** Reads and commits of others, one after the other, while there is no search and while there are many. */
async function beside(posthorn: Posthorn, agent: Agent, ask: Ask): Promise<Row[]> {
  const { page } = await ask('/v1/messages?limit=1')
  const read = () => answerOf(posthorn, agent, 'GET', `/v1/messages/${page.data[0]?.id}`)
  const text = { instance: instanceNames[0], to: 'ana@accepts.sandbox', text: 'Hello' }
  const send = () => answerOf(posthorn, agent, 'POST', '/v1/messages/text', text)
  const measure = async (act: () => Promise<{ took: number }>) => {
    const durations: number[] = []
    for (let count = 0; count < besides; count++) durations.push((await act()).took)
    const sorted = durations.toSorted((left, right) => left - right)
    return { p99: quantile(sorted, 0.99), most: quantile(sorted, 1) }
  }
  const quiet = { read: await measure(read), send: await measure(send) }
  let isOver = false
  const search = async () => {
    for (let cursor = ''; !isOver; ) {
      const { page } = await ask(`/v1/messages?text=nothing${cursor}`)
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    }
  }
  const searching = Array.from({ length: searchers }, search)
  const busy = { read: await measure(read), send: await measure(send) }
  isOver = true
  await Promise.all(searching)
  const row = (figure: string, what: 'read' | 'send'): Row => ({
    figure: `${figure} beside ${searchers} searches, p99`,
    measured: milliseconds(busy[what].p99),
    baseline: milliseconds(quiet[what].p99),
    goal: '≤ 20 ms more',
    reached: busy[what].p99 - quiet[what].p99 <= 20,
  })
  return [
    row('a message is read', 'read'),
    {
      figure: '… the slowest',
      measured: milliseconds(busy.read.most),
      baseline: milliseconds(quiet.read.most),
    },
    row('a text is accepted', 'send'),
    {
      figure: '… the slowest',
      measured: milliseconds(busy.send.most),
      baseline: milliseconds(quiet.send.most),
    },
  ]
}

function answerOf(
  { url, key }: Posthorn,
  agent: Agent,
  method: string,
  path: string,
  body?: object,
): Promise<{ took: number; page: Page }> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const asked = request(`${url}${path}`, { agent, method, headers }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      if ((response.statusCode ?? 500) >= 300)
        reject(new Error(`${path} was answered ${response.statusCode}: ${text}`))
      else resolve({ took: performance.now() - begun, page: JSON.parse(text) })
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}
