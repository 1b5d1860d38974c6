/** The owner of a file: its organization and, for a received one, its sender. */
export interface FileOwner {
  readonly organization_id: string
  readonly sender: string | null
}

/** The owners whose files must not be fetched now. */
export interface PassedOver {
  readonly organizations: readonly string[]
  /** By organization. */
  readonly senders: readonly { readonly organization: string; readonly senders: readonly string[] }[]
}

/** Files fetched at a time: in all, for one organization, and from one sender to it. */
const limits = { all: 64, organization: 4, sender: 2 }
/** Senders remembered over all organizations. Beyond that, those of the organization with the most are forgotten. */
const maxSenders = 500

/**
 * Decides which file is fetched next; the store has all files to fetch. Organizations take turns, and so do the senders
 * within one. So an owner of many files, or of a file that drips, holds no more than its own places, and comes again only
 * after the others.
 */
export class FetchTurns {
  /** By organization, how many are under way of each sender. */
  readonly #underway = new Map<string, Map<string | null, number>>()
  #count = 0
  /** The organizations that had their turn in this round, and by organization the senders that had theirs. */
  readonly #organizations = new Set<string>()
  readonly #senders = new Map<string, Set<string>>()

  get free(): number {
    return limits.all - this.#count
  }

  passedOver(): PassedOver {
    const organizations = new Set([...this.#busy(), ...this.#organizations])
    const senders = new Map([...this.#senders].map(([id, had]) => [id, new Set(had)]))
    for (const [id, counts] of this.#underway) {
      for (const [sender, count] of counts) {
        if (sender === null || count < limits.sender) continue
        senders.set(id, (senders.get(id) ?? new Set()).add(sender))
      }
    }
    return {
      organizations: [...organizations],
      senders: [...senders].map(([organization, names]) => ({ organization, senders: [...names] })),
    }
  }

  /** Takes a place for a file whose owner was not passed over; false if the owner has had its turn by now. */
  begin({ organization_id: id, sender }: FileOwner): boolean {
    if (this.free === 0 || this.#organizations.has(id)) return false
    const counts = this.#underway.get(id) ?? new Map<string | null, number>()
    this.#underway.set(id, counts.set(sender, (counts.get(sender) ?? 0) + 1))
    this.#count++
    this.#organizations.add(id)
    if (sender !== null) this.#senders.set(id, (this.#senders.get(id) ?? new Set()).add(sender))
    this.#forgetSome()
    return true
  }

  end({ organization_id: id, sender }: FileOwner): void {
    const counts = this.#underway.get(id)
    const left = (counts?.get(sender) ?? 1) - 1
    if (left > 0) counts?.set(sender, left)
    else counts?.delete(sender)
    if (counts?.size === 0) this.#underway.delete(id)
    this.#count--
  }

  /**
   * Begins the next round when no other owner has a file to fetch. Returns true if some of the owners passed over may have
   * another turn: first the senders of organizations that found nothing in this round because all of them had had theirs,
   * then the organizations.
   */
  nextRound(): boolean {
    const passed = new Set([...this.#busy(), ...this.#organizations])
    const forgotten = [...this.#senders.keys()].filter((id) => !passed.has(id))
    for (const id of forgotten) this.#senders.delete(id)
    if (forgotten.length > 0) return true
    const hadTurns = this.#organizations.size > 0
    this.#organizations.clear()
    return hadTurns
  }

  /** The organizations that have all of their places. */
  #busy(): string[] {
    const busy = [...this.#underway].filter(([, senders]) => sum(senders) >= limits.organization)
    return busy.map(([id]) => id)
  }

  #forgetSome(): void {
    const sizes = [...this.#senders].map(([id, { size }]) => [id, size] as const)
    if (sizes.reduce((all, [, size]) => all + size, 0) <= maxSenders) return
    const [[most] = ['']] = sizes.toSorted(([, one], [, other]) => other - one)
    this.#senders.delete(most)
  }
}

function sum(counts: ReadonlyMap<string | null, number>): number {
  return counts.values().reduce((all, count) => all + count, 0)
}
