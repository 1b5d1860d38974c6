/** Members of parties, the oldest of each party first. Which party has the most is known without counting. */
export class MembersByParty<T> {
  readonly #byParty = new Map<string, Set<T>>()
  /** The parties that have so many members each. */
  readonly #bySize = new Map<number, Set<string>>()
  #size = 0
  #most = 0

  get size(): number {
    return this.#size
  }

  add(party: string, member: T): void {
    const members = this.#byParty.get(party) ?? new Set()
    this.#byParty.set(party, members)
    if (members.has(member)) return
    members.add(member)
    this.#size++
    this.#resize(party, members.size - 1, members.size)
    this.#most = Math.max(this.#most, members.size)
  }

  /** True if it was there. */
  delete(party: string, member: T): boolean {
    const members = this.#byParty.get(party)
    if (!members?.delete(member)) return false
    if (members.size === 0) this.#byParty.delete(party)
    this.#size--
    this.#resize(party, members.size + 1, members.size)
    if (!this.#bySize.has(this.#most)) this.#most--
    return true
  }

  sizeOf(party: string): number {
    return this.#byParty.get(party)?.size ?? 0
  }

  /** Of one party, the oldest first. */
  of(party: string): Iterable<T> {
    return this.#byParty.get(party) ?? []
  }

  /** The party that has the most, and of several the one that has had so many for longest. */
  largest(): string | undefined {
    return this.#bySize.get(this.#most)?.values().next().value
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const members of this.#byParty.values()) yield* members
  }

  #resize(party: string, from: number, to: number): void {
    const left = this.#bySize.get(from)
    left?.delete(party)
    if (left?.size === 0) this.#bySize.delete(from)
    if (to === 0) return
    const joined = this.#bySize.get(to) ?? new Set()
    this.#bySize.set(to, joined.add(party))
  }
}
