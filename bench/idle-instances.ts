import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { startTelegram, type TelegramProcess } from '../test/simulators/telegram/start-telegram.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../test/simulators/whatsapp-cloud/start-whatsapp-cloud.ts'
import { type Bench, type Figure, megabytes, type Row } from './figure.ts'
import { type Posthorn, startPosthorn, untilMetric } from './posthorn.ts'
import { fillStore } from './prepare-store.ts'
import { type ServerProcess, startServer } from './process.ts'
import { processorTime } from './processor.ts'

const cloudInstances = 10_000
const bots = 1_000
/**
 * Milliseconds that a process is left alone before it is measured: V8 collects the garbage of connecting some seconds later.
 */
const quiet = 20_000
/** Seconds for which its processor time is counted: longer than one poll lasts. */
const idleSeconds = 60
const connected = 'posthorn_instances{status="connected"}'

/** Measures the cost of instances of HTTP networks while nothing happens. */
export const idleInstances: Figure = {
  name: 'idle-instances',
  async measure(bench) {
    const parts = { 'whatsapp-cloud': ofCloud, telegram: ofTelegram }
    const rows: Row[] = []
    for (const [name, measure] of Object.entries(parts))
      if (bench.only === undefined || bench.only === name) rows.push(...(await measure(bench)))
    return rows
  },
}

/** Memory of a process, in bytes, and its use of a processor while nothing happens, as a part of one core. */
interface Rest {
  readonly resident: number
  readonly heap: number
  readonly processor: number
}

async function restOf(server: ServerProcess, seconds: number): Promise<Omit<Rest, 'heap'>> {
  await wait(quiet)
  const before = processorTime(server.pid)
  await wait(seconds * 1000)
  const processor = (processorTime(server.pid) - before) / 1e6 / seconds
  return { resident: residentMemory(server.pid), processor }
}

async function restOfPosthorn(posthorn: Posthorn, seconds: number): Promise<Rest> {
  const rest = await restOf(posthorn, seconds)
  return { ...rest, heap: await posthorn.metric('nodejs_heap_size_used_bytes') }
}

/** A Posthorn without instances, on a data folder that was started before. */
async function empty(bench: Bench, environment: Readonly<Record<string, string>>): Promise<Rest> {
  const data = join(bench.folder, 'idle-empty')
  await (await startPosthorn(data, environment)).end()
  const posthorn = await startPosthorn(data, environment)
  try {
    return await restOfPosthorn(posthorn, 1)
  } finally {
    await posthorn.end()
  }
}

async function ofCloud(bench: Bench): Promise<Row[]> {
  const cloud = await startWhatsAppCloud()
  const environment = {
    POSTHORN_WHATSAPP_CLOUD_API: cloud.url,
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
  }
  const data = join(bench.folder, 'idle-cloud')
  try {
    await fillCloud(data, cloud)
    const before = await empty(bench, environment)
    const begun = performance.now()
    const posthorn = await startPosthorn(data, environment)
    try {
      await untilMetric(posthorn, connected, cloudInstances, 600_000)
      const took = (performance.now() - begun) / 1000
      bench.note(
        `${cloudInstances} numbers connected after ${took.toFixed(1)} s: ${megabytes(residentMemory(posthorn.pid))}`,
      )
      const rest = await restOfPosthorn(posthorn, idleSeconds)
      return [
        memoryRow('memory of each idle WhatsApp Cloud instance', rest, before, cloudInstances, 0, 15e3),
        { figure: '… in use on the heap', measured: kilobytes((rest.heap - before.heap) / cloudInstances) },
        { figure: '… connected after the start of the process', measured: `${took.toFixed(1)} s for all` },
        { figure: '… processor time of all', measured: percent(rest.processor) },
      ]
    } finally {
      await posthorn.end()
    }
  } finally {
    await cloud.stop()
  }
}

