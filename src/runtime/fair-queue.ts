import TinyQueue from 'tinyqueue'

/** The place of a party among those that can have a turn; void if the party has another by now. */
interface Place<T> {
  readonly party: Party<T>
  readonly used: number
  /** Of several parties that have used the same, the one that stood here first is next. */
  readonly order: number
}

interface Party<T> {
  readonly name: string
  readonly waiting: T[]
  /** How many of its items were taken and are not done. */
  running: number
  /** What its items have cost so far, and how much it missed while it had none. */
  used: number
  place: Place<T> | undefined
}

export interface FairQueueOptions<T> {
  /** What an item will probably cost, in any unit; 1 without. */
  readonly cost?: (item: T) => number
  /** How many items of one party may be under way at once. */
  readonly limitPerParty?: number
}

/**
 * A queue in which parties take turns: next is the party whose items have cost least. Within a party, first come is first served.
 * A party that had nothing to do has saved nothing for later: it joins as an equal of the one that was served last
 * (start-time fair queueing: Goyal, Vin and Cheng, 1996). A party is any string, such as the id of an organization.
 */
export class FairQueue<T> {
  readonly #cost: (item: T) => number
  readonly #limitPerParty: number
  /** The parties with items, and those that have had more than others and would otherwise come back as if they had not. */
  readonly #parties = new Map<string, Party<T>>()
  #places = inOrder<T>()
  #order = 0
  /** What the party that was served last had used before. */
  #level = 0
  #waiting = 0
  #running = 0
  #sweepAt = 64

  constructor({ cost = () => 1, limitPerParty = Number.POSITIVE_INFINITY }: FairQueueOptions<T> = {}) {
    this.#cost = cost
    this.#limitPerParty = limitPerParty
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  /** How many items of the party wait. */
  waitingOf(name: string): number {
    return this.#parties.get(name)?.waiting.length ?? 0
  }

  push(name: string, item: T): void {
    const party = this.#partyOf(name)
    party.waiting.push(item)
    this.#waiting++
    if (!party.place) this.#lineUp(party)
  }

  /** The next item, which is under way from now on; undefined if there is none that may be. */
  take(): T | undefined {
    for (let place = this.#places.pop(); place; place = this.#places.pop()) {
      const { party } = place
      if (party.place !== place) continue
      party.place = undefined
      const item = party.waiting.shift() as T
      this.#level = Math.max(this.#level, party.used)
      this.#waiting--
      this.#running++
      party.running++
      party.used += this.#cost(item)
      this.#lineUp(party)
      return item
    }
    return undefined
  }

  /** An item that was taken is done. `more` is what it cost beyond what was expected, and may be negative. */
  done(name: string, more = 0): void {
    const party = this.#parties.get(name)
    if (!party) return
    party.running--
    this.#running--
    party.used += more
    this.#lineUp(party)
    this.#forget(party)
  }

  /** Items that were taken in this order were not begun: they come first again, as if they had not been taken. */
  putBack(name: string, items: readonly T[]): void {
    const party = this.#partyOf(name)
    party.waiting.unshift(...items)
    party.running -= items.length
    party.used -= items.reduce((sum, item) => sum + this.#cost(item), 0)
    this.#waiting += items.length
    this.#running -= items.length
    this.#lineUp(party)
  }

  /** Removes an item that waits; false if it does not. */
  remove(name: string, item: T): boolean {
    const party = this.#parties.get(name)
    const at = party?.waiting.lastIndexOf(item) ?? -1
    if (!party || at < 0) return false
    party.waiting.splice(at, 1)
    this.#waiting--
    this.#lineUp(party)
    this.#forget(party)
    return true
  }

  /** Removes everything that waits, and returns it. */
  empty(): T[] {
    const removed: T[] = []
    for (const party of [...this.#parties.values()]) {
      removed.push(...party.waiting.splice(0))
      this.#lineUp(party)
      this.#forget(party)
    }
    this.#waiting = 0
    return removed
  }

  /** The last item of the party with the most that wait; of several such parties, of this one. */
  lastOfLongest(name: string): { readonly party: string; readonly item: T } | undefined {
    let longest = this.#parties.get(name)
    for (const party of this.#parties.values())
      if (party.waiting.length > (longest?.waiting.length ?? 0)) longest = party
    const item = longest?.waiting.at(-1)
    return longest && item !== undefined ? { party: longest.name, item } : undefined
  }

  #partyOf(name: string): Party<T> {
    const known = this.#parties.get(name)
    if (known) {
      if (known.waiting.length === 0 && known.running === 0) known.used = Math.max(known.used, this.#level)
      return known
    }
    const party: Party<T> = { name, waiting: [], running: 0, used: this.#level, place: undefined }
    this.#parties.set(name, party)
    if (this.#parties.size >= this.#sweepAt) this.#sweep(party)
    return party
  }

  /** Gives a party the place that it should have now, if it can use one. */
  #lineUp(party: Party<T>): void {
    if (party.waiting.length === 0 || party.running >= this.#limitPerParty) {
      party.place = undefined
    } else if (party.place?.used !== party.used) {
      party.place = { party, used: party.used, order: this.#order++ }
      this.#places.push(party.place)
    }
  }

  /** An idle party is forgotten as soon as it has had no more than others. */
  #forget({ name, waiting, running, used }: Party<T>): void {
    if (waiting.length > 0 || running > 0) return
    if (used <= this.#level) this.#parties.delete(name)
    if (this.#waiting > 0 || this.#running > 0) return
    this.#parties.clear()
    this.#places = inOrder()
    this.#level = 0
  }

  #sweep(except: Party<T>): void {
    for (const party of this.#parties.values()) if (party !== except) this.#forget(party)
    this.#sweepAt = 2 * this.#parties.size + 64
  }
}

function inOrder<T>(): TinyQueue<Place<T>> {
  return new TinyQueue<Place<T>>([], (one, other) => one.used - other.used || one.order - other.order)
}
