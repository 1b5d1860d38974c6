import type { QuotaEventData } from '../contract/resources/event.ts'
import type { QuotaName } from '../contract/statuses.ts'
import { type QuotaUsage, readUsage } from '../organizations/usage.ts'
import { timestamp } from '../runtime/clock.ts'
import { type StoreFunctions, transaction } from '../store/store.ts'
import type { EventContext } from './context.ts'
import { appendEvents } from './journal.ts'

interface Refusals {
  readonly organization: string
  readonly quota: QuotaName
  readonly limit: number
  /** Number of messages or files that were refused, and since when. */
  readonly refused: number
  readonly since: number
  readonly now: number
}

/** Appends the event that a quota refused something. */
export const appendRefusals = transaction('quotas.refusals', async (tx, refusals: Refusals) => {
  const { organization, quota, limit, refused, since, now } = refusals
  const used = (await readUsage.run(tx, { organization }))[quota]
  const data: QuotaEventData = { quota: { name: quota, used, limit }, refused, since: timestamp(since) }
  const events = [{ type: 'quota.exceeded', instance: null, data }] as const
  await appendEvents(tx, [{ organization, now, events }])
})

export const quotaFunctions: StoreFunctions = { reads: [], transactions: [appendRefusals] }

type Context = Pick<EventContext, 'store' | 'clock' | 'alarms' | 'log'> & {
  readonly quotas: QuotaUsage
  readonly metrics: {
    /** Counts every refusal. */
    refused(quota: QuotaName, count: number): void
  }
}

/** The least time between two events about one quota, in milliseconds. */
const silence = 60 * 60_000

/**
 * Appends events about what quotas refused: one at once for the first refusal, then one an hour with the number of further
 * refusals, so that a flood of requests does not become a flood of events. A count whose event is not appended yet is lost
 * when the process ends.
 */
export class QuotaNotices {
  readonly #context: Context
  /** The number of refusals since the last event, by organization and quota. */
  readonly #counts = new Map<string, number>()

  constructor(context: Context) {
    this.#context = context
  }

  refused(organization: string, quota: QuotaName, count = 1): void {
    this.#context.metrics.refused(quota, count)
    const key = `${organization} ${quota}`
    const before = this.#counts.get(key)
    if (before !== undefined) this.#counts.set(key, before + count)
    else this.#notify(organization, quota, count)
  }

  #notify(organization: string, quota: QuotaName, refused: number, since = this.#context.clock.now()): void {
    const { store, clock, alarms, log, quotas } = this.#context
    const limit = quotas[quota]
    if (limit === null) return
    const key = `${organization} ${quota}`
    this.#counts.set(key, 0)
    const now = clock.now()
    alarms.in(silence, () => {
      const count = this.#counts.get(key) ?? 0
      if (count > 0) this.#notify(organization, quota, count, now)
      else this.#counts.delete(key)
    })
    store
      .transact(appendRefusals, { organization, quota, limit, refused, since, now }, { party: organization })
      .catch((error) =>
        log.error({ err: error, organization_id: organization }, 'could not store the event for a refusal'),
      )
  }
}
