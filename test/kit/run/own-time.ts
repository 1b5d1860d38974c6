/** Milliseconds between two looks at the clock. */
const every = 10
/** Milliseconds between two looks that count: after more, this process had no turn, or used its turn. */
const maxCounted = 30

/**
 * Measures time as this process has it, for promises that something is done soon: while others hold the processor, or the machine
 * stands still, no time passes. The time in which the process calculates counts in full. Returns a function that ends it and returns
 * the milliseconds.
 */
export function measureOwnTime(): () => number {
  let [counted, last, used] = [0, performance.now(), process.cpuUsage()]
  const look = () => {
    const [now, spent] = [performance.now(), process.cpuUsage(used)]
    const calculated = (spent.user + spent.system) / 1_000
    counted += Math.min(now - last, Math.max(maxCounted, calculated))
    ;[last, used] = [now, process.cpuUsage()]
  }
  const timer = setInterval(look, every)
  return () => {
    clearInterval(timer)
    look()
    return counted
  }
}
