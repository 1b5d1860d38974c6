import type { AddressChecks, FoundAddress } from '../networks/driver/abilities/checking.ts'
import type { DriverConnection } from '../networks/driver/connection.ts'
import type { NetworkError } from '../networks/driver/outcome.ts'
import { abortOf } from '../runtime/abort.ts'
import type { Clock } from '../runtime/clock.ts'
import { TokenBucket } from '../runtime/limits/token-bucket.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'

/** Milliseconds that a network may take to answer. */
const longest = 30_000

/** Milliseconds for which an answer is kept: people join a network more often than they leave it. */
const keptFor = { yes: 24 * 60 * 60_000, no: 60 * 60_000 } as const

/** Answers that are kept for all instances; the oldest are forgotten first. */
const maxKept = 50_000
/** Instances whose pace is kept; the one that was asked through longest ago is forgotten first. */
const maxPaced = 10_000

/** An answer of a network about an address, now or a while ago. */
export interface CheckedAddress extends FoundAddress {
  /** In milliseconds since the epoch; null if the network did not say anything. */
  readonly at: number | null
}

export type ChecksAnswer =
  | { readonly kind: 'checked'; readonly addresses: readonly CheckedAddress[] }
  | { readonly kind: 'rejected'; readonly error: NetworkError }
  | { readonly kind: 'unanswered'; readonly detail: string }
  /** So many have been asked about that the next must wait. */
  | { readonly kind: 'paced'; readonly seconds: number }

/** A question about addresses, which differ from each other, at the pace of their network. */
export interface AddressQuestion extends AddressChecks {
  readonly addresses: readonly string[]
}

/** The side of a runner that is asked. */
interface AskedRunner {
  readonly id: string
  readonly connection: Pick<DriverConnection, 'checkAddresses'> | undefined
}

/** Asks networks whether addresses exist: no faster than each allows, and not again for what it said a while ago. */
export class AddressChecker {
  readonly #clock: Clock
  readonly #alarms: Pick<Alarms, 'in'>
  readonly #kept = new Map<string, CheckedAddress>()
  readonly #paces = new Map<string, TokenBucket>()

  constructor({ clock, alarms }: { readonly clock: Clock; readonly alarms: Pick<Alarms, 'in'> }) {
    this.#clock = clock
    this.#alarms = alarms
  }

  /** Returns the answer about each address. */
  async ask(
    { id, connection }: AskedRunner,
    { addresses, pace }: AddressQuestion,
    signal: AbortSignal,
  ): Promise<ChecksAnswer> {
    const known = new Map(addresses.flatMap((address) => this.#recall(id, address)))
    const unknown = addresses.filter((address) => !known.has(address))
    if (unknown.length > 0) {
      if (!connection?.checkAddresses) return { kind: 'unanswered', detail: 'The connection is not open.' }
      const seconds = this.#take(id, pace, unknown.length)
      if (seconds > 0) return { kind: 'paced', seconds }
      const answer = await this.#askNetwork(connection.checkAddresses.bind(connection), unknown, signal)
      if (answer.kind !== 'checked') return answer
      for (const found of answer.addresses) known.set(found.asked, this.#keep(id, found))
    }
    return {
      kind: 'checked',
      addresses: addresses.map((asked) => known.get(asked) ?? { asked, exists: 'unknown', at: null }),
    }
  }

  async #askNetwork(
    check: NonNullable<DriverConnection['checkAddresses']>,
    addresses: readonly string[],
    asking: AbortSignal,
  ) {
    const end = new AbortController()
    const alarm = this.#alarms.in(longest, () => end.abort())
    const signal = AbortSignal.any([asking, end.signal])
    try {
      // A driver that never answers holds up nothing.
      return await Promise.race([check(addresses, signal), abortOf(signal).then(() => tooLate)])
    } finally {
      alarm.cancel()
    }
  }

  /** Takes places for as many addresses; returns the seconds after which there would be enough, or 0 if there are. */
  #take(id: string, rate: AddressChecks['pace'], count: number): number {
    const now = this.#clock.monotonic()
    const bucket = this.#paces.get(id) ?? new TokenBucket(rate, now)
    this.#paces.delete(id)
    this.#paces.set(id, bucket)
    if (this.#paces.size > maxPaced) this.#paces.delete(this.#paces.keys().next().value as string)
    const missing = Math.min(count, rate.count) - bucket.available(now)
    if (missing > 0) return Math.max(1, Math.ceil((missing * rate.seconds) / rate.count))
    bucket.take(count)
    return 0
  }

  #recall(id: string, address: string): [string, CheckedAddress][] {
    const kept = this.#kept.get(`${id} ${address}`)
    if (!kept || kept.at === null || kept.exists === 'unknown') return []
    const age = this.#clock.now() - kept.at
    return age >= 0 && age < keptFor[kept.exists] ? [[address, kept]] : []
  }

  #keep(id: string, found: FoundAddress): CheckedAddress {
    const kept = { ...found, at: found.exists === 'unknown' ? null : this.#clock.now() }
    const key = `${id} ${found.asked}`
    this.#kept.delete(key)
    if (kept.at !== null) this.#kept.set(key, kept)
    if (this.#kept.size > maxKept) this.#kept.delete(this.#kept.keys().next().value as string)
    return kept
  }
}

const tooLate = { kind: 'unanswered', detail: 'The network did not respond in time.' } as const
