// In plain JavaScript: what strips types would take more memory than all the rest of this thread.
import { constants, fstatSync, readFileSync, writeSync } from 'node:fs'
import { uptime } from 'node:os'
import { workerData } from 'node:worker_threads'

/** @type {import('./watchdog.ts').Watched} */
const { times, watchEvery, mayStandStill, says } = workerData
const pause = new Int32Array(new SharedArrayBuffer(4))
const standardOutput = 1
// A disk may make its writers wait in any case. This is asked now, because it may hang itself when the disk does.
const isFile = says && fstatSync(standardOutput).isFile()

// It goes on when the process does, and looks again and again.
for (;;) {
  Atomics.wait(pause, 0, 0, watchEvery)
  const now = BigInt(Math.round(uptime() * 1_000))
  const isTrusted = now < Atomics.load(times, 0)
  const silentFor = now - Atomics.load(times, 1)
  if (isTrusted || silentFor <= BigInt(mayStandStill)) continue
  try {
    if (says && !isFile && neverWaits()) writeSync(standardOutput, lastLine(Number(silentFor)))
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}

/**
 * Returns true if a write is refused at once when there is no room for it, as far as that is known: nothing may delay the end. Another
 * program with the same pipe may have changed that (open(2), `O_NONBLOCK`), and only Linux tells.
 */
function neverWaits() {
  const facts = readFileSync(`/proc/self/fdinfo/${standardOutput}`, 'utf8')
  const flags = /^flags:\t([0-7]+)$/m.exec(facts)?.[1] ?? '0'
  return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0
}

/**
 * A line such as the log writes.
 * @param {number} silentFor
 */
function lastLine(silentFor) {
  const msg =
    'this process stood still until its lease was over, so it ends at once, because other nodes may have taken over; start it again, and find what kept it from running'
  const facts = { level: 'fatal', time: new Date().toISOString(), stood_still_ms: silentFor, msg }
  return `${JSON.stringify(facts)}\n`
}
