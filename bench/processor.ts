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

/** The same for children of one process, with what those of its children used that have ended, and with itself. */
export function processorTimeOfFamily(children: readonly number[]): number {
  const living = children.map(readTimes)
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

function readTimes(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program is in parentheses and may hold spaces; after it come the state, the parent, and so on.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11)
  return {
    parent: fields[1] ?? 0,
    own: (user + system) * microsecondsPerTick,
    endedChildren: (childUser + childSystem) * microsecondsPerTick,
  }
}
