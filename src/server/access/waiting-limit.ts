import type { Caller } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'

/** Requests that may be open at a time; undefined for any number. */
export interface WaitingLimits {
  /** Event streams of one key. */
  readonly streamsOfKey: number | undefined
  /** Event streams and requests that wait, of one organization. */
  readonly ofOrganization: number | undefined
}

/** Kind of a request that stays open until something happens: one with `Prefer: wait`, or an event stream. */
export type WaitingKind = 'wait' | 'stream'

/** Counts the event streams of each key, and with them the requests that wait, of each organization. */
export class WaitingLimit {
  readonly #limits: WaitingLimits
  /** By the id of the key or of the organization. */
  readonly #open = new Map<string, number>()

  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  /** Takes a place, or throws the problem if there is none left. Call the returned function once, at the end. */
  take(kind: WaitingKind, { keyId, organizationId }: Pick<Caller, 'keyId' | 'organizationId'>): () => void {
    const { streamsOfKey, ofOrganization } = this.#limits
    if (kind === 'stream' && this.#isReached(keyId, streamsOfKey))
      throw refusal(kind, `The API key has ${streamsOfKey} event streams open, which is its limit.`, [
        'Close one of them.',
      ])
    if (this.#isReached(organizationId, ofOrganization)) {
      const whose = `The organization has ${ofOrganization} event streams and requests with \`Prefer: wait\` open, over all of its keys, which is its limit.`
      throw refusal(kind, whose, [
        kind === 'wait'
          ? 'Repeat the request without `Prefer: wait`, or after others have ended.'
          : 'End some of them.',
      ])
    }
    const counted = kind === 'stream' ? [keyId, organizationId] : [organizationId]
    for (const id of counted) this.#count(id, 1)
    return () => {
      for (const id of counted) this.#count(id, -1)
    }
  }

  #isReached(id: string, limit: number | undefined): boolean {
    return limit !== undefined && (this.#open.get(id) ?? 0) >= limit
  }

  #count(id: string, more: number): void {
    const open = (this.#open.get(id) ?? 0) + more
    if (open > 0) this.#open.set(id, open)
    else this.#open.delete(id)
  }
}

function refusal(kind: WaitingKind, whose: string, advice: readonly string[]): Problem {
  return new Problem(kind === 'stream' ? 'too_many_streams' : 'too_many_waits', {
    detail: [whose, ...advice].join(' '),
    headers: { 'retry-after': '5' },
  })
}
