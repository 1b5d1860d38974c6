import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CheckLine } from './check-tables.ts'
import { type Finding, findingsOn } from './finding.ts'
import { readOnlyUrl } from './sqlite-facts.ts'

export interface TableCheck {
  /** True if a server writes meanwhile. */
  readonly running: boolean
  /** True if indexes are compared with their tables, too, which takes several times as long; and for as long as it takes. */
  readonly deep: boolean
  readonly show: (doing: string, share: number) => void
  /** Instead of `usualBounds`. */
  readonly bounds?: Partial<typeof usualBounds>
}

export const usualBounds = {
  /** Milliseconds for which the tables may be checked in all, unless the check is deep. */
  time: 60_000,
  /** Bytes by which the write-ahead log may grow while one table is checked. */
  log: 64 * 1024 * 1024,
}

/** Milliseconds between two looks at the log. */
const interval = 100

interface Checked {
  readonly sound: Set<string>
  readonly damaged: Map<string, readonly string[]>
  /** Given up: the server wrote too much meanwhile. */
  readonly busy: Set<string>
  /** The table that was being checked when the time was over. */
  unfinished: string | undefined
  isComplete: boolean
}

/**
 * Checks every table of a SQLite file and its indexes, beside a running server, too. As long as a table is read, the server's log cannot start
 * over, so a check during which it grows too much is given up.
 */
export async function examineTables(file: string, check: TableCheck): Promise<Finding> {
  const bounds = { ...usualBounds, ...check.bounds }
  const checked: Checked = {
    sound: new Set(),
    damaged: new Map(),
    busy: new Set(),
    unfinished: undefined,
    isComplete: false,
  }
  const until = check.deep ? Number.POSITIVE_INFINITY : performance.now() + bounds.time
  let before: number
  do {
    before = checked.busy.size
    await checkSome(file, check, { ...bounds, until }, checked)
  } while (checked.busy.size > before)
  check.show('', 1)
  return findingOf(checked, check)
}

/** Checks those that are left, until the end, or one that must be given up. */
async function checkSome(
  file: string,
  { running, deep, show }: TableCheck,
  { until, log }: { readonly until: number; readonly log: number },
  checked: Checked,
): Promise<void> {
  const done = [...checked.sound, ...checked.damaged.keys(), ...checked.busy]
  const words = [readOnlyUrl(file, running).href, deep ? 'integrity_check' : 'quick_check', ...done]
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('check-tables.ts', import.meta.url)), ...words],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(1))
    child.once('close', resolve)
  })
  let present: string | undefined
  let began = logSize(file)
  const watch = setInterval(() => {
    const isLate = performance.now() > until
    if (present !== undefined && running && !isLate && logSize(file) - began > log) checked.busy.add(present)
    else if (!isLate) return
    child.kill('SIGKILL')
  }, interval)
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as CheckLine
      if ('table' in line) {
        present = line.table
        began = logSize(file)
        show(`checking ${line.table}:`, line.share)
      } else {
        present = undefined
        if (line.faults.length > 0) checked.damaged.set(line.checked, line.faults)
        else checked.sound.add(line.checked)
      }
    }
    checked.isComplete = (await ended) === 0
    checked.unfinished = present
  } finally {
    clearInterval(watch)
  }
}

function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

const { fail, ok, warn } = findingsOn('tables')

function findingOf({ sound, damaged, busy, unfinished, isComplete }: Checked, { deep }: TableCheck): Finding {
  if (damaged.size > 0) {
    const faults = [...damaged].map(([table, found]) => `${table} (${found.join('; ')})`)
    return fail(
      `damaged: ${faults.join(', ')}`,
      'stop the server, copy the data folder as it is, replace the disk if it is at fault, and restore the latest backup with `npx posthorn restore`; ' +
        'without one, `npx posthorn backup` on the copy saves everything if the damage is in an index only',
    )
  }
  const all = `${sound.size} tables are sound`
  if (busy.size > 0)
    return warn(
      `${all}, and ${[...busy].join(', ')} not examined: the server wrote too much meanwhile`,
      'run `npx posthorn doctor --deep` when there is less traffic, or while the server is stopped',
    )
  if (!isComplete)
    return warn(
      unfinished === undefined
        ? `${all}, the others not examined`
        : `${all}, ${unfinished} and those after it not examined: it takes too long`,
      'run `npx posthorn doctor --deep`, which takes as long as it needs',
    )
  return ok(
    deep
      ? `${all}, and agree with their indexes`
      : `${all} (\`--deep\` compares them with their indexes, too)`,
  )
}
