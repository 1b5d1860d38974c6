import { setTimeout as wait } from 'node:timers/promises'
import { blockOf } from '../src/messages/list/message-index.ts'
import { keptKind, keptStatus } from '../src/store/tables/kept-message.ts'
import { type Figure, median, milliseconds, type Row } from './figure.ts'
import { instanceNames } from './load.ts'
import type { Posthorn } from './posthorn.ts'
import { type StoredPosthorn, stores } from './stores.ts'

const messages = 1_000_000
const people = 1_000
/** Messages that one statement writes, so that the server writes what it must in between. */
const writtenAtOnce = 25_000
const repetitions = 15
/** The largest page that callers may ask for. */
const largest = 200
const goal = 100
/** Milliseconds in which the server has entered the blocks of all of them. */
const enteredWithin = 5 * 60_000
/** Milliseconds between two messages, so that none is too old to be kept. */
const between = 5_000

interface Page {
  readonly data: readonly { readonly name: string | null; readonly unread: number }[]
  readonly next_cursor: string | null
}

/** Measures the list of 1,000 conversations with names and unread messages, of 1,000 messages each, on each store. */
export const conversations: Figure = {
  name: 'conversations',
  async measure(bench) {
    const rows: Row[] = []
    for (const name of ['sqlite', 'postgres'] as const) {
      if (bench.only !== undefined && bench.only !== name) continue
      const store = await stores[name](bench)
      try {
        const posthorn = await store.start('conversations')
        try {
          await posthorn.createInstances('stopped')
          bench.note(`${store.name}: writing ${messages.toLocaleString('en')} messages`)
          await fill(posthorn, name === 'postgres')
          bench.note(`${store.name}: listing conversations`)
          rows.push(...(await rowsOf(store.name, posthorn)))
        } finally {
          await posthorn.end()
        }
      } finally {
        await store.end()
      }
    }
    return rows
  },
}

/** Writes messages by SQL that both stores understand, and waits until the server has entered their blocks. */
export async function fill(posthorn: StoredPosthorn, hasSequence: boolean): Promise<void> {
  await posthorn.execute([writePeople(Date.now())])
  for (let first = 0; first < messages; first += writtenAtOnce)
    await posthorn.execute([writeMessages(first, Date.now() - messages * between)])
  if (hasSequence)
    await posthorn.execute([`select setval('messages_seq_seq', (select max(seq) from messages))`])
  const deadline = performance.now() + enteredWithin
  const last = blockOf(messages)
  for (;;) {
    const [row] = await posthorn.read(`select value from service where name = 'blocks_entered'`)
    if (Number(row?.value) >= last) return
    if (performance.now() > deadline) throw new Error('the blocks of messages were not entered')
    await wait(500)
  }
}

const numbers = (first: number, count: number) =>
  `with recursive numbers (n) as (select cast(${first} as bigint) union all select n + 1 from numbers where n < ${first + count - 1})`
/** A number of seven digits. */
const digits = (of: string) => `substr(cast(${of} + 10000000 as text), 2)`
const person = (number: string) => `'r' || ${digits(number)}`
const firstInstance = `from message_instances where instance_name = '${instanceNames[0]}'`

/** One in ten is known by two addresses. */
function writePeople(now: number): string {
  const row = (suffix: string) =>
    `select instance_id, organization_id, ${person('n')} || '${suffix}', ${person('n')} || '@accepts.sandbox', ${now}, 'Person ' || n
     from numbers join (select * ${firstInstance}) as own on true`
  return `${numbers(0, people)}
    insert into contact_addresses (instance_id, organization_id, address, contact, told_at, name)
    ${row('@accepts.sandbox')} union all ${row('@other-address.sandbox')} where n % 10 = 0`
}

/** Each person writes as often as they are written to. */
function writeMessages(first: number, since: number): string {
  const place = (incoming: string, outgoing: string) =>
    `case when incoming = 1 then ${incoming} else ${outgoing} end`
  return `${numbers(first, writtenAtOnce)},
    moments as (select n, ${person(`(n * 7919 % ${people})`)} || '@accepts.sandbox' as person, n / ${people} % 2 as incoming,
      ${since} + n * ${between} as at from numbers)
    insert into messages (seq, id, instance, incoming, sender, recipient, kind, status, text, content, network_message_id, attempts,
      created_at, expires_at, sent_after, delivered_after, last_event_after)
    select n + 1, 'msg_050000000000000000' || '0' || ${digits('n')}, number, incoming, ${place('person', 'null')}, person,
      ${keptKind('text')}, ${place(String(keptStatus('received')), String(keptStatus('delivered')))},
      'Your order ' || n || ' has left our warehouse and will be with you tomorrow between 9 and 12 o’clock.',
      ${place(`'{"sender":{"address":"' || person || '","name":"A person","username":null}}'`, 'null')},
      ${place(`'n' || n`, 'null')}, 1, at, at, ${place('null', '150')}, ${place('null', '900')}, 900
    from moments join (select number ${firstInstance}) as own on true`
}

async function rowsOf(store: string, posthorn: Posthorn): Promise<Row[]> {
  const list = async (query: string): Promise<{ took: number; page: Page }> => {
    const begun = performance.now()
    const page = (await posthorn.call('GET', `/v1/conversations?${query}`, undefined, 200)) as Page
    return { took: performance.now() - begun, page }
  }
  const slowest = async (query: string) => {
    const durations: number[] = []
    for (let count = 0; count < repetitions; count++) durations.push((await list(query)).took)
    return { most: Math.max(...durations), p50: median(durations) }
  }
  const first = await list('limit=50')
  const usual = await slowest('limit=50')
  const full = await slowest(`limit=${largest}`)
  const ofInstance = await slowest(`limit=${largest}&instance=${instanceNames[0]}`)
  const all = await everyPage(list)
  const row = (figure: string, { most, p50 }: { readonly most: number; readonly p50: number }): Row => ({
    figure,
    measured: milliseconds(most),
    baseline: `${milliseconds(p50)}, p50`,
    goal: `≤ ${goal} ms`,
    reached: most <= goal,
  })
  return [
    row(
      `first 50 of 1,000 conversations of 1,000,000 messages, ${store}, the slowest of ${repetitions}`,
      usual,
    ),
    row(`… first ${largest}`, full),
    row('… of one instance', ofInstance),
    { figure: '… the very first call', measured: milliseconds(first.took) },
    { figure: '… all 1,000, page by page', measured: milliseconds(all) },
  ]
}

/** Lists all conversations, and throws if names or unread messages are missing, for then something else was measured. */
async function everyPage(list: (query: string) => Promise<{ took: number; page: Page }>): Promise<number> {
  const begun = performance.now()
  const found: Page['data'][number][] = []
  for (let cursor = ''; ; ) {
    const { page } = await list(`limit=${largest}${cursor}`)
    found.push(...page.data)
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  const took = performance.now() - begun
  const unread = messages / people / 2
  const right = found.filter((one) => one.name !== null && one.unread === unread)
  if (right.length !== people || found.length !== people)
    throw new Error(
      `of ${found.length} conversations, ${right.length} have a name and ${unread} unread messages`,
    )
  return took
}
