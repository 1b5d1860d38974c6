import { fileURLToPath } from 'node:url'
import type { Figure } from './figure.ts'
import { runProgram } from './process.ts'

const goal = 10 * 60_000

/** Measures the time of `npm test`. It takes longer than all other figures together, so it is measured only by its name. */
export const tests: Figure = {
  name: 'tests',
  onlyByName: true,
  async measure() {
    const begun = performance.now()
    await runProgram('npm', ['--prefix', fileURLToPath(new URL('..', import.meta.url)), 'test'])
    const took = performance.now() - begun
    return [
      { figure: 'npm test', measured: minutes(took), goal: `≤ ${minutes(goal)}`, reached: took <= goal },
    ]
  },
}

function minutes(duration: number): string {
  return `${(duration / 60_000).toFixed(1)} min`
}
