import { forgetDeliveries, forgetEvents } from '../events/retention.ts'
import { forgetStatistics } from '../events/statistics/statistics-store.ts'
import { forgetKeptParts, partsKeptFor } from '../instances/callbacks/kept-parts.ts'
import { forgetExpiredKeys } from '../instances/keys/key-store.ts'
import { forgetLinkPages } from '../instances/link-pages/link-page-store.ts'
import type { MediaLibrary } from '../media/media-library.ts'
import { forgetOldContacts } from '../messages/contacts/contact-store.ts'
import { firstFiles, releaseFiles } from '../messages/files/fetch-store.ts'
import { allHeld, type HeldQueue } from '../messages/outbox/recovery/held.ts'
import { forgetMessages } from '../messages/retention.ts'
import { forgetAudit, trimAudit } from '../organizations/audit-log.ts'
import { forgetReplies } from '../organizations/idempotency.ts'
import { forgetSessions } from '../organizations/session-store.ts'
import { systemClock } from '../runtime/clock.ts'
import { bounds } from '../runtime/config/bounds.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Log } from '../runtime/log.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import type { Store } from '../store/store.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The means of all housekeeping. */
interface House {
  readonly store: Pick<Store, 'transact'>
  readonly alarms: Pick<Alarms, 'in'>
  readonly log: Log
}

/** Schedules everything that is done now and then beside the requests. */
export function scheduleHousekeeping(
  house: House & { readonly store: Pick<Store, 'read' | 'transact'> },
  config: Config,
  library: MediaLibrary,
  onReleased: (queue: HeldQueue) => void,
): void {
  forgetOldReplies(house, bounds.idempotencyHours.value)
  forgetOldAudit(house, { days: config.POSTHORN_AUDIT_RETENTION_DAYS, most: bounds.auditEntries.value })
  const { POSTHORN_MESSAGE_RETENTION_DAYS: days, POSTHORN_EVENT_RETENTION_DAYS: eventDays } = config
  forgetOldEvents(house, eventDays)
  if (days !== undefined) {
    forgetOldMessages(house, Math.max(days, eventDays))
    forgetOldAddresses(house, Math.max(days, eventDays))
  }
  forgetOldStatistics(house, bounds.statisticsDays.value)
  forgetOldParts(house)
  forgetOldKeys(house)
  forgetOldLinkPages(house)
  forgetOldSessions(house)
  tidyMedia(house, library)
  pollReleasedMessages(house, onReleased)
  releaseMessageFiles(house, config.POSTHORN_MEDIA_RETENTION_HOURS)
}

/** In milliseconds: how long until the next step if one left nothing to do, if one left more, and until the first. */
interface Pace {
  readonly rest: number
  readonly soon?: number
  readonly first?: number
}

/** Repeats a small step, so that requests never wait long for it; after a failure, which is logged, within the hour. */
function repeat(
  { alarms, log }: Pick<House, 'alarms' | 'log'>,
  { rest, soon = 200, first = minute }: Pace,
  failure: string,
  step: () => Promise<'more' | 'nothing' | 'never again'>,
): void {
  const run = async () => {
    let delay = Math.min(rest, hour)
    try {
      const left = await step()
      if (left === 'never again') return
      delay = left === 'more' ? soon : rest
    } catch (error) {
      log.error({ err: error }, failure)
    }
    alarms.in(delay, () => void run())
  }
  alarms.in(first, () => void run())
}

/** Forgets idempotency keys whose time is over. */
function forgetOldReplies(house: House, hours: number): void {
  const limit = 1_000
  repeat(house, { rest: hour, soon: 1_000 }, 'could not remove old idempotency keys', async () => {
    const before = systemClock.now() - hours * hour
    const forgotten = await house.store.transact(forgetReplies, { before, limit })
    return forgotten === limit ? 'more' : 'nothing'
  })
}

/** Forgets the parts of callbacks that networks no longer repeat. */
function forgetOldParts(house: House): void {
  const limit = 1_000
  repeat(house, { rest: hour, soon: 1_000 }, 'could not forget old parts of callbacks', async () => {
    const before = systemClock.now() - partsKeptFor
    const forgotten = await house.store.transact(forgetKeptParts, { before, limit })
    return forgotten === limit ? 'more' : 'nothing'
  })
}

/** Forgets keys of instances that have expired. */
function forgetOldKeys(house: House): void {
  const limit = 500
  repeat(house, { rest: 10 * minute }, 'could not remove expired keys', async () => {
    const forgotten = await house.store.transact(forgetExpiredKeys, { now: systemClock.now(), limit })
    return forgotten === limit ? 'more' : 'nothing'
  })
}

/** Forgets link pages that have expired. */
function forgetOldLinkPages(house: House): void {
  const limit = 500
  repeat(house, { rest: 10 * minute }, 'could not remove expired link pages', async () => {
    const forgotten = await house.store.transact(forgetLinkPages, { now: systemClock.now(), limit })
    return forgotten === limit ? 'more' : 'nothing'
  })
}

