import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figure } from './figure.ts'

const source = fileURLToPath(new URL('../src', import.meta.url))
const goal = 29_250

/** How much there is to read: the lines of the code under `src`, comments and all, without its tests. */
export const lines: Figure = {
  name: 'lines',
  async measure() {
    const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    const code = names.filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.test.ts'))
    const count = code.reduce((sum, name) => sum + linesOf(readFileSync(join(source, name), 'utf8')), 0)
    return [
      {
        figure: 'lines of src without tests',
        measured: count.toLocaleString('en'),
        goal: `< ${goal.toLocaleString('en')}`,
        reached: count < goal,
      },
    ]
  },
}

const linesOf = (text: string) => text.split('\n').length - 1