async function fillCloud(data: string, cloud: WhatsAppCloud): Promise<void> {
  const { waba, token, appSecret } = cloud
  const numberOf = (index: number) => String(300_000_000_000_000 + index)
  for (let index = 0; index < cloudInstances; index += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, of) => numberOf(index + of)).map((id) =>
        cloud.control('number', { id, waba, display_phone_number: id.slice(-11) }),
      ),
    )
  await fillStore(data, {
    instances: cloudInstances,
    messages: 0,
    instance: (index) => ({
      network: 'whatsapp-cloud',
      settings: { phone_number_id: numberOf(index) },
      credentials: { access_token: token, app_secret: appSecret, verify_token: 'a-word-of-our-own' },
      account: numberOf(index),
    }),
  })
}

async function ofTelegram(bench: Bench): Promise<Row[]> {
  const stops: (() => Promise<void>)[] = []
  const telegram = await startTelegram({ after: (stop) => stops.push(stop) })
  const environment = {
    POSTHORN_TELEGRAM_API: telegram.url,
    POSTHORN_CONNECT_ALLOW_CIDRS: '127.0.0.0/8',
  }
  const data = join(bench.folder, 'idle-telegram')
  try {
    const tokens = await createBots(telegram)
    const bare = await bareRest(telegram, tokens)
    bench.note(`${bots} bare polls: ${megabytes(bare.each * bots)}, ${percent(bare.processor)}`)
    await fillStore(data, {
      instances: bots,
      messages: 0,
      instance: (index) => ({
        network: 'telegram',
        settings: {},
        credentials: { token: tokens[index] },
        account: null,
      }),
    })
    const before = await empty(bench, environment)
    const posthorn = await startPosthorn(data, environment)
    try {
      await untilMetric(posthorn, connected, bots, 600_000)
      const rest = await restOfPosthorn(posthorn, idleSeconds)
      return [
        memoryRow(
          'memory of each polling Telegram bot, besides a bare poll',
          rest,
          before,
          bots,
          bare.each,
          30e3,
        ),
        {
          figure: '… with its poll',
          measured: kilobytes((rest.resident - before.resident) / bots),
          baseline: kilobytes(bare.each),
        },
        { figure: '… in use on the heap', measured: kilobytes((rest.heap - before.heap) / bots) },
        {
          figure: `processor time of ${bots.toLocaleString('en')} bots while nothing comes`,
          measured: percent(rest.processor),
          baseline: percent(bare.processor),
          goal: '≤ 5 % of a core',
          reached: rest.processor <= 0.05,
        },
      ]
    } finally {
      await posthorn.end()
    }
  } finally {
    for (const stop of stops) await stop()
  }
}

async function createBots({ control }: TelegramProcess): Promise<string[]> {
  const tokens: string[] = []
  for (let index = 0; index < bots; index++)
    tokens.push((await control.createBot({ username: `shop_${index}_bot` })).token)
  return tokens
}

/** Measures the cost of each poll that Node's own HTTP client holds, and of all of them together. */
async function bareRest({ url }: TelegramProcess, tokens: readonly string[]) {
  const start = (of: readonly string[]) =>
    startServer('./bare-polls.ts', (port) => ({
      BARE_API: url,
      BARE_TOKENS: JSON.stringify(of),
      BARE_PORT: String(port),
    }))
  const measured = async (of: readonly string[], seconds: number) => {
    const server = await start(of)
    try {
      return await restOf(server, seconds)
    } finally {
      await server.end()
    }
  }
  const none = await measured([], 1)
  const all = await measured(tokens, idleSeconds)
  return { each: (all.resident - none.resident) / tokens.length, processor: all.processor }
}

function memoryRow(
  figure: string,
  rest: Rest,
  before: Rest,
  instances: number,
  besides: number,
  goal: number,
): Row {
  const each = (rest.resident - before.resident) / instances - besides
  return {
    figure,
    measured: kilobytes(each),
    baseline: `${megabytes(rest.resident)} with ${instances.toLocaleString('en')}`,
    goal: `≤ ${goal / 1e3} KB`,
    reached: each <= goal,
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1e3).toFixed(1)} KB`
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} % of a core`
}
