import { forgetReplies } from './organizations/idempotency.ts'
import type { Alarms } from './runtime/alarms.ts'
import { systemClock } from './runtime/clock.ts'
import type { Log } from './runtime/log.ts'
import type { Store } from './store/store.ts'

const hour = 60 * 60_000
const forgottenAtOnce = 1_000

/** Forgets idempotency keys whose time is over, a few at a time, so that accepting messages never waits for it. */
export function forgetOldReplies(store: Store, alarms: Alarms, hours: number, log: Log): void {
  const forget = async () => {
    let delay = hour
    try {
      const before = systemClock.now() - hours * hour
      const forgotten = await store.transact(forgetReplies, { before, limit: forgottenAtOnce })
      if (forgotten === forgottenAtOnce) delay = 1_000
    } catch (error) {
      log.error({ err: error }, 'old idempotency keys could not be forgotten')
    }
    alarms.in(delay, () => void forget())
  }
  alarms.in(60_000, () => void forget())
}
