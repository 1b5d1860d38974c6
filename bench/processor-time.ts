import { confirmCount } from './accept.ts'
import { type Bench, type Figure, median, type Row, rateRow } from './figure.ts'
import { type LoadReport, sendTexts, startBareServer, type Target } from './load.ts'
import { total, untilMetric } from './posthorn.ts'
import { type ThreadTimes, tellsProcessorTime, threadTimes } from './processor.ts'
import { type BenchStore, stores } from './stores.ts'

const rounds = 6
const seconds = 3
/** Texts before the first figure: the main thread's cost halves between 20,000 and 60,000 of them, and V8's helpers compile until then. */
const warmUpTexts = 60_000
const manyConnections = 256

/** Goals of a store: at most so many times the processor time of the baseline, and at least this part of its rate. */
interface Goals {
  readonly accepted: number
  readonly settled: number
  readonly rate: number
  readonly rateOfMany?: number
}

const goalsOf: Readonly<Record<keyof typeof stores, Goals>> = {
  sqlite: { accepted: 3, settled: 4.5, rate: 0.3, rateOfMany: 0.4 },
  postgres: { accepted: 5, settled: 8, rate: 0.2 },
}

/**
 * Measures the processor time of a text until it is accepted, and until it is settled, beside a bare route, on each store.
 */
export const processorTimes: Figure = {
  name: 'processor-time',
  async measure(bench) {
    if (!tellsProcessorTime) {
      bench.note('skipped: there is no /proc here')
      return [{ figure: 'processor time of a text', measured: 'skipped: only Linux tells it' }]
    }
    const rows: Row[] = []
    for (const name of ['sqlite', 'postgres'] as const) {
      if (bench.only !== undefined && bench.only !== name) continue
      const store = await stores[name](bench)
      try {
        rows.push(...(await measureOn(store, bench, goalsOf[name])))
      } finally {
        await store.end()
      }
    }
    return rows
  },
}

/** Cost of each text of one load, in microseconds, and the texts that were accepted in a second. */
interface Cost {
  readonly ofText: ThreadTimes
  /** Time of the store's own processes; NaN if it has none. */
  readonly ofStore: number
  readonly perSecond: number
  readonly load: LoadReport
}

interface Round {
  readonly bare: Cost
  readonly accepted: Cost
  readonly settled: Cost
  readonly manyBare: Cost
  readonly manyAccepted: Cost
}

/**
 * Three servers in turns: the bare route, a Posthorn with stopped instances, which only accepts, and one with running
 * instances, which is done with a text when the sandbox has taken it and that is kept.
 */
async function measureOn(store: BenchStore, bench: Bench, goals: Goals): Promise<Row[]> {
  const [bare, accepting, settling] = await Promise.all([
    startBareServer(),
    store.start('processor-time-accept'),
    store.start('processor-time-settle'),
  ])
  const settled = () => untilMetric(settling, 'posthorn_queue_depth', 0)
  const storeTime = store.processorTime ?? (async () => Number.NaN)
  const costOf = async (
    server: Target & { readonly pid: number },
    connections?: number,
    done = async () => {},
  ) => {
    const before = { own: threadTimes(server.pid), store: await storeTime() }
    const { url, key } = server
    const load = await sendTexts({ url, key, seconds, ...(connections ? { connections } : {}) })
    await done()
    const now = threadTimes(server.pid)
    const ofText = (part: keyof ThreadTimes) => (now[part] - before.own[part]) / load.accepted
    return {
      ofText: { all: ofText('all'), main: ofText('main'), helpers: ofText('helpers') },
      ofStore: ((await storeTime()) - before.store) / load.accepted,
      perSecond: load.perSecond,
      load,
    }
  }
  try {
    await accepting.createInstances('stopped')
    await settling.createInstances('running')
    const baseline = { ...bare, key: accepting.key }
    const warmUp = (target: Target) => sendTexts({ ...target, seconds, amount: warmUpTexts })
    await warmUp(baseline)
    const acceptedBefore = await warmUp(accepting)
    const settledBefore = await warmUp(settling)
    await settled()
    const measured: Round[] = []
    for (let count = 1; count <= rounds; count++) {
      const round: Round = {
        bare: await costOf(baseline),
        accepted: await costOf(accepting),
        settled: await costOf(settling, undefined, settled),
        manyBare: await costOf(baseline, manyConnections),
        manyAccepted: await costOf(accepting, manyConnections),
      }
      measured.push(round)
      bench.note(`${store.name}, round ${count}: ${describe(round)}`)
    }
    const accepted = measured.flatMap(({ accepted, manyAccepted }) => [accepted.load, manyAccepted.load])
    confirmCount(total(await accepting.countMessages()), [acceptedBefore, ...accepted], manyConnections)
    const counts = await settling.countMessages()
    confirmCount(counts.get('sent') ?? 0, [settledBefore, ...measured.map(({ settled }) => settled.load)])
    if (counts.get('sent') !== total(counts))
      throw new Error(`not every text was sent: ${JSON.stringify([...counts])}`)
    return rowsOf(store, measured, goals)
  } finally {
    await Promise.all([bare.end(), accepting.end(), settling.end()])
  }
}

