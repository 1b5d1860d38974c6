import { join } from 'node:path'
import { type Bench, type Figure, median, milliseconds, type Row } from './figure.ts'
import { startPosthorn } from './posthorn.ts'

const emptyStarts = 5
const largeStarts = 3

/** From the start of the process to the first 200 on `/readyz`. */
export const start: Figure = {
  name: 'start',
  async measure(bench) {
    // A cache of compiled code that only this run has, so that the first start is what a fresh machine sees.
    const environment = { NODE_COMPILE_CACHE: join(bench.folder, 'compile-cache') }
    const first = await timeStart(join(bench.folder, 'first'), environment)
    const empty: number[] = []
    for (let round = 1; round <= emptyStarts; round++) {
      empty.push(await timeStart(join(bench.folder, `empty-${round}`), environment))
    }
    return [
      row('start, empty store', median(empty), 1_000),
      { figure: '… the very first, before code is cached', measured: milliseconds(first) },
      row(
        'start, 10,000 instances and 1,000,000 messages',
        median(await largeStartTimes(bench, environment)),
        3_000,
      ),
    ]
  },
}

async function largeStartTimes(bench: Bench, environment: Record<string, string>): Promise<number[]> {
  const data = await bench.largeStore()
  const times: number[] = []
  for (let round = 1; round <= largeStarts; round++) times.push(await timeStart(data, environment))
  return times
}

async function timeStart(data: string, environment: Record<string, string>): Promise<number> {
  const posthorn = await startPosthorn(data, environment)
  await posthorn.end()
  return posthorn.readyAfter
}

function row(figure: string, duration: number, goal: number): Row {
  return {
    figure,
    measured: milliseconds(duration),
    goal: `≤ ${milliseconds(goal)}`,
    reached: duration <= goal,
  }
}
