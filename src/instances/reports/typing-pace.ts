import type { TypingSeen } from '../../networks/driver/account-news.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'

/** Milliseconds between two notices of one conversation. */
const between = 1_000
/** Conversations of an instance of which a second may bring notices; those of others are dropped. */
const maxConversations = 20
/** UTF-16 units of an address that callers can be told. */
const maxAddress = 1_024

interface Shown {
  readonly at: number
  /** The latest that was seen since. */
  readonly next: TypingSeen | undefined
}

/** Shows those who type to one instance: of each conversation at most one notice a second, the latest. */
export class TypingPace {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #alarms: Pick<Alarms, 'in'>
  readonly #show: (seen: TypingSeen) => void
  /** By conversation, that which was shown longest ago first. */
  readonly #shown = new Map<string, Shown>()

  constructor(
    { clock, alarms }: { readonly clock: Pick<Clock, 'monotonic'>; readonly alarms: Pick<Alarms, 'in'> },
    show: (seen: TypingSeen) => void,
  ) {
    this.#clock = clock
    this.#alarms = alarms
    this.#show = show
  }

  take(seen: TypingSeen): void {
    const { conversation, from } = seen
    if (conversation.length > maxAddress || from.length > maxAddress) return
    const before = this.#shown.get(conversation)
    if (before) this.#shown.set(conversation, { ...before, next: seen })
    else if (this.#shown.size < maxConversations) this.#showNow(conversation, seen)
  }

  #showNow(conversation: string, seen: TypingSeen): void {
    this.#shown.delete(conversation)
    this.#shown.set(conversation, { at: this.#clock.monotonic(), next: undefined })
    if (this.#shown.size === 1) this.#lookIn(between)
    this.#show(seen)
  }

  #lookIn(ms: number): void {
    this.#alarms.in(ms, () => this.#look())
  }

  /** Shows what has waited for long enough, and forgets conversations of which nothing follows. */
  #look(): void {
    const now = this.#clock.monotonic()
    const due = [...this.#shown].filter(([, { at }]) => now - at >= between)
    for (const [conversation] of due) this.#shown.delete(conversation)
    const [oldest] = this.#shown.values()
    if (oldest) this.#lookIn(Math.max(1, oldest.at + between - now))
    for (const [conversation, { next }] of due) if (next) this.#showNow(conversation, next)
  }
}
