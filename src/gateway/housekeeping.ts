import { forgetDeliveries, forgetEvents, ownersOfOldEvents } from '../events/retention.ts'
import { forgetMinutes, forgetStatistics } from '../events/statistics/statistics-store.ts'
import { forgetKeptParts, partsKeptFor } from '../instances/callbacks/kept-parts.ts'
import { forgetExpiredKeys } from '../instances/keys/key-store.ts'
import { forgetLinkPages } from '../instances/link-pages/link-page-store.ts'
import type { MediaLibrary } from '../media/media-library.ts'
import { forgetOldContacts } from '../messages/contacts/forget-contacts.ts'
import { firstFiles, releaseFiles } from '../messages/files/fetch-store.ts'
import { enterBlock, hasFullBlock } from '../messages/list/message-index.ts'
import { allHeld, type HeldQueue } from '../messages/outbox/recovery/held.ts'
import { forgetPerson, nextToForget } from '../messages/people/forget-person.ts'
import { type ForgettingPlace, forgetMessages, ownersOfOldest } from '../messages/retention.ts'
import { forgetAsks } from '../nodes/ask-store.ts'
import { forgetNodes } from '../nodes/node-overview.ts'
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
export interface House {
  readonly store: Pick<Store, 'transact'>
  readonly alarms: Pick<Alarms, 'in' | 'onClockSet'>
  readonly log: Log
  /** True if this node is the one that keeps house. */
  readonly isOnDuty: () => boolean
}

type Repeating = Pick<House, 'alarms' | 'log' | 'isOnDuty'>

/** Schedules everything that is done now and then beside the requests. */
export function scheduleHousekeeping(
  house: House & { readonly store: Pick<Store, 'read' | 'transact'> },
  config: Config,
  library: MediaLibrary,
  told: {
    readonly onReleased: (queue: HeldQueue) => void
    readonly onEmptied: (organization: string) => void
  },
): void {
  enterBlocks(house)
  forgetExpired(house)
  const { POSTHORN_MESSAGE_RETENTION_DAYS: messageDays, POSTHORN_EVENT_RETENTION_DAYS: eventDays } = config
  forgetOldAudit(house, { days: config.POSTHORN_AUDIT_RETENTION_DAYS, most: bounds.auditEntries.value })
  forgetOldEvents(house, eventDays)
  if (messageDays !== undefined) forgetOldMessages(house, Math.max(messageDays, eventDays))
  tidyMedia(house, library)
  forgetPeople(house, told.onEmptied)
  releaseMessageFiles(house, config.POSTHORN_MEDIA_RETENTION_HOURS)
  pollReleasedMessages(house, told.onReleased)
}

/** In milliseconds: how long until the next step if one left nothing to do, and until the first. */
interface Pace {
  readonly rest: number
  /** If a step left more: from its beginning to that of the next, which waits for its end. */
  readonly soon?: number
  readonly first?: number
}

/** Repeats a small step, so that requests never wait long for it; after a failure, which is logged, within the hour. */
function repeat(
  { alarms, log, isOnDuty }: Repeating,
  { rest, soon = 200, first = minute }: Pace,
  failure: string,
  step: () => Promise<'more' | 'nothing' | 'never again'>,
): void {
  const run = async () => {
    const begun = performance.now()
    let delay = Math.min(rest, hour)
    try {
      const left = isOnDuty() ? await step() : 'nothing'
      if (left === 'never again') return
      delay = left === 'more' ? Math.max(0, soon - (performance.now() - begun)) : rest
    } catch (error) {
      log.error({ err: error }, failure)
    }
    alarms.in(delay, () => void run())
  }
  alarms.in(first, () => void run())
}

/** Forgets rows, at most `limit` at a step, until a step finds fewer. */
function forget(
  { alarms, log, isOnDuty }: Repeating,
  { limit, ...pace }: Pace & { readonly limit: number },
  failure: string,
  step: (now: number, limit: number) => Promise<number>,
): void {
  repeat({ alarms, log, isOnDuty }, pace, failure, async () =>
    (await step(systemClock.now(), limit)) >= limit ? 'more' : 'nothing',
  )
}

