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
  /** Number of its items that were taken and are not done, and the sum of their sizes. */
  underway: number
  running: number
  /** Cost of its items so far, and what it missed while it had none. */
  used: number
  place: Place<T> | undefined
}

export interface FairQueueOptions<T> {
  /** Returns the probable cost of an item, in any unit; 1 without. */
  readonly cost?: (item: T) => number
  /** Returns the size of an item, which counts towards what parties may have under way; 1 without. */
  readonly size?: (item: T) => number
  /** Sum of sizes that one party may have under way at once. */
  readonly limitPerParty?: number
}

/**
 * Returns true if an item may begin beside what runs. An item larger than the limit counts as much as the limit: it runs
 * alone.
 */
export function fits(size: number, running: number, limit: number): boolean {
  return running + Math.min(size, limit) <= limit
}

/**
 * A queue in which parties take turns: next is the party whose items have cost least. Within a party, first come is first served.
 * A party that had nothing to do has saved nothing for later: it joins as an equal of the one that was served last
 * (start-time fair queueing: Goyal, Vin and Cheng, 1996). A party is any string, such as the id of an organization.
 */
export class FairQueue<T> {
  readonly #cost: (item: T) => number
  readonly #size: (item: T) => number
  readonly #limitPerParty: number
  /** The parties with items, and those that have had more than others and would otherwise come back as if they had not. */
  readonly #parties = new Map<string, Party<T>>()
  #places = inOrder<T>()
  #order = 0
  /** Cost that the party served last had used before. */
  #level = 0
  #waiting = 0
  #underway = 0
  #running = 0
  #sweepAt = 64

  constructor(options: FairQueueOptions<T> = {}) {
    const { cost = () => 1, size = () => 1, limitPerParty = Number.POSITIVE_INFINITY } = options
    this.#cost = cost
    this.#size = size
    this.#limitPerParty = limitPerParty
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Sum of the sizes under way. */
  get running(): number {
    return this.#running
  }

  /** Returns how much of the party is under way, and how many of its items wait. */
  of(name: string): { readonly running: number; readonly waiting: number } {
    const party = this.#parties.get(name)
    return { running: party?.running ?? 0, waiting: party?.waiting.length ?? 0 }
  }

  push(name: string, item: T): void {
    const party = this.#partyOf(name)
    party.waiting.push(item)
    this.#waiting++
    if (!party.place) this.#lineUp(party)
  }

  /** The next item; undefined if there is none that may be under way. */
  peek(): T | undefined {
    for (let place = this.#places.peek(); place; place = this.#places.peek()) {
      const { party } = place
      if (party.place === place) return party.waiting[0]
      this.#places.pop()
    }
    return undefined
  }

  /** Takes the next item, which is under way from now on. */
  take(): T | undefined {
    if (this.peek() === undefined) return undefined
    const { party } = this.#places.pop() as Place<T>
    const item = party.waiting.shift() as T
    party.place = undefined
    this.#level = Math.max(this.#level, party.used)
    this.#waiting--
    party.used += this.#cost(item)
    this.#begin(party, this.#size(item))
    return item
  }

  /** Counts something of a party as under way at once, out of turn and regardless of the limit. */
  begin(name: string, size: number): void {
    this.#begin(this.#partyOf(name), size)
  }

  /** Changes the size of what a party has under way by so much, up or down. */
  grow(name: string, by: number): void {
    const party = this.#parties.get(name)
    if (!party) return
    party.running += by
    this.#running += by
    this.#lineUp(party)
  }

  /** An item that was taken is done. `more` is what it cost beyond what was expected, and may be negative. */
  done(name: string, { size = 1, more = 0 } = {}): void {
    const party = this.#parties.get(name)
    if (!party) return
    party.underway--
    this.#underway--
    party.used += more
    this.grow(name, -size)
    this.#forget(party)
  }

  /** Items that were taken in this order were not begun: they come first again, as if they had not been taken. */
  putBack(name: string, items: readonly T[]): void {
    const party = this.#partyOf(name)
    party.waiting.unshift(...items)
    party.underway -= items.length
    this.#underway -= items.length
    party.used -= sumOf(items, this.#cost)
    this.#waiting += items.length
    this.grow(name, -sumOf(items, this.#size))
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
      if (known.waiting.length === 0 && known.underway === 0) known.used = Math.max(known.used, this.#level)
      return known
    }
    const party: Party<T> = {
      name,
      waiting: [],
      underway: 0,
      running: 0,
      used: this.#level,
      place: undefined,
    }
    this.#parties.set(name, party)
    if (this.#parties.size >= this.#sweepAt) this.#sweep(party)
    return party
  }

  #begin(party: Party<T>, size: number): void {
    party.underway++
    this.#underway++
    party.running += size
    this.#running += size
    this.#lineUp(party)
  }

  /** Gives a party the place that it should have now, if it can use one. */
  #lineUp(party: Party<T>): void {
    const [first] = party.waiting
    if (first === undefined || !fits(this.#size(first), party.running, this.#limitPerParty)) {
      party.place = undefined
    } else if (party.place?.used !== party.used) {
      party.place = { party, used: party.used, order: this.#order++ }
      this.#places.push(party.place)
    }
  }

  /** An idle party is forgotten as soon as it has had no more than others. */
  #forget({ name, waiting, underway, used }: Party<T>): void {
    if (waiting.length > 0 || underway > 0) return
    if (used <= this.#level) this.#parties.delete(name)
    if (this.#waiting > 0 || this.#underway > 0) return
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

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
