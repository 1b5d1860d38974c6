import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { residentMemory } from '../test/kit/resident-memory.ts'
import { type Figure, median, megabytes, milliseconds } from './figure.ts'
import { instanceNames } from './load.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'
import { runModule } from './process.ts'

/** Uploads of a flood, and their destination. */
export interface FloodOrder {
  readonly url: string
  readonly key: string
  readonly instance: string
  /** Number of uploads at once, and the bytes of each. */
  readonly uploads: number
  readonly bytes: number
}

/** The result of one upload: the code of its answer, and the milliseconds from its beginning to that. */
export interface FloodReport {
  readonly code: string | undefined
  readonly after: number
}

const count = 50
const bytes = 1e9
const refusal = 'body_too_large'
/** Milliseconds that a process is left alone before it is measured. */
const quiet = 5_000
const sampleEvery = 20
const textEvery = 100

/** Resident memory while fifty callers send far more than they may, all at once, and what others notice of it. */
export const uploads: Figure = {
  name: 'uploads',
  async measure(bench) {
    const posthorn = await startPosthorn(join(bench.folder, 'uploads'))
    try {
      await posthorn.createInstances('running')
      await wait(quiet)
      const atRest = residentMemory(posthorn.pid)
      const flood = sendUploads(posthorn)
      const [peak, texts, reports] = await Promise.all([
        highestMemory(posthorn, flood),
        sendTextsDuring(posthorn, flood),
        flood,
      ])
      const refused = reports.filter(({ code }) => code === refusal).length
      bench.note(`${refused} of ${count} were refused, ${megabytes(atRest)} grew to ${megabytes(peak)}`)
      return [
        {
          figure: `${count} uploads of 1 GB at once: memory grows by`,
          measured: megabytes(peak - atRest),
          baseline: `${megabytes(atRest)} at rest`,
          goal: '≤ 64 MB',
          reached: peak - atRest <= 64e6,
        },
        {
          figure: '… refused as too large',
          measured: `${refused}`,
          goal: `${count}`,
          reached: refused === count,
        },
        { figure: '… after, p50', measured: milliseconds(median(reports.map(({ after }) => after))) },
        filesLeft(posthorn),
        {
          figure: '… texts sent meanwhile, response time, p50',
          measured: milliseconds(median(texts)),
          baseline: `${milliseconds(Math.max(...texts))} the slowest`,
        },
      ]
    } finally {
      await posthorn.end()
    }
  },
}

async function sendUploads({ url, key }: Posthorn): Promise<FloodReport[]> {
  const order: FloodOrder = { url, key, instance: instanceNames[0] as string, uploads: count, bytes }
  return JSON.parse(await runModule('./flood-process.ts', [JSON.stringify(order)])) as FloodReport[]
}

async function highestMemory({ pid }: Posthorn, flood: Promise<unknown>): Promise<number> {
  const isOver = watch(flood)
  let highest = 0
  for (; !isOver(); await wait(sampleEvery)) highest = Math.max(highest, residentMemory(pid))
  return highest
}

/** Sends a text after the other, and tells how long each took, in milliseconds. */
async function sendTextsDuring({ url, key }: Posthorn, flood: Promise<unknown>): Promise<number[]> {
  const isOver = watch(flood)
  const times: number[] = []
  for (; !isOver(); await wait(textEvery)) {
    const begun = performance.now()
    const response = await fetch(`${url}/v1/messages/text`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance: instanceNames[1], to: 'ana@accepts.sandbox', text: 'Still there?' }),
    })
    if (response.status !== 202) throw new Error(`a text was answered ${response.status}`)
    await response.text()
    times.push(performance.now() - begun)
  }
  return times
}

function watch(flood: Promise<unknown>): () => boolean {
  let isOver = false
  const end = () => {
    isOver = true
  }
  flood.then(end, end)
  return () => isOver
}

function filesLeft({ data }: Posthorn) {
  const entries = readdirSync(join(data, 'media'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).length
  return { figure: '… files left behind', measured: `${files}`, goal: '0', reached: files === 0 }
}