/** Forgets sessions of browsers, and codes to sign in with, whose time is over. */
function forgetOldSessions(house: House): void {
  const limit = 1_000
  repeat(house, { rest: 10 * minute }, 'could not remove old sessions', async () => {
    const forgotten = await house.store.transact(forgetSessions, { now: systemClock.now(), limit })
    return forgotten >= limit ? 'more' : 'nothing'
  })
}

/** Removes files whose time is over, and what a crash left of files without a record. */
function tidyMedia(house: Pick<House, 'alarms' | 'log'>, library: MediaLibrary): void {
  const failure = 'could not remove unused files'
  repeat(house, { rest: 10 * minute, soon: 1_000 }, failure, async () => {
    const { more } = await library.forgetExpired()
    return more ? 'more' : 'nothing'
  })
  repeat(house, { rest: day }, failure, async () => {
    const removed = await library.removeLeftovers()
    if (removed > 0) house.log.info({ removed }, 'removed files left by a crash')
    return 'nothing'
  })
}

/** Lets go of the files of messages that were settled, so that they are kept for the configured time from now. */
function releaseMessageFiles(house: House, hours: number): void {
  const limit = 200
  let after = firstFiles
  repeat(house, { rest: minute }, 'could not release the files of settled messages', async () => {
    const expiresAt = systemClock.now() + hours * hour
    const next = await house.store.transact(releaseFiles, { expiresAt, limit, after })
    after = next ?? firstFiles
    return next === null ? 'nothing' : 'more'
  })
}

/** Forgets events whose time is over, and what became of their deliveries. */
function forgetOldEvents(house: House, days: number): void {
  let after = ''
  let passed = 0
  let before = 0
  repeat(house, { rest: 10 * minute }, 'could not remove old events', async () => {
    // One moment for all organizations: when the last of them was looked at, no event of any is older than it.
    if (after === '') before = systemClock.now() - days * day
    const old = { before, limit: 1_000 }
    const events = await house.store.transact(forgetEvents, { ...old, after })
    after = events.next ?? ''
    const goOn = await house.store.transact(forgetDeliveries, { ...old, after: passed })
    passed = goOn ?? 0
    return events.next !== null || goOn !== null ? 'more' : 'nothing'
  })
}

/** Forgets messages whose time is over. */
function forgetOldMessages(house: House, days: number): void {
  let passed = 0
  repeat(house, { rest: 10 * minute }, 'could not remove old messages', async () => {
    const now = systemClock.now()
    const old = { before: now - days * day, after: passed, limit: 200, now }
    const { goOn } = await house.store.transact(forgetMessages, old)
    passed = goOn ?? 0
    return goOn === null ? 'nothing' : 'more'
  })
}

/** Forgets addresses of people that no network has told for so many days. */
function forgetOldAddresses(house: House, days: number): void {
  const beginning = { instance: '', address: '' }
  let after = beginning
  repeat(house, { rest: day }, 'could not remove old addresses of contacts', async () => {
    const before = systemClock.now() - days * day
    const goOn = await house.store.transact(forgetOldContacts, { before, after, limit: 500 })
    after = goOn ?? beginning
    return goOn === null ? 'nothing' : 'more'
  })
}

/** Forgets the oldest of the audit log: what is too old, and what an organization has too much of. */
export function forgetOldAudit(
  house: House,
  { days, most }: { readonly days: number; readonly most: number | undefined },
): void {
  const limit = 1_000
  repeat(house, { rest: 10 * minute }, 'could not remove old entries of the audit log', async () => {
    const before = systemClock.now() - days * day
    const forgotten = await house.store.transact(forgetAudit, { before, limit })
    const trimmed = most === undefined ? 0 : await house.store.transact(trimAudit, { most, limit })
    if (trimmed > 0) house.log.warn({ trimmed }, 'an audit log is full: its oldest entries were removed')
    return forgotten === limit || trimmed >= limit ? 'more' : 'nothing'
  })
}

/** Forgets counts that are too old. */
function forgetOldStatistics(house: House, days: number): void {
  const limit = 500
  repeat(house, { rest: hour, soon: 1_000 }, 'could not remove old statistics', async () => {
    const before = systemClock.now() - days * day
    const forgotten = await house.store.transact(forgetStatistics, { before, limit })
    return forgotten === limit ? 'more' : 'nothing'
  })
}

/**
 * Reports each instance in which fewer messages are held than before: the command line decides beside the server, in the
 * store. Looks only until nothing is held any more.
 */
function pollReleasedMessages(
  house: Pick<House, 'alarms' | 'log'> & { readonly store: Pick<Store, 'read'> },
  onReleased: (queue: HeldQueue) => void,
): void {
  let known: readonly HeldQueue[] = []
  repeat(house, { rest: 1_000, first: 0 }, 'could not check whether held messages were decided', async () => {
    const held = await allHeld(house.store)
    const left = new Map(held.map(({ instanceId, messages }) => [instanceId, messages]))
    for (const queue of known) if ((left.get(queue.instanceId) ?? 0) < queue.messages) onReleased(queue)
    known = held
    return held.length === 0 ? 'never again' : 'nothing'
  })
}
