// In plain JavaScript: what strips types would take more memory than all the rest of this thread.
import { uptime } from 'node:os'
import { workerData } from 'node:worker_threads'

/** @type {import('./watchdog.ts').Watched} */
const { times, watchEvery, mayStandStill } = workerData
const pause = new Int32Array(new SharedArrayBuffer(4))

// It goes on when the process does, and looks again and again.
for (;;) {
  Atomics.wait(pause, 0, 0, watchEvery)
  const now = BigInt(Math.round(uptime() * 1_000))
  const isTrusted = now < Atomics.load(times, 0)
  const standsStill = now - Atomics.load(times, 1) > BigInt(mayStandStill)
  if (!isTrusted && standsStill) process.kill(process.pid, 'SIGKILL')
}
