import { maxToldMembers } from '../../contract/resources/people/group.ts'
import type { GroupChanged } from '../../networks/driver/abilities/groups.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import type { Holding } from '../../runtime/limits/byte-budget.ts'
import { TokenBucket } from '../../runtime/limits/token-bucket.ts'
import type { Alarm } from '../../runtime/timers/alarms.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { WakeUp } from '../../store/wake-up.ts'
import type { InstanceContext } from '../context.ts'
import { fitGroupText, fitsAsAddress } from './fit-group.ts'
import { recordGroupNews, type ToldGroupChange } from './group-news-store.ts'

type Context = Pick<InstanceContext, 'store' | 'clock' | 'alarms' | 'log'> & {
  readonly incomingCapacity: { readonly limit: number | null }
}

interface Entry {
  readonly news: ToldGroupChange
  readonly settle: (isStored: boolean) => void
}

/** Changes that are told one by one: of one group, and of all groups of an instance. What is beyond is told as one change of its group. */
const groupRate: Rate = { count: 20, seconds: 60 }
const instanceRate: Rate = { count: 120, seconds: 60 }
/** Groups whose rate is kept, and those whose changes are put together at a time. */
const maxGroups = 100
/** Milliseconds between two looks at what was put together. */
const lookEvery = 1_000
/** Changes that wait for the store, and those that share a transaction. */
const maxHeld = 100
const maxTogether = 20
/** Changes that are recognized if they are told again. */
const maxRecent = 32
/** Bytes of the members of a change; the rest are counted. */
const maxMemberBytes = 16 * 1024

/**
 * Stores the changes of groups of one instance as events, in the order in which they came. A group that changes more often than people
 * can follow is told as having changed, so that it fills neither the journal nor the memory, and does not hold up others. While the store
 * is away, some are held; what is beyond is lost, and logged.
 */
export class GroupNews {
  readonly #context: Context
  readonly #instanceId: string
  readonly #holding: Holding
  readonly #all: TokenBucket
  readonly #groups = new Map<string, TokenBucket>()
  readonly #recent = new Map<string, Promise<boolean>>()
  /** By group: what is told of it as soon as its rate allows. */
  readonly #merged = new Map<string, ToldGroupChange>()
  readonly #waiting: Entry[] = []
  readonly #wakeUp: WakeUp
  #working: Promise<void> | undefined
  #look: Alarm | undefined
  /** Something was lost, and logged, since something was last stored. */
  #losing = false
  #over = false

  constructor(context: Context, instanceId: string, holding: Holding) {
    this.#context = context
    this.#instanceId = instanceId
    this.#holding = holding
    this.#all = new TokenBucket(instanceRate, context.clock.monotonic())
    this.#wakeUp = new WakeUp(context, () => this.#begin())
  }

