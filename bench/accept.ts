import { join } from 'node:path'
import { type Figure, median, milliseconds, type Row, rateRow } from './figure.ts'
import { connections, type LoadReport, sendTexts, startBareServer, warmUp } from './load.ts'
import { countMessages, startPosthorn, total } from './posthorn.ts'

/** Many short rounds rather than a few long ones: whatever else the machine does then weighs on both sides. */
const rounds = 6
const seconds = 4

/** Durable accept alone: the instances are stopped, so nothing is sent meanwhile. */
export const accept: Figure = {
  name: 'accept',
  async measure(bench) {
    const data = join(bench.folder, 'accept')
    const [bare, posthorn] = await Promise.all([startBareServer(), startPosthorn(data)])
    try {
      await posthorn.createInstances('stopped')
      const loads = [await warmUp(posthorn)]
      await warmUp({ url: bare.url, key: posthorn.key })
      const pairs: Pair[] = []
      for (let round = 1; round <= rounds; round++) {
        const baseline = await sendTexts({ url: bare.url, key: posthorn.key, seconds })
        const measured = await sendTexts({ url: posthorn.url, key: posthorn.key, seconds })
        loads.push(measured)
        pairs.push({ baseline, measured })
        bench.note(
          `round ${round}: ${Math.round(measured.perSecond)}/s of ${Math.round(baseline.perSecond)}/s`,
        )
      }
      confirmKept(data, loads)
      return rowsOf(pairs)
    } finally {
      await Promise.all([bare.end(), posthorn.end()])
    }
  },
}

interface Pair {
  readonly baseline: LoadReport
  readonly measured: LoadReport
}

/**
 * Throws where the store holds fewer texts than were accepted. It may hold more: a load that ends cuts its connections,
 * and what was kept just then was not answered any more.
 */
export function confirmKept(data: string, loads: readonly LoadReport[], alreadyThere = 0): void {
  const kept = total(countMessages(data)) - alreadyThere
  const accepted = loads.reduce((sum, load) => sum + load.accepted, 0)
  if (kept < accepted || kept > accepted + loads.length * connections)
    throw new Error(`${accepted} texts were accepted, and ${kept} are in the store`)
}

function rowsOf(pairs: readonly Pair[]): Row[] {
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
      'durable accept of texts, 64 connections',
      of(({ measured }) => measured.perSecond),
      of(({ baseline }) => baseline.perSecond),
      ratio,
      0.25,
    ),
    latency('… answered after, p50', 'p50'),
    latency('… answered after, p99', 'p99'),
    {
      figure: '… the load generator used',
      measured: percent(of(({ measured }) => measured.generatorLoad)),
      baseline: percent(of(({ baseline }) => baseline.generatorLoad)),
    },
  ]
}