function describe({ bare, accepted, settled, manyBare, manyAccepted }: Round): string {
  const times = [bare, accepted, settled].map(({ ofText }) => microseconds(ofText.all)).join(', ')
  const part = (one: Cost, other: Cost) => (one.perSecond / other.perSecond).toFixed(3)
  return `${times}; rate ${part(accepted, bare)}, ${part(manyAccepted, manyBare)} with ${manyConnections} connections`
}

function rowsOf({ name, processorTime }: BenchStore, measured: readonly Round[], goals: Goals): Row[] {
  const of = (pick: (round: Round) => number) => median(measured.map(pick))
  const time = (figure: string, part: 'accepted' | 'settled', goal: number): Row => {
    const times = of((round) => round[part].ofText.all / round.bare.ofText.all)
    return {
      figure,
      measured: microseconds(of((round) => round[part].ofText.all)),
      baseline: microseconds(of(({ bare }) => bare.ofText.all)),
      ratio: times.toFixed(2),
      goal: `≤ ${goal}`,
      reached: times <= goal,
    }
  }
  const threads = (part: 'accepted' | 'settled'): Row[] =>
    (['main', 'helpers'] as const).map((thread) => ({
      figure: thread === 'main' ? '… of it the main thread' : '… of it V8’s helper threads',
      measured: microseconds(of((round) => round[part].ofText[thread])),
      baseline: microseconds(of(({ bare }) => bare.ofText[thread])),
    }))
  const storeTime = (figure: string, part: 'accepted' | 'settled'): Row[] =>
    processorTime ? [{ figure, measured: microseconds(of((round) => round[part].ofStore)) }] : []
  return [
    time(`processor time of an accepted text, ${name}`, 'accepted', goals.accepted),
    ...threads('accepted'),
    ...storeTime(`… of ${name}’s own processes`, 'accepted'),
    time('… until settled, sandbox', 'settled', goals.settled),
    ...threads('settled'),
    ...storeTime(`… of ${name}’s own processes`, 'settled'),
    rateRow(
      `durable accept of texts, ${name}, 64 connections`,
      of(({ accepted }) => accepted.perSecond),
      of(({ bare }) => bare.perSecond),
      of(({ accepted, bare }) => accepted.perSecond / bare.perSecond),
      goals.rate,
    ),
    rateRow(
      `… ${manyConnections} connections`,
      of(({ manyAccepted }) => manyAccepted.perSecond),
      of(({ manyBare }) => manyBare.perSecond),
      of(({ manyAccepted, manyBare }) => manyAccepted.perSecond / manyBare.perSecond),
      goals.rateOfMany,
    ),
  ]
}

function microseconds(duration: number): string {
  return `${duration.toFixed(1)} µs`
}