  /** Resolves as `ConnectContext.report`: at once if the change is put together with others. */
  take(changed: GroupChanged): Promise<boolean> {
    const news = toldChange(changed, this.#context.clock.now())
    // It names no group that callers could name.
    if (!news) return stored
    const { at: _, ...told } = news
    const key = JSON.stringify([changed.at, told])
    const before = this.#recent.get(key)
    if (before) return before
    const result = this.#admit(news)
    this.#recent.set(key, result)
    if (this.#recent.size > maxRecent) this.#recent.delete(this.#recent.keys().next().value as string)
    // If it was not stored, it may be told again.
    void result.then((isStored) => isStored || this.#recent.delete(key))
    return result
  }

  /** Tries a last time to store what is held. */
  async end(): Promise<void> {
    this.#over = true
    this.#look?.cancel()
    this.#wakeUp.cancel()
    for (const news of this.#merged.values()) void this.#add(news)
    this.#merged.clear()
    this.#begin()
    await this.#working
  }

  #admit(news: ToldGroupChange): Promise<boolean> {
    const before = this.#merged.get(news.group)
    if (!before && this.#takePlace(news.group)) return this.#add(news)
    if (!before && this.#merged.size >= maxGroups) {
      this.#lose('too many groups change too often; some of their changes are not told')
      return stored
    }
    this.#merged.set(news.group, before ? together(before, news) : news)
    this.#lookLater()
    return stored
  }

  /** Takes a place in the rates of a group and its instance; false if there is none. */
  #takePlace(group: string): boolean {
    const now = this.#context.clock.monotonic()
    const bucket = this.#groups.get(group) ?? new TokenBucket(groupRate, now)
    this.#groups.delete(group)
    this.#groups.set(group, bucket)
    if (this.#groups.size > maxGroups) this.#groups.delete(this.#groups.keys().next().value as string)
    if (this.#all.available(now) < 1 || bucket.available(now) < 1) return false
    this.#all.take(1)
    bucket.take(1)
    return true
  }

  #lookLater(): void {
    this.#look ??= this.#context.alarms.in(lookEvery, () => {
      this.#look = undefined
      for (const [group, news] of this.#merged) {
        if (!this.#takePlace(group)) continue
        this.#merged.delete(group)
        void this.#add(news)
      }
      if (this.#merged.size > 0 && !this.#over) this.#lookLater()
    })
  }

  #add(news: ToldGroupChange): Promise<boolean> {
    if (this.#waiting.length >= maxHeld) {
      this.#lose('the store is unavailable; changes of groups are being lost')
      return notStored
    }
    const { promise, resolve: settle } = Promise.withResolvers<boolean>()
    this.#waiting.push({ news, settle })
    this.#holding.add(sizeOf(news))
    this.#begin()
    return promise
  }

  #begin(): void {
    if (this.#waiting.length > 0 && !this.#wakeUp.isSet) this.#working ??= this.#work()
  }

  /** One transaction at a time, so that changes are stored in the order in which they came. */
  async #work(): Promise<void> {
    for (let most = maxTogether; this.#waiting.length > 0; ) {
      const entries = this.#waiting.slice(0, most)
      const error = await this.#store(entries).catch((caught: Error) => caught)
      if (!error) {
        this.#losing = false
        this.#settle(entries.length, true)
      } else if (error instanceof StoreUnavailable && !this.#over) {
        this.#wakeUp.afterFailure()
        break
      } else if (!(error instanceof StoreUnavailable) && entries.length > 1) {
        // A mistake that one change brings out must not cost the others.
        most = 1
      } else {
        const { log } = this.#context
        log.error({ err: error, instance_id: this.#instanceId }, 'could not store a change of a group')
        this.#settle(entries.length, false)
      }
    }
    this.#working = undefined
  }

  async #store(entries: readonly Entry[]): Promise<undefined> {
    const { store, clock, incomingCapacity } = this.#context
    const news = entries.map((entry) => entry.news)
    const args = { instanceId: this.#instanceId, news, limit: incomingCapacity.limit, now: clock.now() }
    await store.transact(recordGroupNews, args)
  }

  #settle(count: number, isStored: boolean): void {
    for (const { news, settle } of this.#waiting.splice(0, count)) {
      this.#holding.add(-sizeOf(news))
      settle(isStored)
    }
  }

  #lose(text: string): void {
    if (this.#losing) return
    this.#losing = true
    this.#context.log.warn({ instance_id: this.#instanceId }, text)
  }
}

const stored = Promise.resolve(true)
const notStored = Promise.resolve(false)

/** Several changes of a group as one: its readers look for themselves. */
function together(before: ToldGroupChange, { group, subject, at }: ToldGroupChange): ToldGroupChange {
  return {
    ...{ group, change: 'changed', subject: subject ?? before.subject, members: [], members_left_out: 0 },
    ...{ by: null, at: Math.max(before.at, at) },
  }
}

/** The change within the bounds of the contract; undefined if its group cannot be named. */
function toldChange(changed: GroupChanged, now: number): ToldGroupChange | undefined {
  const { group, change, subject, members: all = [], by = null, at } = changed
  if (!fitsAsAddress(group)) return undefined
  const members: string[] = []
  let bytes = 0
  for (const member of all.slice(0, maxToldMembers)) {
    bytes += Buffer.byteLength(member)
    if (bytes > maxMemberBytes) break
    if (fitsAsAddress(member)) members.push(member)
  }
  return {
    group,
    change,
    subject: fitGroupText(subject),
    members,
    members_left_out: all.length - members.length,
    by: by !== null && fitsAsAddress(by) ? by : null,
    // Nothing changes after it is told: if so, a clock is wrong or its server lies.
    at: Number.isFinite(at) ? Math.round(Math.max(0, Math.min(at, now))) : now,
  }
}

/** In bytes, as far as networks can make it large. */
function sizeOf({ members, subject }: ToldGroupChange): number {
  return 2_048 + 2 * ((subject?.length ?? 0) + members.join('').length)
}
