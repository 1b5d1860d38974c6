import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Figure } from './figure.ts'

const source = fileURLToPath(new URL('../src', import.meta.url))

/** Lines of code before the redesign of the house, which was to make them 12 % fewer. */
const before = 69_435
const goal = Math.floor(before * 0.88)

/** Measures how much code there is to read under `src`: no tests, blank lines, comments or words for people. */
export const lines: Figure = {
  name: 'lines',
  async measure() {
    const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).map((path) =>
      path.split(sep).join('/'),
    )
    const code = paths.filter((path) => /\.[jt]s$/.test(path) && !path.endsWith('.test.ts') && !isWords(path))
    const count = code.reduce((sum, path) => sum + linesOfCode(readFileSync(join(source, path), 'utf8')), 0)
    return [
      {
        figure: 'lines of code in src',
        measured: count.toLocaleString('en'),
        baseline: before.toLocaleString('en'),
        ratio: (count / before).toFixed(3),
        goal: `≤ ${goal.toLocaleString('en')}`,
        reached: count <= goal,
      },
    ]
  },
}

/** True for phrases in the languages of the pages, the command line and the networks. */
const isWords = (path: string) =>
  /(^|\/)(locales|words)\//.test(path) || /link-page\/(words|guide)\.ts$/.test(path)

/** Counts the lines that hold more than space or a comment. A block comment begins on a line of its own here. */
function linesOfCode(text: string): number {
  let inComment = false
  const code = text.split('\n').filter((line) => {
    const trimmed = line.trim()
    const begins = !inComment && trimmed.startsWith('/*')
    const isComment = inComment || begins || trimmed.startsWith('//')
    if (inComment || begins) inComment = !trimmed.includes('*/')
    return trimmed !== '' && !isComment
  })
  return code.length
}