/** Goes through rows in steps, each from the place where the one before ended, and then begins again. */
function walk<Place>(
  { alarms, log, isOnDuty }: Repeating,
  { beginning, ...pace }: Pace & { readonly beginning: Place },
  failure: string,
  step: (now: number, after: Place) => Promise<Place | null>,
): void {
  let after = beginning
  repeat({ alarms, log, isOnDuty }, pace, failure, async () => {
    const goOn = await step(systemClock.now(), after)
    after = goOn ?? beginning
    return goOn === null ? 'nothing' : 'more'
  })
}

/** Enters blocks of messages in the index of lists, soon after they are full. */
function enterBlocks(house: House & { readonly store: Pick<Store, 'read'> }): void {
  const { store } = house
  repeat(house, { rest: 1_000, soon: 0, first: 0 }, 'could not index messages', async () => {
    const isFull = await store.read(hasFullBlock, null)
    return isFull && (await store.transact(enterBlock, null)) ? 'more' : 'nothing'
  })
}

/** Forgets what counts only for a time. */
function forgetExpired(house: House): void {
  const { store } = house
  const hourly = { rest: hour, soon: 1_000 }
  const nowAndThen = { rest: 10 * minute }
  const replyTime = bounds.idempotencyHours.value * hour
  const statisticsTime = bounds.statisticsDays.value * day
  const minutesTime = bounds.statisticsMinuteHours.value * hour
  forget(house, { ...hourly, limit: 1_000 }, 'could not remove old idempotency keys', (now, limit) =>
    store.transact(forgetReplies, { before: now - replyTime, limit }),
  )
  forget(house, { ...hourly, limit: 500 }, 'could not remove old statistics', (now, limit) =>
    store.transact(forgetStatistics, { before: now - statisticsTime, limit }),
  )
  forget(house, { ...nowAndThen, limit: 500 }, 'could not remove old statistics of minutes', (now, limit) =>
    store.transact(forgetMinutes, { before: now - minutesTime, limit }),
  )
  // Networks no longer repeat them.
  forget(house, { ...hourly, limit: 1_000 }, 'could not forget old parts of callbacks', (now, limit) =>
    store.transact(forgetKeptParts, { before: now - partsKeptFor, limit }),
  )
  forget(house, { ...nowAndThen, limit: 500 }, 'could not remove expired keys', (now, limit) =>
    store.transact(forgetExpiredKeys, { now, limit }),
  )
  forget(house, { ...nowAndThen, limit: 500 }, 'could not remove expired link pages', (now, limit) =>
    store.transact(forgetLinkPages, { now, limit }),
  )
  repeat(house, hourly, 'could not forget old nodes and asks', async () => {
    await store.transact(forgetNodes, { kept: day })
    await store.transact(forgetAsks, { id: '', now: systemClock.now() })
    return 'nothing'
  })
  // Of browsers, and codes to sign in with.
  forget(house, { ...nowAndThen, limit: 1_000 }, 'could not remove old sessions', (now, limit) =>
    store.transact(forgetSessions, { now, limit }),
  )
}

/** Removes files whose time is over, and what a crash left of files without a record. */
function tidyMedia(house: Repeating, library: MediaLibrary): void {
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
  const failure = 'could not release the files of settled messages'
  walk(house, { rest: minute, beginning: firstFiles }, failure, (now, after) =>
    house.store.transact(releaseFiles, { expiresAt: now + hours * hour, limit: 200, after }),
  )
}

/**
 * Milliseconds between the beginnings of two steps of what must keep up with all that is sent: enough for 12,500 messages a second, and a fifth
 * of the time of a store that has nothing else to do. Under load, steps wait for their turns.
 */
