/** A deadline that can be taken back. */
export interface Deadline {
  cancel(): void
}

/** As in `Alarms`, in milliseconds: how often to look, from when on a timer is late, and how long what came in may be read then. */
const lookEvery = 1_000
const lateAfter = 250
const longestGrace = 500
const maxGraces = 4

/**
 * Calls `ring` after so many milliseconds: for protocols that wait for an answer without the alarms of the process. If the process
 * was held up, the answer may wait in the socket, so it is read first.
 */
export function setDeadline(delay: number, ring: () => void): Deadline {
  const end = performance.now() + delay
  let graces = 0
  let timer: NodeJS.Timeout
  const look = (expected: number) => {
    const now = performance.now()
    const late = now - expected
    if (late > lateAfter && graces < maxGraces) {
      graces++
      wait(now + Math.min(late, longestGrace))
      return
    }
    graces = 0
    if (now >= end) ring()
    else wait(Math.min(end, now + lookEvery))
  }
  const wait = (until: number) => {
    timer = setTimeout(() => look(until), Math.max(0, Math.ceil(until - performance.now())))
  }
  wait(Math.min(end, performance.now() + lookEvery))
  return { cancel: () => clearTimeout(timer) }
}
