import { type ConversationTypingEvent, typingEvent } from '../../contract/resources/event.ts'
import { type Clock, timestamp } from '../../runtime/clock.ts'
import type { Rate } from '../../runtime/config/setting-values.ts'
import { TokenBucket } from '../../runtime/limits/token-bucket.ts'
import type { Alarm, Alarms } from '../../runtime/timers/alarms.ts'
import { readTypingWord, type TypingNotice, writeTypingWord } from './typing-notice.ts'

interface Context {
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  /** Tells the other nodes. */
  readonly tell: (topic: 'listening' | 'typing', word: string) => void
}

/** The instances whose notices a listener gets. */
export interface TypingFilter {
  readonly organization: string
  /** The names of the instances that are asked for, and of those that the caller may see; null for all. */
  readonly instances: readonly string[] | null
  readonly seen: readonly string[] | null
}

/** Notices of an organization, and of all together, that one node passes on. */
const organizationRate: Rate = { count: 200, seconds: 1 }
const nodeRate: Rate = { count: 1_000, seconds: 1 }
/** Notices that wait for one listener; more are dropped. */
const maxWaiting = 500
/** Milliseconds between two words that callers listen here, and for which such a word is believed. */
const toldEvery = 10_000
const believedFor = 25_000
/** Organizations with listeners at other nodes that are remembered; the one that was heard of longest ago is forgotten first. */
const maxElsewhere = 10_000

/**
 * Brings those who type from the connections to the callers who listen, on this node and, by words that may be lost, on others. Nothing is
 * stored. While no caller listens, nothing is done.
 */
export class TypingNotices {
  readonly #context: Context
  readonly #listeners = new Map<string, Set<TypingListener>>()
  /** Until when other nodes have listeners, on the monotonic clock, by organization. */
  readonly #elsewhere = new Map<string, number>()
  readonly #rates = new Map<string, TokenBucket>()
  readonly #nodeRate: TokenBucket
  #tellAgain: Alarm | undefined

  constructor(context: Context) {
    this.#context = context
    this.#nodeRate = new TokenBucket(nodeRate, context.clock.monotonic())
  }

  /** True while callers listen for those who type in an organization, here or elsewhere. */
  isWanted(organization: string): boolean {
    return this.#listeners.has(organization) || this.#isWantedElsewhere(organization)
  }

  /** A connection of this node has seen it. */
  seen(notice: TypingNotice): void {
    const { organization } = notice
    if (!this.isWanted(organization) || !this.#mayPass(organization)) return
    this.#show(notice)
    if (!this.#isWantedElsewhere(organization)) return
    const word = writeTypingWord(notice)
    if (word !== undefined) this.#context.tell('typing', word)
  }

  /** Another node has seen it. */
  hear(word: string): void {
    const notice = readTypingWord(word)
    if (notice) this.#show(notice)
  }

  /** Callers of another node listen for an organization. */
  hearListening(organization: string): void {
    this.#elsewhere.delete(organization)
    this.#elsewhere.set(organization, this.#context.clock.monotonic() + believedFor)
    if (this.#elsewhere.size > maxElsewhere) this.#elsewhere.delete(this.#elsewhere.keys().next().value ?? '')
  }

  listen(filter: TypingFilter): TypingListener {
    const { organization } = filter
    const listener = new TypingListener(filter, () => this.#leave(organization, listener))
    const others = this.#listeners.get(organization)
    if (others) others.add(listener)
    else {
      this.#listeners.set(organization, new Set([listener]))
      this.#context.tell('listening', organization)
    }
    this.#tellLater()
    return listener
  }

  #leave(organization: string, listener: TypingListener): void {
    const listeners = this.#listeners.get(organization)
    listeners?.delete(listener)
    if (listeners?.size !== 0) return
    this.#listeners.delete(organization)
    this.#rates.delete(organization)
    if (this.#listeners.size > 0) return
    this.#tellAgain?.cancel()
    this.#tellAgain = undefined
  }

  #tellLater(): void {
    this.#tellAgain ??= this.#context.alarms.in(toldEvery, () => {
      this.#tellAgain = undefined
      for (const organization of this.#listeners.keys()) this.#context.tell('listening', organization)
      if (this.#listeners.size > 0) this.#tellLater()
    })
  }

  #isWantedElsewhere(organization: string): boolean {
    const until = this.#elsewhere.get(organization)
    if (until === undefined) return false
    if (until > this.#context.clock.monotonic()) return true
    this.#elsewhere.delete(organization)
    if (!this.#listeners.has(organization)) this.#rates.delete(organization)
    return false
  }

  #mayPass(organization: string): boolean {
    const now = this.#context.clock.monotonic()
    let rate = this.#rates.get(organization)
    if (!rate) {
      rate = new TokenBucket(organizationRate, now)
      this.#rates.set(organization, rate)
    }
    if (rate.available(now) < 1 || this.#nodeRate.available(now) < 1) return false
    rate.take(1)
    this.#nodeRate.take(1)
    return true
  }

  #show(notice: TypingNotice): void {
    for (const listener of this.#listeners.get(notice.organization) ?? []) listener.hear(notice)
  }
}

/** A caller who listens for those who type. Of each conversation, only the latest notice waits for them. */
export class TypingListener {
  readonly #instances: ReadonlySet<string> | null
  readonly #seen: ReadonlySet<string> | null
  readonly #leave: () => void
  readonly #waiting = new Map<string, TypingNotice>()
  #wake: (() => void) | undefined

  constructor({ instances, seen }: TypingFilter, leave: () => void) {
    this.#instances = instances && new Set(instances)
    this.#seen = seen && new Set(seen)
    this.#leave = leave
  }

  hear(notice: TypingNotice): void {
    const { id, name } = notice.instance
    if (this.#instances?.has(name) === false || this.#seen?.has(name) === false) return
    const key = `${id} ${notice.conversation}`
    if (this.#waiting.size >= maxWaiting && !this.#waiting.has(key)) return
    this.#waiting.set(key, notice)
    this.#wake?.()
  }

  /** Returns a signal that aborts with another one, and when a notice waits. */
  wakesBefore(signal: AbortSignal): AbortSignal {
    const news = new AbortController()
    this.#wake = () => news.abort()
    if (this.#waiting.size > 0) news.abort()
    return AbortSignal.any([signal, news.signal])
  }

  /** Takes the notices that wait, as the caller sees them. */
  take(): ConversationTypingEvent[] {
    const notices = [...this.#waiting.values()]
    this.#waiting.clear()
    return notices.map(({ instance, conversation, from, state, at }) => ({
      type: typingEvent,
      timestamp: timestamp(at),
      data: { instance, conversation, from, state },
    }))
  }

  end(): void {
    this.#wake = undefined
    this.#leave()
  }
}
