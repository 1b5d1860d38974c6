import type { CallbackLimits } from '../instances/callbacks/callback-store.ts'
import type { QuotaUsage } from '../organizations/usage.ts'
import type { Clock } from '../runtime/clock.ts'
import { bounds } from '../runtime/config/bounds.ts'
import type { Config } from '../runtime/config/config.ts'
import { FairSemaphore } from '../runtime/limits/fair-semaphore.ts'
import { LinkPageLimit } from '../server/access/link-page-limit.ts'
import { RateLimit } from '../server/access/rate-limit.ts'
import { WaitingLimit } from '../server/access/waiting-limit.ts'

/* The limits of callers, organizations and networks, as the operator set them. */

interface Parts {
  readonly config: Config
  readonly clock: Clock
}

/** Limits what comes with a key, by key and by organization, and with a link page, by page. */
export function makeKeyLimits({ config, clock }: Parts) {
  const { POSTHORN_RATE_LIMIT: rate } = config
  return {
    rateLimit: rate && new RateLimit(rate, clock),
    linkPageLimit: new LinkPageLimit(clock),
    waitingLimit: new WaitingLimit({
      streamsOfKey: config.POSTHORN_STREAM_LIMIT,
      ofOrganization: config.POSTHORN_WAITING_LIMIT,
    }),
    logLimit: new RateLimit(bounds.logLines.value, clock),
  }
}

/** Limits what comes without a valid key, by address. */
export function makeAnonymousLimit({ config, clock }: Parts): RateLimit | undefined {
  const rate = config.POSTHORN_ADDRESS_RATE
  const detail =
    'Too many requests without a valid key came from this address. Send a valid key, or wait for the number of seconds in `Retry-After`. ' +
    'The operator may set `POSTHORN_ADDRESS_RATE`, and `POSTHORN_TRUSTED_PROXIES` if a proxy is in front.'
  return rate && new RateLimit(rate, clock, { name: 'address', detail })
}

/** Returns the quotas of each organization. */
export function quotasOf(config: Config): QuotaUsage {
  const callbacks = callbackLimits(config).organization
  return {
    file_bytes: config.POSTHORN_FILES_LIMIT ?? null,
    stored_bytes: config.POSTHORN_STORED_LIMIT ?? null,
    unsettled_messages: config.POSTHORN_UNSETTLED_LIMIT ?? null,
    incoming_messages: config.POSTHORN_INCOMING_LIMIT ?? null,
    waiting_callbacks: callbacks.count,
    waiting_callback_bytes: callbacks.bytes,
  }
}

/** Limits what a network posts, by instance. */
export function makeCallbackLimit({ config, clock }: Parts): RateLimit | undefined {
  const { POSTHORN_CALLBACK_RATE: rate } = config
  return rate && new RateLimit(rate, clock, { name: 'callbacks' })
}

/** Returns the callbacks from networks that may wait: an organization has room for those of five instances. */
export function callbackLimits(config: Config): CallbackLimits {
  const { POSTHORN_CALLBACK_LIMIT: count, POSTHORN_CALLBACK_BYTES: bytes } = config
  return { instance: { count, bytes }, organization: { count: 5 * count, bytes: 5 * bytes } }
}

/** At most 16 instances handle callbacks at once, so that what is read of them takes little memory. */
export function makeCallbackTurns(): FairSemaphore {
  return new FairSemaphore({ limit: 16, limitPerParty: 4 })
}

/** One large set of keys of an instance at a time: everybody waits for what the store works on. */
export function makeKeyTurns(): FairSemaphore {
  return new FairSemaphore({ limit: 1 })
}
