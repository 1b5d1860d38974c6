import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/*
 * Loaded with `--import`, it sets the wall clock of the process: `POSTHORN_TEST_CLOCK` names a file with the milliseconds by which
 * that is ahead. The monotonic clock goes on, as it does on a machine whose clock is set.
 */

const real = Date.now
let ahead = 0

if (isMainThread) {
  setInterval(() => {
    ahead = Number(readFileSync(process.env.POSTHORN_TEST_CLOCK ?? '', 'utf8'))
  }, 50).unref()
  Date.now = () => real() + ahead
}
