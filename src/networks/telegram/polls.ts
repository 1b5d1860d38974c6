import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { KeyStore } from '../driver/keys.ts'
import { parseObject, textIn } from '../kit/json.ts'

/** A poll that the bot sent. */
export interface SentPoll {
  /** The id under which the message with it is known. */
  readonly message: string
  readonly options: readonly string[]
}

/** Polls by their ids at Telegram. */
export type KnownPolls = ReadonlyMap<string, SentPoll>

/** The type of their keys. */
const keyType = 'poll'

/** Milliseconds for which votes in a poll can be understood. */
const kept = 90 * 86_400_000

/** Milliseconds for which a vote waits for the answer that tells the id of its poll. */
const longestWait = 5_000

/**
 * The polls that a bot sent. A vote names only the id of its poll and the places of the answers, so the rest is kept, durably, among
 * the keys of the instance.
 */
export class SentPolls {
  readonly #keys: KeyStore
  readonly #clock: Clock
  readonly #log: Log
  readonly #underWay = new Set<Promise<unknown>>()

  constructor({ keys, clock, log }: { readonly keys: KeyStore; readonly clock: Clock; readonly log: Log }) {
    this.#keys = keys
    this.#clock = clock
    this.#log = log
  }

  /** Keeps a poll that was sent. If it cannot be kept, its votes are not understood. Never rejects. */
  async keep(id: string, poll: SentPoll): Promise<void> {
    if (!isPollId(id)) return
    const value = Buffer.from(JSON.stringify(poll))
    try {
      await this.#keys.set([{ type: keyType, id, value, expires_at: this.#clock.now() + kept }])
    } catch (error) {
      this.#log.warn({ err: error }, 'a poll of Telegram was sent, but votes in it will not be understood')
    }
  }

  /** Marks that a poll is being sent: its id comes with the answer, and votes may come before that. */
  sending<T>(answer: Promise<T>): Promise<T> {
    const forget = () => void this.#underWay.delete(settled)
    const settled: Promise<void> = answer.then(forget, forget)
    this.#underWay.add(settled)
    return answer
  }

  /** Finds those of these polls that the bot sent. Rejects if the store cannot be read now. */
  async find(ids: readonly string[], signal: AbortSignal): Promise<KnownPolls> {
    const wanted = [...new Set(ids)]
    const found = await this.#read(wanted)
    if (found.size === wanted.length || this.#underWay.size === 0) return found
    const over = wait(longestWait, undefined, { signal, ref: false }).catch(() => {})
    await Promise.race([Promise.all(this.#underWay), over])
    return this.#read(wanted)
  }

  async #read(ids: readonly string[]): Promise<KnownPolls> {
    if (ids.length === 0) return new Map()
    try {
      const values = await this.#keys.get(keyType, ids)
      return new Map([...values].flatMap(([id, value]) => pollIn(id, value)))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      this.#log.warn({ err: error }, 'the polls of an instance cannot be read')
      return new Map()
    }
  }
}

/** Telegram's ids are numbers of up to 20 digits, as texts. */
export function isPollId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id)
}

function pollIn(id: string, value: Uint8Array): [string, SentPoll][] {
  const poll = parseObject(Buffer.from(value))
  const message = poll && textIn(poll, 'message')
  if (!message || !Array.isArray(poll.options)) return []
  return [[id, { message, options: poll.options.map(String) }]]
}
