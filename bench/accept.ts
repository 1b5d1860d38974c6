import { join } from 'node:path'
import { type Bench, type Figure, median, milliseconds, type Row, rateRow } from './figure.ts'
import { connections, type LoadReport, sendTexts, startBareServer, warmUp } from './load.ts'
import { countMessages, startPosthorn, total } from './posthorn.ts'

/** Many short rounds rather than a few long ones, so that other work of the machine weighs on both sides. */
const rounds = 6
const seconds = 4

/** Durable accept alone: the instances are stopped, so nothing is sent meanwhile. */
export const accept: Figure = {
  name: 'accept',
  measure(bench) {
    return measureAccept(bench, {
      figure: 'durable accept of texts, 64 connections',
      data: join(bench.folder, 'accept'),
      send: sendTexts,
      confirm: confirmKept,
      goal: 0.28,
    })
  },
}

export interface Accepting {
  readonly figure: string
  readonly data: string
  /** Sends to either side. */
  readonly send: typeof sendTexts
  /** Throws where less was kept than was accepted. */
  readonly confirm: (data: string, loads: readonly LoadReport[]) => void
  /** The share of the baseline's rate that is to be reached. */
  readonly goal: number
}

/** Sends to stopped instances and to the baseline in turns. */
export async function measureAccept(bench: Bench, accepting: Accepting): Promise<Row[]> {
  const { data, send } = accepting
  const [bare, posthorn] = await Promise.all([startBareServer(), startPosthorn(data)])
  try {
    await posthorn.createInstances('stopped')
    const loads = [await warmUp(posthorn, send)]
    await warmUp({ url: bare.url, key: posthorn.key }, send)
    const pairs: Pair[] = []
    for (let round = 1; round <= rounds; round++) {
      const baseline = await send({ url: bare.url, key: posthorn.key, seconds })
      const measured = await send({ url: posthorn.url, key: posthorn.key, seconds })
      loads.push(measured)
      pairs.push({ baseline, measured })
      bench.note(`round ${round}: ${Math.round(measured.perSecond)}/s of ${Math.round(baseline.perSecond)}/s`)
    }
    accepting.confirm(data, loads)
    return rowsOf(accepting, pairs)
  } finally {
    await Promise.all([bare.end(), posthorn.end()])
  }
}

interface Pair {
  readonly baseline: LoadReport
  readonly measured: LoadReport
}

/**
 * Throws if the store holds fewer messages than were accepted. It may hold more: a load that ends cuts its connections, and
 * messages that were stored just then got no answer.
 */
export function confirmKept(data: string, loads: readonly LoadReport[], alreadyThere = 0): void {
  confirmCount(total(countMessages(data)) - alreadyThere, loads)
}

/** The same for a number that was counted elsewhere, and loads over at most so many connections. */
export function confirmCount(
  kept: number,
  loads: readonly LoadReport[],
  atMost: number = connections.texts,
): void {
  const accepted = loads.reduce((sum, load) => sum + load.accepted, 0)
  if (kept < accepted || kept > accepted + loads.length * atMost)
    throw new Error(`${accepted} messages were accepted, and ${kept} are in the store`)
}

function rowsOf({ figure, goal }: Accepting, pairs: readonly Pair[]): Row[] {
  const of = (pick: (pair: Pair) => number) => median(pairs.map(pick))
  const ratio = of(({ measured, baseline }) => measured.perSecond / baseline.perSecond)
  const latency = (figure: string, quantile: 'p50' | 'p99'): Row => ({
    figure,
    measured: milliseconds(of(({ measured }) => measured[quantile])),
    baseline: milliseconds(of(({ baseline }) => baseline[quantile])),
  })
  const percent = (load: number) => `${Math.round(load * 100)} % of a core`
  return [
    rateRow(
      figure,
      of(({ measured }) => measured.perSecond),
      of(({ baseline }) => baseline.perSecond),
      ratio,
      goal,
    ),
    latency('… response time, p50', 'p50'),
    latency('… response time, p99', 'p99'),
    {
      figure: '… the load generator used',
      measured: percent(of(({ measured }) => measured.generatorLoad)),
      baseline: percent(of(({ baseline }) => baseline.generatorLoad)),
    },
  ]
}
