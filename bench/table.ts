import { cpus, loadavg, totalmem, type } from 'node:os'
import type { Row } from './figure.ts'

const columns = ['figure', 'measured', 'baseline', 'ratio', 'goal', 'reached'] as const
type Cells = Readonly<Record<(typeof columns)[number], string>>

/** The machine that the figures belong to, and how busy it was before they were measured. */
export function machine(): string {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  return `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB, ${type()}, Node ${process.version}; load before ${loadavg()[0]?.toFixed(1)}`
}

/** The figures as a table for people, or for Markdown. */
export function table(rows: readonly Row[], markdown: boolean): string {
  const header = Object.fromEntries(columns.map((name) => [name, name])) as Cells
  const lines = [header, ...rows.map(cellsOf)]
  const width = (name: keyof Cells) => Math.max(...lines.map((line) => line[name].length))
  const widths = columns.map(width)
  const write = (line: Cells) => columns.map((name, index) => line[name].padEnd(widths[index] ?? 0))
  const rule = widths.map((width) => '-'.repeat(width))
  const written = [write(header), rule, ...rows.map((row) => write(cellsOf(row)))]
  return written
    .map((cells) => (markdown ? `| ${cells.join(' | ')} |` : cells.join('  ').trimEnd()))
    .join('\n')
}

function cellsOf({ figure, measured, baseline = '', ratio = '', goal = '', reached }: Row): Cells {
  return {
    figure,
    measured,
    baseline,
    ratio,
    goal,
    reached: reached === undefined ? '' : reached ? 'yes' : 'no',
  }
}
