import { styleText } from 'node:util'
import { command, json } from '../command.ts'
import type { Finding } from '../examinations/finding.ts'
import { print, printJson, progressOf } from '../output.ts'

/**
 * `posthorn doctor`. It changes nothing: it opens the embedded store read-only, and PostgreSQL in a read-only transaction,
 * and removes the small file that it stores as a test. (While a server runs, SQLite updates its shared memory, as for every
 * reader.)
 */
export const doctor = command({
  name: 'doctor',
  summary: 'Check this installation and say what to do. Changes nothing.',
  options: {
    deep: {
      type: 'boolean',
      description: 'Also check tables against their indexes, for as long as that takes.',
    },
    json,
  },
  async run({ options }) {
    // Loaded here, because it loads the whole server, which the other commands do not need.
    const { examine } = await import('../examinations/examine.ts')
    const findings = await examine({ deep: options.deep === true, show: progressOf() })
    if (options.json) printJson({ findings })
    else for (const finding of findings) print(lineOf(finding))
    if (findings.some(({ verdict }) => verdict === 'fail')) process.exitCode = 1
  },
})

const colors = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function lineOf({ verdict, subject, detail, advice }: Finding): string {
  const word = styleText(colors[verdict], verdict.padEnd(4))
  const lines = [`${word}  ${subject.padEnd(13)}  ${detail}`]
  if (advice !== undefined) lines.push(`${' '.repeat(21)}→ ${advice}`)
  return lines.join('\n')
}
