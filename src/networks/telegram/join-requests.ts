import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import { KeyLimitReached, type KeyStore } from '../driver/keys.ts'
import { integerIn, objectsIn, parseObject, textIn } from '../kit/json.ts'

/** A person who asked to join a group. Names are not kept: they are asked for when they are shown. */
export interface KeptRequest {
  readonly person: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** One of them, as an update tells it. */
export interface ToldRequest extends KeptRequest {
  readonly group: string
}

/** Requests of one group that are kept: of more, the oldest are forgotten. */
export const maxKeptRequests = 500

/** The order in which they are listed. Telegram tells times in seconds, in which many may ask. */
export function byTime(one: KeptRequest, other: KeptRequest): number {
  return one.at - other.at || Number(one.person) - Number(other.person)
}

/** The type of their keys: each group has one. */
const keyType = 'join-requests'

/** Milliseconds for which those of a group are kept after the last of them. */
const kept = 90 * 86_400_000

type Change = (before: readonly KeptRequest[], group: string) => readonly KeptRequest[]

/**
 * The people who asked to join. Telegram tells of each once, and bots cannot ask for a list, so those who asked are kept, durably, among
 * the keys of the instance. Of requests that end otherwise than by this bot, Telegram says nothing.
 */
export class KeptJoinRequests {
  readonly #keys: KeyStore
  readonly #clock: Clock
  readonly #log: Log
  /** Settles when the last change is stored: each begins with what the one before left. */
  #last: Promise<unknown> = Promise.resolve()

  constructor({ keys, clock, log }: { readonly keys: KeyStore; readonly clock: Clock; readonly log: Log }) {
    this.#keys = keys
    this.#clock = clock
    this.#log = log
  }

  /** Adds requests. Resolves when they are stored, or have no room; rejects if the store cannot take them now. */
  async add(told: readonly ToldRequest[]): Promise<void> {
    const byGroup = Map.groupBy(told, ({ group }) => group)
    if (byGroup.size === 0) return
    await this.#change([...byGroup.keys()], (before, group) => {
      const requests = new Map(before.map(({ person, at }) => [person, at]))
      for (const { person, at } of byGroup.get(group) ?? []) {
        // One that is repeated is the newest.
        requests.delete(person)
        requests.set(person, at)
      }
      return [...requests].slice(-maxKeptRequests).map(([person, at]) => ({ person, at }))
    })
  }

  /** Forgets those of these people. Never rejects: one that stays is forgotten when it is answered again. */
  async forget(group: string, people: readonly string[]): Promise<void> {
    if (people.length === 0) return
    const rest: Change = (before) => before.filter(({ person }) => !people.includes(person))
    await this.#change([group], rest).catch((error) =>
      this.#log.warn({ err: error }, 'a request to join a group of Telegram is over, and is still listed'),
    )
  }

  /** Those of a group, the oldest first. Rejects if the store cannot be read now. */
  async of(group: string): Promise<readonly KeptRequest[]> {
    return ((await this.#read([group])).get(group) ?? []).toSorted(byTime)
  }

  #change(groups: readonly string[], change: Change): Promise<void> {
    const changed = this.#last.then(() => this.#store(groups, change))
    this.#last = changed.catch(() => {})
    return changed
  }

  async #store(groups: readonly string[], change: Change): Promise<void> {
    const before = await this.#read(groups)
    const expires_at = this.#clock.now() + kept
    const changes = groups.map((id) => {
      const after = change(before.get(id) ?? [], id)
      const value = after.length > 0 ? Buffer.from(JSON.stringify({ requests: after })) : null
      return { type: keyType, id, value, expires_at }
    })
    try {
      await this.#keys.set(changes)
    } catch (error) {
      if (!(error instanceof KeyLimitReached)) throw error
      this.#log.warn({ err: error }, 'requests to join a group of Telegram will not be listed')
    }
  }

  async #read(groups: readonly string[]): Promise<ReadonlyMap<string, readonly KeptRequest[]>> {
    try {
      const values = await this.#keys.get(keyType, groups)
      return new Map([...values].map(([group, value]) => [group, requestsIn(value)]))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      this.#log.warn({ err: error }, 'the requests to join groups of an instance cannot be read')
      return new Map()
    }
  }
}

function requestsIn(value: Uint8Array): KeptRequest[] {
  return objectsIn(parseObject(Buffer.from(value)) ?? {}, 'requests').flatMap((request) => {
    const [person, at] = [textIn(request, 'person'), integerIn(request, 'at')]
    return person === null || at === null ? [] : [{ person, at }]
  })
}
