import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../runtime/clock.ts'
import type { Holding } from '../../../runtime/limits/byte-budget.ts'
import type { Share } from '../../../runtime/limits/share.ts'
import type { Traffic } from '../../../runtime/limits/traffic.ts'
import type { Log } from '../../../runtime/log.ts'
import type { CaughtUp } from '../../driver/abilities/catching-up.ts'
import type { Observation } from '../../driver/observation.ts'
import { asObject, integerIn, type Json } from '../../kit/json.ts'
import { allStored } from '../../kit/reports.ts'
import type { WorkInTurn } from '../../kit/work-in-turn.ts'
import type { BotApi } from '../bot-api.ts'
import type { ReasonCode } from '../codes.ts'
import { reasonFor } from '../errors.ts'
import { largestUpdate } from '../limits.ts'
import { updateTypes } from './incoming-message.ts'
import type { Updates } from './updates.ts'

export interface PollingOptions {
  readonly api: BotApi
  /** The id of the bot. */
  readonly bot: string
  readonly share: Share
  readonly clock: Clock
  /** As in `ConnectContext`. */
  readonly report: (observation: Observation) => Promise<boolean>
  readonly signal: AbortSignal
  readonly work: WorkInTurn
  readonly updates: Updates
  readonly log: Log
}

/** Seconds for which Telegram holds a poll while nothing happens (tdlib/telegram-bot-api, LONG_POLL_MAX_TIMEOUT). */
const pollSeconds = 50

/** Milliseconds that its response may take beyond that. */
const grace = 15_000

/** Milliseconds of pause after a poll that was not held: it doubles from the first to the second. */
const [shortestPause, longestPause] = [1_000, 16_000]

const maxUpdates = 100

/** Bytes that a response with many updates may have. */
const largestPage = 128 * 1024

/** After a week without updates Telegram may number them anew, also from below. In milliseconds, with a margin. */
const numbersLast = 6 * 86_400_000

/**
 * Fetches the updates of a bot. Asking with a number makes Telegram forget all updates before it, so that is done only once
 * everything before it is stored. After an empty answer, nothing is left to confirm, and the next poll has no number.
 */
export class Polling {
  readonly #options: PollingOptions
  readonly #traffic: Traffic
  readonly #held: Holding
  #most = maxUpdates
  /** Before the next poll, if one is not held, in milliseconds. */
  #pause = shortestPause

  constructor(options: PollingOptions) {
    this.#options = options
    const { share } = options
    this.#held = share.holding('incoming')
    this.#traffic = share.joinTraffic()
  }

  /** Polls, from the mark on, until something ends it; resolves to what that was. Rejects if the signal aborts. */
  async run(stored: CaughtUp | null): Promise<ReasonCode> {
    try {
      return await this.#run(stored)
    } finally {
      this.#held.end()
      this.#traffic.leave()
    }
  }

