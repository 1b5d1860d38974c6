import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { startWhatsApp, type WhatsAppProcess } from '../test/simulators/whatsapp/start-whatsapp.ts'
import { type Bench, type Figure, megabytes, milliseconds, type Row } from './figure.ts'
import { goAbout } from './neighbours.ts'
import { createOrganization, type Posthorn, startPosthorn, untilMetric } from './posthorn.ts'
import { childrenOf, processorTime } from './processor.ts'

const instances = 200
/** Accounts of the baseline. */
const few = 2
const contacts = 10
const texts = 2_000
const warmUps = 400
const concurrency = 8
/** Accounts that send at once. */
const senders = 8
/** Milliseconds that the processes are left alone before their memory is measured. */
const quiet = 20_000
const idleSeconds = 60
/** Milliseconds between two looks at a metric: a look counts as processor time, too. */
const lookEvery = 500
/** The niceness of what stands for WhatsApp. */
const lowPriority = 10
const neighbour = 'neighbour'

const connected = 'posthorn_instances{status="connected"}'
const shopOf = (index: number) => `49151${String(index).padStart(8, '0')}`
const contactOf = (index: number) => `49152${String(index).padStart(8, '0')}`
const nameOf = (index: number) => `shop-${index}`

/**
 * Measures linked WhatsApp accounts: at rest and when they log in again (`rest`), for a text (`text`), and beside others
 * (`beside`).
 */
export const whatsapp: Figure = {
  name: 'whatsapp',
  async measure(bench) {
    const stops: (() => Promise<void>)[] = []
    const far = await startWhatsApp({ after: (stop) => stops.push(stop) })
    // It would be on another machine.
    for (const pid of childrenOf(process.pid)) setPriority(pid, lowPriority)
    const environment = {
      POSTHORN_WHATSAPP_SERVER: far.url,
      POSTHORN_WHATSAPP_CA_FILE: far.caFile,
      POSTHORN_WHATSAPP_ROOT_KEY: far.rootKey,
      POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    }
    const data = join(bench.folder, 'whatsapp')
    const start = () => startPosthorn(data, environment)
    const parts = { rest: restRows, text: textRows, beside: besideRows }
    const rows: Row[] = []
    try {
      await linkAll(bench, far, start)
      for (const [name, measure] of Object.entries(parts))
        if (bench.only === undefined || bench.only === name) rows.push(...(await measure(bench, far, start)))
      return rows
    } finally {
      for (const stop of stops) await stop()
    }
  },
}

/** Of the server with its workers. */
interface Family {
  /** In bytes. */
  readonly resident: number
  /** In microseconds, since they were started. */
  readonly processor: number
}

function familyOf({ pid }: Posthorn): Family {
  const all = [pid, ...childrenOf(pid)]
  return {
    resident: all.reduce((sum, each) => sum + residentMemory(each), 0),
    processor: all.reduce((sum, each) => sum + processorTime(each), 0),
  }
}

type Start = () => Promise<Posthorn>

const untilConnected = (posthorn: Posthorn, accounts: number) =>
  untilMetric(posthorn, connected, accounts, 300_000, lookEvery)

/** Links every account by the text of its QR code. */
async function linkAll(bench: Bench, far: WhatsAppProcess, start: Start): Promise<void> {
  for (let index = 0; index < contacts; index++) await far.control.createPerson({ phone: contactOf(index) })
  const posthorn = await start()
  try {
    let next = 0
    const link = async () => {
      for (let index = next++; index < instances; index = next++) {
        const settings = { pacing: { off: true } }
        await far.control.createPerson({ phone: shopOf(index) })
        await posthorn.post('/v1/instances', { name: nameOf(index), network: 'whatsapp', settings }, 201)
        await far.control.scan({ person: shopOf(index), qr: await qrOf(posthorn, nameOf(index)) })
        if (index % 50 === 49) bench.note(`${index + 1} accounts linked`)
      }
    }
    await Promise.all([link(), link(), link(), link()])
    await untilConnected(posthorn, instances)
  } finally {
    await posthorn.end()
  }
}

async function qrOf(posthorn: Posthorn, name: string): Promise<string> {
  for (;;) {
    const path = `/v1/instances/${name}/status`
    const { link } = (await posthorn.call('GET', path, undefined, 200)) as { link: { value: string } | null }
    if (link) return link.value
    await wait(50)
  }
}

interface Started extends Family {
  /** From the start of the process until all are connected, in milliseconds. */
  readonly took: number
  /** The processor time until then, in microseconds. */
  readonly begun: number
  /** While nothing happens, as a part of one core. */
  readonly idle: number
}

/** Starts the server, which has so many accounts, and leaves it alone. */
async function aStart(start: Start, accounts: number): Promise<Started> {
  const since = performance.now()
  const posthorn = await start()
  try {
    await untilConnected(posthorn, accounts)
    const took = performance.now() - since
    const begun = familyOf(posthorn).processor
    await wait(quiet)
    const before = familyOf(posthorn)
    await wait(idleSeconds * 1000)
    const after = familyOf(posthorn)
    return { ...after, took, begun, idle: (after.processor - before.processor) / 1e6 / idleSeconds }
  } finally {
    await posthorn.end()
  }
}

/** Orders all accounts but a few to start or to stop. */
async function order(posthorn: Posthorn, what: 'start' | 'stop'): Promise<void> {
  for (let index = few; index < instances; index++)
    await posthorn.post(`/v1/instances/${nameOf(index)}/${what}`, undefined, 202)
}