const often = 40
/** Organizations whose events go in one step: each takes a few statements. */
const organizationsAtOnce = 8

type ReadingHouse = House & { readonly store: Pick<Store, 'read'> }

/** Forgets events whose time is over, and what became of their deliveries. */
function forgetOldEvents(house: ReadingHouse, days: number): void {
  const { store } = house
  let after = ''
  let before = 0
  const pace = { rest: 10 * minute, soon: often }
  repeat(house, pace, 'could not remove old events', async () => {
    // One moment for all organizations: when the last of them was looked at, no event of any is older than it.
    if (after === '') before = systemClock.now() - days * day
    const { old, next } = await store.read(ownersOfOldEvents, { before, after })
    const organizations = old.slice(0, organizationsAtOnce)
    if (organizations.length > 0)
      await store.transact(forgetEvents, { before, limit: 1_000, after, organizations })
    else if (next === null) {
      // The labels that no event shows any more are left.
      const left = await store.transact(forgetEvents, { before, limit: 1_000, after })
      after = left.next ?? ''
      return left.next === null ? 'nothing' : 'more'
    } else after = next
    return 'more'
  })
  walk(house, { ...pace, beginning: 0 }, 'could not remove old deliveries', (now, passed) =>
    store.transact(forgetDeliveries, { before: now - days * day, limit: 500, after: passed }),
  )
}

/** Forgets messages whose time is over, and addresses of people that no network has told for as long. */
function forgetOldMessages(house: ReadingHouse, days: number): void {
  const { store } = house
  const first: ForgettingPlace = { after: 0 }
  const pace = { rest: 10 * minute, soon: often, beginning: first }
  walk(house, pace, 'could not remove old messages', async (now, place) => {
    const old = { before: now - days * day, limit: 500, now, ...place }
    const organizations = await store.read(ownersOfOldest, old)
    return (await store.transact(forgetMessages, { ...old, organizations })).goOn
  })
  const beginning = { instance: '', address: '' }
  walk(house, { rest: day, beginning }, 'could not remove old addresses of contacts', (now, after) =>
    store.transact(forgetOldContacts, { before: now - days * day, after, limit: 500 }),
  )
}

/**
 * Empties the messages of people who are to be forgotten, some at a time, and one person after the other; tells after each time which
 * organization's messages those are.
 */
function forgetPeople(house: ReadingHouse, onEmptied: (organization: string) => void): void {
  const { store } = house
  const beginning = { instance: '', address: '' }
  const pace = { rest: 1_000, soon: often, first: 1_000, beginning }
  walk(house, pace, 'could not forget a person', async (now, after) => {
    const next = await store.read(nextToForget, after)
    if (!next) return null
    // A step whose answer was lost may have emptied them, too.
    const emptying = store.transact(forgetPerson, { ...next, now })
    const isDone = await emptying.finally(() => onEmptied(next.organization))
    return isDone ? { instance: next.instance, address: next.address } : after
  })
}

/** Forgets the oldest of the audit log: what is too old, and what an organization has too much of. */
export function forgetOldAudit(
  house: House,
  { days, most }: { readonly days: number; readonly most: number | undefined },
): void {
  const failure = 'could not remove old entries of the audit log'
  forget(house, { rest: 10 * minute, limit: 1_000 }, failure, async (now, limit) => {
    const forgotten = await house.store.transact(forgetAudit, { before: now - days * day, limit })
    const trimmed = most === undefined ? 0 : await house.store.transact(trimAudit, { most, limit })
    if (trimmed > 0) house.log.warn({ trimmed }, 'an audit log is full: its oldest entries were removed')
    return Math.max(forgotten, trimmed)
  })
}

/**
 * Reports each instance in which fewer messages are held than before: the command line decides beside the server, in the
 * store. Looks only until nothing is held any more.
 */
function pollReleasedMessages(
  house: Repeating & { readonly store: Pick<Store, 'read'> },
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
