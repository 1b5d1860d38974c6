import { join } from 'node:path'
import { confirmKept } from './accept.ts'
import { type Figure, median, rateRow } from './figure.ts'
import { sendTexts, warmUp } from './load.ts'
import { countMessages, startPosthorn, total } from './posthorn.ts'
import { stopInstances } from './prepare-store.ts'

const rounds = 3
const seconds = 6

/** Measures accepting as messages pile up: the same load on a large store and on an empty one, in turns. */
export const oldMessages: Figure = {
  name: 'old-messages',
  async measure(bench) {
    const large = await bench.largeStore()
    stopInstances(large)
    const pairs: { empty: number; old: number }[] = []
    for (let round = 1; round <= rounds; round++) {
      // Each round has a fresh process on either side, and an empty store that is empty.
      const sides = {
        empty: () => acceptRate(join(bench.folder, `without-old-messages-${round}`), true),
        old: () => acceptRate(large, round === 1),
      }
      const [firstSide, secondSide] =
        round % 2 === 1 ? (['empty', 'old'] as const) : (['old', 'empty'] as const)
      const first = await sides[firstSide]()
      const second = await sides[secondSide]()
      const pair = firstSide === 'empty' ? { empty: first, old: second } : { empty: second, old: first }
      pairs.push(pair)
      bench.note(
        `round ${round}: ${Math.round(pair.old)}/s beside ${Math.round(pair.empty)}/s on an empty store`,
      )
    }
    return [
      rateRow(
        'accept with 1,000,000 old messages',
        median(pairs.map(({ old }) => old)),
        median(pairs.map(({ empty }) => empty)),
        median(pairs.map(({ old, empty }) => old / empty)),
        0.9,
      ),
    ]
  },
}

async function acceptRate(data: string, fresh: boolean): Promise<number> {
  const posthorn = await startPosthorn(data)
  try {
    if (fresh) await posthorn.createInstances('stopped')
    const before = total(countMessages(data))
    const warm = await warmUp(posthorn)
    const load = await sendTexts({ ...posthorn, seconds })
    confirmKept(data, [warm, load], before)
    return load.perSecond
  } finally {
    await posthorn.end()
  }
}
