import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** True if this system tells the processor time of processes; Linux does. */
export const tellsProcessorTime = existsSync('/proc/self/stat')

/** Linux counts ticks of a hundredth of a second in this file, independent of its own clock (proc(5), USER_HZ). */
const microsecondsPerTick = 10_000

/** The processor time that a process has used so far with all of its threads, in microseconds, to a hundredth of a second. */
export function processorTime(pid: number): number {
  const { own } = readTimes(pid)
  return own
}

/** Processor time of a process so far, in microseconds: of all its threads, of the main one, and of those with which V8 compiles and collects. */
export interface ThreadTimes {
  readonly all: number
  readonly main: number
  readonly helpers: number
}

/** Reads how much its threads have used. `all` includes those that have ended. */
export function threadTimes(pid: number): ThreadTimes {
  const times = { all: processorTime(pid), main: 0, helpers: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { own, name } = readTimes(`${pid}/task/${thread}`)
    if (thread === String(pid)) times.main += own
    else if (/V8/.test(name)) times.helpers += own
  }
  return times
}

/** Processor time of children of one process, with what those of its children used that have ended, and with itself. */
export function processorTimeOfFamily(children: readonly number[]): number {
  const living = children.map((child) => readTimes(child))
  const parent = readTimes(living[0]?.parent ?? 0)
  return living.reduce((sum, { own }) => sum + own, parent.own + parent.endedChildren)
}

/** The processes that a process has started, and that are running. */
export function childrenOf(pid: number): number[] {
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return running.filter((each) => parentOf(each) === pid)
}

/** One that has ended meanwhile has no parent. */
function parentOf(pid: number): number | undefined {
  try {
    return readTimes(pid).parent
  } catch {
    return undefined
  }
}

/** Reads what the system tells of a process, or of a thread by its path. */
function readTimes(process: number | string) {
  const stat = readFileSync(`/proc/${process}/stat`, 'utf8')
  // The name of the program is in parentheses and may hold spaces; after it come the state, the parent, and so on.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11)
  return {
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    parent: fields[1] ?? 0,
    own: (user + system) * microsecondsPerTick,
    endedChildren: (childUser + childSystem) * microsecondsPerTick,
  }
}
