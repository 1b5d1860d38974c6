import type { AddressChecks, FoundAddress } from '../networks/driver/abilities/checking.ts'
import type { DriverConnection } from '../networks/driver/connection.ts'
import type { NetworkError } from '../networks/driver/outcome.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Alarms } from '../runtime/timers/alarms.ts'
import { answerInTime } from './answer-in-time.ts'
import { Paces } from './paces.ts'

/** Milliseconds for which an answer is kept: people join a network more often than they leave it. */
const keptFor = { yes: 24 * 60 * 60_000, no: 60 * 60_000 } as const

/** Answers that are kept for all instances; the oldest are forgotten first. */
const maxKept = 50_000

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
  readonly #paces: Paces

  constructor({ clock, alarms }: { readonly clock: Clock; readonly alarms: Pick<Alarms, 'in'> }) {
    this.#clock = clock
    this.#alarms = alarms
    this.#paces = new Paces(clock)
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
      const seconds = this.#paces.take(id, pace, unknown.length)
      if (seconds > 0) return { kind: 'paced', seconds }
      const check = connection.checkAddresses.bind(connection)
      const ask = (inTime: AbortSignal) => check(unknown, inTime)
      const answer = await answerInTime(this.#alarms, signal, { ask, tooLate })
      if (answer.kind !== 'checked') return answer
      for (const found of answer.addresses) known.set(found.asked, this.#keep(id, found))
    }
    return {
      kind: 'checked',
      addresses: addresses.map((asked) => known.get(asked) ?? { asked, exists: 'unknown', at: null }),
    }
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
