import type { Update } from '@grammyjs/types'
import { Refusal } from './refusal.ts'

export type UpdateType = Exclude<keyof Update, 'update_id'>

/** An update before it has its number. */
export type NewUpdate = { readonly [Type in UpdateType]?: Update[Type] }

/** Bots get these only if they ask for them (core.telegram.org/bots/api, getUpdates). */
const onRequest: readonly string[] = ['chat_member', 'message_reaction', 'message_reaction_count']
const kept = 24 * 3_600_000

export interface Poll {
  readonly offset: number
  readonly limit: number
  /** In seconds of the real clock. */
  readonly timeout: number
}

/** The updates of one bot until it has confirmed them, for 24 hours. */
export class UpdateQueue {
  /** The types that the bot asked for last; empty for all but a few. */
  allowed: readonly string[] = []
  /** The number of the next update. They are sequential, but Telegram may choose anew after a week without any. */
  nextId = 400_000_001
  /** When a poll came while another waited, which it ended; in milliseconds since 1970. */
  readonly conflicts: number[] = []
  readonly #now: () => number
  readonly #changed: () => void
  #queue: { readonly update: Update; readonly at: number }[] = []
  #answered: readonly Update[] = []
  #parked: { wake(): void; fail(error: Refusal): void } | null = null
  readonly #waiting = new Set<() => void>()

  constructor(now: () => number, changed: () => void) {
    this.#now = now
    this.#changed = changed
  }

  /** True while a long poll waits. */
  get isParked(): boolean {
    return this.#parked !== null
  }

  push(content: NewUpdate): void {
    const [type = ''] = Object.keys(content)
    const wanted = this.allowed.length > 0 ? this.allowed.includes(type) : !onRequest.includes(type)
    if (!wanted) return
    this.#queue.push({ update: { update_id: this.nextId++, ...content } as Update, at: this.#now() })
    this.#parked?.wake()
    for (const wake of this.#waiting) wake()
    this.#changed()
  }

  pending(): Update[] {
    this.#queue = this.#queue.filter(({ at }) => this.#now() - at < kept)
    return this.#queue.map(({ update }) => update)
  }

  /** Forgets everything below `offset`, or all but the last `-offset`. */
  confirm(offset: number): void {
    if (offset > 0) this.#queue = this.#queue.filter(({ update }) => update.update_id >= offset)
    if (offset < 0) this.#queue = this.#queue.slice(offset)
    this.#changed()
  }

  /** Brings the updates of the latest answer once more. */
  again(): void {
    const known = new Set(this.#queue.map(({ update }) => update.update_id))
    const missing = this.#answered.filter(({ update_id }) => !known.has(update_id))
    this.#queue.unshift(...missing.map((update) => ({ update, at: this.#now() })))
  }

  /** Ends a long poll that waits. */
  terminate(error: Refusal): void {
    this.#parked?.fail(error)
  }

  /** Answers a poll. Throws the refusal that ends it while it waits. */
  async poll({ offset, limit, timeout }: Poll, gone: AbortSignal, again = false): Promise<Update[]> {
    if (this.isParked) this.conflicts.push(this.#now())
    this.terminate(
      new Refusal(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    )
    this.confirm(offset)
    if (again) this.again()
    if (timeout > 0 && this.pending().length === 0) await this.#park(timeout, gone)
    const updates = this.pending().slice(0, limit)
    if (updates.length > 0) this.#answered = updates
    return updates
  }

  #park(timeout: number, gone: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        gone.removeEventListener('abort', parked.wake)
        if (this.#parked === parked) this.#parked = null
        this.#changed()
      }
      const parked = {
        wake: () => {
          leave()
          resolve()
        },
        fail: (error: Refusal) => {
          leave()
          reject(error)
        },
      }
      const timer = setTimeout(parked.wake, timeout * 1000)
      gone.addEventListener('abort', parked.wake)
      this.#parked = parked
      this.#changed()
    })
  }

  /** Resolves as soon as an update is pending, or when the signal aborts. */
  async arrival(ended: AbortSignal): Promise<void> {
    while (!ended.aborted && this.pending().length === 0) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake)
          ended.removeEventListener('abort', wake)
          resolve()
        }
        this.#waiting.add(wake)
        ended.addEventListener('abort', wake)
      })
    }
  }
}