  async #run(stored: CaughtUp | null): Promise<ReasonCode> {
    const { clock, signal, report } = this.#options
    let offset = this.#offsetAt(stored?.mark ?? null)
    let isCaughtUp = false
    for (;;) {
      const askedAt = clock.monotonic()
      const answer = await this.#ask(offset, isCaughtUp ? pollSeconds : 0)
      signal.throwIfAborted()
      const page = answer === 'too-large' ? await this.#pageWithout(offset) : answer
      signal.throwIfAborted()
      if ('reason' in page) return page.reason
      if (page === askForLess) continue
      void report({ kind: 'connection-verified' })
      const last = page.at(-1)
      if (last === undefined) {
        offset = undefined
        if (isCaughtUp) await this.#restFrom(clock.monotonic() - askedAt)
        else void report({ kind: 'caught-up', through: null })
        isCaughtUp = true
        continue
      }
      this.#pause = shortestPause
      const isStored = await this.#take(page, last)
      signal.throwIfAborted()
      if (!isStored) return 'messages_not_kept'
      offset = last.id + 1
      await this.#rest()
    }
  }

  /** The updates after those before `offset`, which Telegram forgets. */
  async #ask(offset: number | undefined, timeout: number): Promise<readonly Update[] | 'too-large' | Stop> {
    const { api, signal, work } = this.#options
    const json = { offset, limit: this.#most, timeout, allowed_updates: updateTypes }
    const time = timeout * 1000 + grace
    const maxBytes = this.#most === 1 ? largestUpdate : largestPage
    const answer = await api.call('getUpdates', {
      body: { json },
      limits: { headers: time, total: time + grace },
      maxBytes,
      signal,
      inTurn: (bytes, read) => {
        this.#traffic.take('bytes', bytes)
        this.#held.set(bytes)
        signal.throwIfAborted()
        return work.do(read)
      },
    })
    if (answer.kind === 'failed' && answer.reason === 'too_large') return 'too-large'
    if (answer.kind !== 'ok') return { reason: reasonFor(answer) }
    const updates = updatesIn(answer.result)
    if (updates === null) return { reason: 'not_telegram' }
    // Twice as many would be too much if these were half of what may be.
    if (answer.size <= largestPage / 2) this.#most = Math.min(maxUpdates, 2 * this.#most)
    this.#traffic.take('stanzas', updates.length)
    return updates
  }

  /** After an answer that was too large: fewer at once, or, if it was a single update, that without its content. */
  async #pageWithout(offset: number | undefined): Promise<readonly Update[] | Stop> {
    const { api, bot, log, signal } = this.#options
    if (this.#most > 1) {
      this.#most = Math.floor(this.#most / 2)
      return askForLess
    }
    const id = await api.nextUpdateId(offset, signal)
    signal.throwIfAborted()
    if (id === null || id < (offset ?? 0)) return { reason: 'update_too_large' }
    log.error({ bot, update_id: id }, 'an update of Telegram is too large to read, and was skipped')
    return [{ id, update: {} }]
  }

  /** Reports what a page says, in turn with other connections; whether Telegram may forget it. */
  async #take(page: readonly Update[], last: Update): Promise<boolean> {
    const { report, work, updates } = this.#options
    const polls = await updates.prepare(page.map(({ update }) => update)).catch(() => null)
    if (polls === null) return false
    const reports: (Promise<boolean> | true)[] = []
    const done = page.map(({ id, update }) =>
      // The mark is stored only after the message.
      work.do(() => void reports.push(updates.report(update, polls, this.#markAfter(id)).news)),
    )
    await Promise.all(done)
    // From here on, the store counts the messages that wait for it.
    this.#held.set(0)
    // The mark covers messages alone: other facts are stored before it.
    if (reports.some((stored) => stored !== true) && !(await allStored(reports))) return false
    return report({ kind: 'caught-up', through: this.#markAfter(last.id) })
  }

  /** The mark names the bot, the next update, and the day: numbers do not last. */
  #markAfter(id: number): string {
    const { bot, clock } = this.#options
    return `${bot}:${id + 1}:${Math.floor(clock.now() / 86_400_000)}`
  }

  #offsetAt(mark: string | null): number | undefined {
    const { bot, clock } = this.#options
    const [of, offset, day] = mark?.split(':') ?? []
    if (of !== bot || !/^\d{1,15}$/.test(offset ?? '') || !/^\d{1,9}$/.test(day ?? '')) return undefined
    const age = clock.now() - Number(day) * 86_400_000
    return age < numbersLast ? Number(offset) : undefined
  }

  /** Polls that end at once with nothing would follow each other without end: the next one waits, longer each time. */
  async #restFrom(held: number): Promise<void> {
    if (held >= shortestPause) {
      this.#pause = shortestPause
      return
    }
    await wait(this.#pause, undefined, { signal: this.#options.signal })
    this.#pause = Math.min(longestPause, 2 * this.#pause)
  }

  /** Waits if this instance receives too much, and takes turns with the others of its organization if they do together. */
  async #rest(): Promise<void> {
    const { signal } = this.#options
    const delay = this.#traffic.wait()
    if (delay > 0) await wait(delay, undefined, { signal })
    await this.#traffic.turn(signal)
    signal.throwIfAborted()
  }
}

/** Why polling ends. */
interface Stop {
  readonly reason: ReasonCode
}

/** Nothing was read: the same again, but less of it. */
const askForLess: readonly Update[] = []

interface Update {
  readonly id: number
  readonly update: Json
}

/** The updates of an answer; null if it is none. */
function updatesIn(result: unknown): Update[] | null {
  if (!Array.isArray(result)) return null
  const updates = result.map((each) => {
    const update = asObject(each)
    const id = update && integerIn(update, 'update_id')
    return update && id !== null ? { id, update } : null
  })
  return updates.every((update) => update !== null) ? updates : null
}
