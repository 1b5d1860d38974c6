import { type Bench, type Figure, median, milliseconds, type Row } from './figure.ts'
import { batchSize, connections, type LoadReport, sendBatches, sendTexts, type Target } from './load.ts'
import { total } from './posthorn.ts'
import { processorTime, tellsProcessorTime } from './processor.ts'
import { type BenchStore, stores } from './stores.ts'

const rounds = 6
const seconds = 3
/** As many as V8 needs to compile what a text takes. */
const warmUpTexts = 60_000
const goal = 0.5

/** Measures the processor time of a text in a batch of a hundred, beside that of one that comes alone, on each store. */
export const batch: Figure = {
  name: 'batch',
  async measure(bench) {
    if (!tellsProcessorTime) {
      bench.note('skipped: there is no /proc here')
      return [{ figure: 'processor time of a text in a batch', measured: 'skipped: only Linux tells it' }]
    }
    const rows: Row[] = []
    for (const name of ['sqlite', 'postgres'] as const) {
      if (bench.only !== undefined && bench.only !== name) continue
      const store = await stores[name](bench)
      try {
        rows.push(...(await measureOn(store, bench)))
      } finally {
        await store.end()
      }
    }
    return rows
  },
}

/** Cost of each text of one load, in microseconds, and the texts that were accepted in a second. */
interface Cost {
  readonly ofText: number
  readonly perSecond: number
  readonly load: LoadReport
}

/** Single texts over as many connections as batches come over, the batches, and single texts over many connections, which share commits. */
interface Round {
  readonly single: Cost
  readonly batched: Cost
  readonly many: Cost
}

/** Sends single texts and batches in turns to a Posthorn with stopped instances, which only accepts. */
async function measureOn(store: BenchStore, bench: Bench): Promise<Row[]> {
  const posthorn = await store.start('batch')
  const costOf = async (send: typeof sendTexts, texts: number, over: number): Promise<Cost> => {
    const before = processorTime(posthorn.pid)
    const load = await send({ url: posthorn.url, key: posthorn.key, seconds, connections: over })
    const ofText = (processorTime(posthorn.pid) - before) / (load.accepted * texts)
    return { ofText, perSecond: load.perSecond * texts, load }
  }
  try {
    await posthorn.createInstances('stopped')
    const target: Target = posthorn
    const first = await sendTexts({ ...target, seconds, amount: warmUpTexts })
    const second = await sendBatches({ ...target, seconds, amount: warmUpTexts / batchSize })
    const measured: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      const single = await costOf(sendTexts, 1, connections.batches)
      const batched = await costOf(sendBatches, batchSize, connections.batches)
      const many = await costOf(sendTexts, 1, connections.texts)
      measured.push({ single, batched, many })
      const [one, other, shared] = [batched, single, many].map(({ ofText }) => microseconds(ofText))
      bench.note(`${store.name}, round ${round}: ${one} of ${other}, or of ${shared}`)
    }
    const accepted =
      first.accepted +
      second.accepted * batchSize +
      measured.reduce((sum, { single, batched, many }) => {
        return sum + single.load.accepted + batched.load.accepted * batchSize + many.load.accepted
      }, 0)
    const kept = total(await posthorn.countMessages())
    if (kept < accepted) throw new Error(`${accepted} messages were accepted, and ${kept} are in the store`)
    return rowsOf(store.name, measured)
  } finally {
    await posthorn.end()
  }
}

function rowsOf(store: string, measured: readonly Round[]): Row[] {
  const of = (pick: (round: Round) => number) => median(measured.map(pick))
  const ratio = of(({ single, batched }) => batched.ofText / single.ofText)
  return [
    {
      figure: `processor time of a text in a batch of ${batchSize}, ${store}`,
      measured: microseconds(of(({ batched }) => batched.ofText)),
      baseline: microseconds(of(({ single }) => single.ofText)),
      ratio: ratio.toFixed(2),
      goal: `≤ ${goal}`,
      reached: ratio <= goal,
    },
    {
      figure: `… beside single texts over ${connections.texts} connections`,
      measured: microseconds(of(({ batched }) => batched.ofText)),
      baseline: microseconds(of(({ many }) => many.ofText)),
      ratio: of(({ batched, many }) => batched.ofText / many.ofText).toFixed(2),
    },
    {
      figure: '… texts accepted in a second',
      measured: Math.round(of(({ batched }) => batched.perSecond)).toLocaleString('en'),
      baseline: Math.round(of(({ single }) => single.perSecond)).toLocaleString('en'),
    },
    {
      figure: '… response time, p50: of a batch, and of a text',
      measured: milliseconds(of(({ batched }) => batched.load.p50)),
      baseline: milliseconds(of(({ single }) => single.load.p50)),
    },
  ]
}

function microseconds(duration: number): string {
  return `${duration.toFixed(1)} µs`
}