async function restRows(bench: Bench, _far: WhatsAppProcess, start: Start): Promise<Row[]> {
  const first = await start()
  await untilConnected(first, instances)
  await order(first, 'stop')
  await first.end()
  const base = await aStart(start, few)
  bench.note(`${few} accounts: ${megabytes(base.resident)}`)
  const second = await start()
  await order(second, 'start')
  await untilConnected(second, instances)
  await second.end()
  const all = await aStart(start, instances)
  bench.note(`${instances} accounts: ${megabytes(all.resident)}`)
  return rowsOf(base, all)
}

function rowsOf(base: Started, all: Started): Row[] {
  const more = instances - few
  const memory = (all.resident - base.resident) / more
  const login = (all.begun - base.begun) / more / 1000
  return [
    {
      figure: 'memory of each idle linked WhatsApp account',
      measured: megabytes(memory),
      baseline: `${megabytes(base.resident)} for the server and its worker`,
      goal: '≤ 0.7 MB',
      reached: memory <= 0.7e6,
    },
    { figure: '… processor time of all', measured: `${(all.idle * 100).toFixed(1)} % of a core` },
    {
      figure: '… processor time of a login',
      measured: milliseconds(login),
      goal: '≤ 20 ms',
      reached: login <= 20,
    },
    {
      figure: `… all ${instances} connected after the start of the process`,
      measured: `${(all.took / 1000).toFixed(1)} s`,
      baseline: `${(base.took / 1000).toFixed(1)} s for ${few}`,
      goal: '≤ 30 s',
      reached: all.took <= 30_000,
    },
  ]
}

/**
 * Measures the cost of a text for the server and its worker until its receipt is stored, beside one over the sandbox, which
 * has none.
 */
async function textRows(bench: Bench, far: WhatsAppProcess, start: Start): Promise<Row[]> {
  const posthorn = await start()
  try {
    await untilConnected(posthorn, instances)
    await posthorn.createInstances('running', ['sandbox'])
    const from = (accounts: number) => (index: number) => ({
      instance: nameOf(index % accounts),
      to: `+${contactOf(Math.floor(index / accounts) % contacts)}`,
    })
    const toSandbox = (index: number) => ({ instance: 'sandbox', to: `p${index % contacts}@accepts.sandbox` })
    const costOf = async (to: (index: number) => object, count = texts) => {
      const before = familyOf(posthorn).processor
      await sendTexts(posthorn, to, count)
      await untilMetric(posthorn, 'posthorn_queue_depth', 0, 300_000, lookEvery)
      return (familyOf(posthorn).processor - before) / count / 1000
    }
    for (const warm of [from(senders), toSandbox]) await costOf(warm, warmUps)
    await wait(3_000)
    const sandbox = await costOf(toSandbox)
    const ofOne = await costOf(from(1))
    const ofSeveral = await costOf(from(senders))
    const each = (2 * texts + warmUps) / contacts
    const seen = await far.control.received({ person: contactOf(0), count: each })
    if (seen.length !== each) throw new Error(`a phone shows ${seen.length} texts`)
    bench.note(`${texts} texts: ${milliseconds(ofOne)} each`)
    await posthorn.call('DELETE', '/v1/instances/sandbox', undefined, 204)
    return [
      textRow('processor time of a warm WhatsApp text, from the API to its receipt', ofOne, sandbox),
      textRow(`… while ${senders} accounts send`, ofSeveral, sandbox),
    ]
  } finally {
    await posthorn.end()
  }
}

function textRow(figure: string, cost: number, sandbox: number): Row {
  return {
    figure,
    measured: milliseconds(cost),
    baseline: `${milliseconds(sandbox)} over the sandbox`,
    ratio: (cost / sandbox).toFixed(1),
    goal: '≤ 3 ms',
    reached: cost <= 3,
  }
}

async function sendTexts(posthorn: Posthorn, to: (index: number) => object, count: number): Promise<void> {
  let next = 0
  const send = async () => {
    for (let index = next++; index < count; index = next++)
      await posthorn.post('/v1/messages/text', { ...to(index), text: `Text ${index}` }, 202)
  }
  await Promise.all(Array.from({ length: concurrency }, send))
}

/** Measures the effect on another organization while all accounts reconnect, again and again. */
async function besideRows(bench: Bench, far: WhatsAppProcess, start: Start): Promise<Row[]> {
  const posthorn = await start()
  try {
    await untilConnected(posthorn, instances)
    const key = await createOrganization(posthorn, 'another')
    await posthorn.createInstances('running', [neighbour])
    const other = { ...posthorn, key }
    await posthorn.post('/v1/instances', { name: neighbour, network: 'sandbox' }, 201, key)
    await goAbout(other, 3)
    const before = await goAbout(other, 10)
    let cuts = 0
    const cut = setInterval(() => {
      cuts += 1
      void far.control.disturb({ fault: { kind: 'cut' } })
    }, 5_000)
    void far.control.disturb({ fault: { kind: 'cut' } })
    const beside = await goAbout(other, 20).finally(() => clearInterval(cut))
    bench.note(`cut ${cuts + 1} times; ${beside.failures} of the neighbour's calls failed`)
    return [
      {
        figure: 'GET /v1/instances of another organization while all WhatsApp accounts reconnect, p99',
        measured: milliseconds(beside.p99),
        baseline: milliseconds(before.p99),
        ratio: (beside.p99 / before.p99).toFixed(1),
        goal: '≤ 2 times',
        reached: beside.p99 <= 2 * before.p99 && beside.failures === 0,
      },
    ]
  } finally {
    await posthorn.end()
  }
}
