import { forgetDeliveries, forgetEvents } from './events/retention.ts'
import type { MediaLibrary } from './media/media-library.ts'
import { releaseFiles } from './messages/files/fetch-store.ts'
import { type HeldQueue, listHeld } from './messages/outbox/held.ts'
import { forgetMessages } from './messages/retention.ts'
import { forgetAudit, trimAudit } from './organizations/audit-log.ts'
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
      log.error({ err: error }, 'could not remove old idempotency keys')
    }
    alarms.in(delay, () => void forget())
  }
  alarms.in(60_000, () => void forget())
}

const day = 24 * hour

/**
 * Removes files whose time is over, some at a time, and once a day what a crash left of files that nobody knows of. The first
 * time is soon after the start, which may have followed a crash.
 */
export function tidyMedia(library: MediaLibrary, alarms: Alarms, log: Log): void {
  const again = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      log.error({ err: error }, 'could not remove unused files')
      alarms.in(hour, () => void again(work))
    }
  }
  const forget = async () => {
    const { more } = await library.forgetExpired()
    alarms.in(more ? 1_000 : 10 * 60_000, () => void again(forget))
  }
  const removeLeftovers = async () => {
    const removed = await library.removeLeftovers()
    if (removed > 0) log.info({ removed }, 'removed files left by a crash')
    alarms.in(day, () => void again(removeLeftovers))
  }
  alarms.in(60_000, () => void again(forget))
  alarms.in(60_000, () => void again(removeLeftovers))
}

const releasedAtOnce = 500

/** Lets go of the files of messages that were settled, so that they are kept for the configured time from now. */
export function releaseMessageFiles(store: Store, alarms: Alarms, hours: number, log: Log): void {
  const release = async () => {
    let delay = 60_000
    try {
      const expiresAt = systemClock.now() + hours * hour
      const released = await store.transact(releaseFiles, { expiresAt, limit: releasedAtOnce })
      if (released === releasedAtOnce) delay = 1_000
    } catch (error) {
      log.error({ err: error }, 'could not release the files of settled messages')
    }
    alarms.in(delay, () => void release())
  }
  alarms.in(60_000, () => void release())
}

const eventsForgottenAtOnce = 1_000

/** Forgets events whose time is over, and what became of their deliveries, a few at a time. */
export function forgetOldEvents(store: Store, alarms: Alarms, days: number, log: Log): void {
  let after = ''
  let passed = 0
  let before = 0
  const forget = async () => {
    let delay = 10 * 60_000
    try {
      // One moment for all organizations: when the last of them was looked at, no event of any is older than it.
      if (after === '') before = systemClock.now() - days * day
      const old = { before, limit: eventsForgottenAtOnce }
      const events = await store.transact(forgetEvents, { ...old, after })
      after = events.goOn ?? ''
      const goOn = await store.transact(forgetDeliveries, { ...old, after: passed })
      passed = goOn ?? 0
      if (events.goOn !== null || goOn !== null) delay = 200
    } catch (error) {
      log.error({ err: error }, 'could not remove old events')
    }
    alarms.in(delay, () => void forget())
  }
  alarms.in(60_000, () => void forget())
}

/** How often it is looked whether the operator has decided about messages that are held, in milliseconds. */
const decisionsEvery = 1_000

/**
 * Tells of each instance in which fewer messages are held than before: the command line decides beside the server, in the
 * store. Looks only until nothing is held any more.
 */
export function hearDecisions(
  store: Store,
  alarms: Alarms,
  log: Log,
  decided: (queue: HeldQueue) => void,
): void {
  let known: readonly HeldQueue[] = []
  const look = async () => {
    try {
      const held = await store.read(listHeld, null)
      const left = new Map(held.map(({ instanceId, messages }) => [instanceId, messages]))
      for (const queue of known) if ((left.get(queue.instanceId) ?? 0) < queue.messages) decided(queue)
      known = held
      if (held.length === 0) return
    } catch (error) {
      log.error({ err: error }, 'could not check whether held messages were decided')
    }
    alarms.in(decisionsEvery, () => void look())
  }
  void look()
}

/** Forgets the oldest of the audit log: what is too old, and what an organization has too much of; a few at a time. */
export function forgetOldAudit(
  store: Pick<Store, 'transact'>,
  alarms: Pick<Alarms, 'in'>,
  { days, most }: { readonly days: number; readonly most: number | undefined },
  log: Log,
): void {
  const limit = 1_000
  const forget = async () => {
    let delay = 10 * 60_000
    try {
      const forgotten = await store.transact(forgetAudit, { before: systemClock.now() - days * day, limit })
      const trimmed = most === undefined ? 0 : await store.transact(trimAudit, { most, limit })
      if (trimmed > 0) log.warn({ trimmed }, 'an audit log is full: its oldest entries were removed')
      if (forgotten === limit || trimmed >= limit) delay = 200
    } catch (error) {
      log.error({ err: error }, 'could not remove old entries of the audit log')
    }
    alarms.in(delay, () => void forget())
  }
  alarms.in(60_000, () => void forget())
}

const messagesLookedAtAtOnce = 200

/** Forgets messages whose time is over, a few at a time. */
export function forgetOldMessages(store: Store, alarms: Alarms, days: number, log: Log): void {
  let passed = 0
  const forget = async () => {
    let delay = 10 * 60_000
    try {
      const now = systemClock.now()
      const old = { before: now - days * day, after: passed, limit: messagesLookedAtAtOnce, now }
      const { goOn } = await store.transact(forgetMessages, old)
      passed = goOn ?? 0
      if (goOn !== null) delay = 200
    } catch (error) {
      log.error({ err: error }, 'could not remove old messages')
    }
    alarms.in(delay, () => void forget())
  }
  alarms.in(60_000, () => void forget())
}
