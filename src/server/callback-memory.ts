const megabyte = 1024 * 1024

/** What all callbacks together may hold while they come in, and those of one party. */
const most = 128 * megabyte
const mostPerParty = 16 * megabyte

/**
 * Counts the memory of callbacks whose bodies are coming in. Nobody knows yet who sends them, so one party gets only so much, and
 * never more than half of what is left, so that some is left for the others. A party is an organization or, at the URL of the operator,
 * a client address.
 */
export class CallbackMemory {
  readonly #parties = new Map<string, number>()
  #held = 0

  /** Returns a function that gives the bytes back, to be called once; undefined if there is no room for them. */
  take(party: string, bytes: number): (() => void) | undefined {
    const own = this.#parties.get(party) ?? 0
    if (own + bytes > mostPerParty || bytes > (most - this.#held) / 2) return undefined
    this.#change(party, bytes)
    return () => this.#change(party, -bytes)
  }

  #change(party: string, bytes: number): void {
    this.#held += bytes
    const own = (this.#parties.get(party) ?? 0) + bytes
    if (own === 0) this.#parties.delete(party)
    else this.#parties.set(party, own)
  }
}
