import { setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { startWhatsApp, type WhatsAppProcess } from '../test/simulators/whatsapp/start-whatsapp.ts'
import { throwHistories } from './attacks/history-bomb.ts'
import { type Bench, type Figure, megabytes, milliseconds, quantile, type Row } from './figure.ts'
import { createOrganization, type Posthorn } from './posthorn.ts'
import { childrenOf } from './processor.ts'
import { type BenchStore, type StoredPosthorn, stores } from './stores.ts'

const quietSeconds = 15
const attackSeconds = 30
const textEvery = 200
const sampleEvery = 50
const contacts = 10
/** The niceness of what stands for WhatsApp. */
const lowPriority = 10

const [attacker, neighbour] = ['49151000000001', '49151000000002'] as const
const contactOf = (index: number) => `49152${String(index).padStart(9, '0')}`

/**
 * Measures the effect on an organization with a linked account while the phone of another one's hands over histories that
 * unfold to a hundred megabytes: with workers as they are by default, and with one that both share.
 */
export const whatsappNeighbours: Figure = {
  name: 'whatsapp-neighbours',
  async measure(bench) {
    const store = await stores[bench.store ?? 'sqlite'](bench)
    try {
      const apart = await measureBeside(bench, store, 'history bombs', {})
      const shared = await measureBeside(bench, store, 'history bombs, in the same worker', {
        POSTHORN_WHATSAPP_WORKERS: '1',
      })
      return [...apart, ...shared]
    } finally {
      await store.end()
    }
  },
}

async function measureBeside(
  bench: Bench,
  store: BenchStore,
  title: string,
  environment: Readonly<Record<string, string>>,
): Promise<Row[]> {
  const stops: (() => Promise<void>)[] = []
  const far = await startWhatsApp({ after: (stop) => stops.push(stop) })
  // It would be on another machine.
  for (const pid of childrenOf(process.pid)) setPriority(pid, lowPriority)
  const posthorn = await store.start(`whatsapp-neighbours-${Object.values(environment).join('-')}`, {
    POSTHORN_WHATSAPP_SERVER: far.url,
    POSTHORN_WHATSAPP_CA_FILE: far.caFile,
    POSTHORN_WHATSAPP_ROOT_KEY: far.rootKey,
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
    ...environment,
  })
  try {
    const key = await createOrganization(posthorn, 'another')
    for (let index = 0; index < contacts; index++) await far.control.createPerson({ phone: contactOf(index) })
    await link(far, posthorn, key, 'attacker', attacker)
    await link(far, posthorn, posthorn.key, 'neighbour', neighbour)
    await goAbout(posthorn, 5)
    const quiet = await goAbout(posthorn, quietSeconds)
    const bombing = throwHistories(far.control, attacker)
    const beside = await goAbout(posthorn, attackSeconds).finally(() => bombing.stop())
    bench.note(`${title}: ${bombing.taken} histories were taken`)
    return await rowsOf(title, posthorn, quiet, beside)
  } finally {
    await posthorn.end()
    for (const stop of stops) await stop()
  }
}

/** Links an account by the text of its QR code, as the owner of a key. */
async function link(
  { control }: WhatsAppProcess,
  posthorn: Posthorn,
  key: string,
  name: string,
  phone: string,
): Promise<void> {
  await control.createPerson({ phone })
  const settings = { pacing: { off: true } }
  await posthorn.post('/v1/instances', { name, network: 'whatsapp', settings }, 201, key)
  const linkOf = async () => (await statusOf(posthorn, key, name)).link?.value
  await control.scan({ person: phone, qr: await until(linkOf) })
  await until(async () => (await statusOf(posthorn, key, name)).status === 'connected' || undefined)
}

interface Status {
  readonly status: string
  readonly link: { readonly value: string } | null
}

async function statusOf({ url }: Posthorn, key: string, name: string): Promise<Status> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/instances/${name}/status`, { headers })
  return (await response.json()) as Status
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let tries = 0; tries < 1_200; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await wait(50)
  }
  throw new Error('an account was not linked in time')
}

interface Observed {
  readonly since: number
  readonly accepted: number
  /** Of the server and its workers together, at most, in bytes. */
  readonly memory: number
}

/** The neighbour sends texts at a steady rate for some seconds, and waits until all have left, for as long again at most. */
async function goAbout(posthorn: StoredPosthorn, seconds: number): Promise<Observed> {
  const since = Date.now()
  let memory = 0
  const sample = setInterval(() => {
    memory = Math.max(memory, memoryOf(posthorn))
  }, sampleEvery)
  const texts: Promise<void>[] = []
  const send = () => {
    const to = `+${contactOf(texts.length % contacts)}`
    const body = { instance: 'neighbour', to, text: `Text ${texts.length}` }
    texts.push(posthorn.post('/v1/messages/text', body, 202))
  }
  const sending = setInterval(send, textEvery)
  await wait(seconds * 1_000)
  clearInterval(sending)
  await Promise.all(texts)
  const deadline = performance.now() + seconds * 1_000
  while (performance.now() < deadline) {
    const times = await posthorn.sendingTimes(since, 'neighbour')
    if (times.length === texts.length && times.every(Number.isFinite)) break
    await wait(200)
  }
  clearInterval(sample)
  return { since, accepted: texts.length, memory }
}

function memoryOf({ pid }: Posthorn): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + memoryOfOne(each), 0)
}

/** Nothing for one that has just ended. */
function memoryOfOne(pid: number): number {
  try {
    return residentMemory(pid)
  } catch {
    return 0
  }
}

async function rowsOf(
  title: string,
  posthorn: StoredPosthorn,
  quiet: Observed,
  beside: Observed,
): Promise<Row[]> {
  const before = await posthorn.sendingTimes(quiet.since, 'neighbour', beside.since)
  const all = await posthorn.sendingTimes(beside.since, 'neighbour')
  const p99 = (times: readonly number[]) => quantile(times, 0.99)
  const grown = beside.memory - quiet.memory
  return [
    {
      figure: `beside ${title}: texts of a linked account, accepted → sent, p99`,
      measured: milliseconds(p99(all)),
      baseline: milliseconds(p99(before)),
      ratio: (p99(all) / p99(before)).toFixed(1),
      goal: '≤ 2 s',
      reached: all.length === beside.accepted && p99(all) <= 2_000,
    },
    {
      figure: '… memory of the server and its workers grows by',
      measured: megabytes(Math.max(0, grown)),
      baseline: `${megabytes(quiet.memory)} while quiet`,
      goal: '≤ 128 MB',
      reached: grown <= 128e6,
    },
  ]
}
