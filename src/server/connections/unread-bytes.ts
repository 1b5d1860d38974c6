import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'

/** A part of what callers without a key may have together is for one address. */
const addresses = 4
/** So much of what one organization may have is kept beside it for responses about one thing. */
const shareOfOneThing = 8
/** Responses of one party that may wait for room; one more is refused. */
const maxWaiting = 1_000

/** The bytes of responses that callers have asked for and not taken yet. */
export class UnreadBytes {
  /** By organization. */
  readonly withKey: FairSemaphore
  /** The same for responses about one thing, which are short: so they do not wait for pages that are being read, such as those of searches. */
  readonly ofOneThing: FairSemaphore
  /** By address. */
  readonly withoutKey: FairSemaphore
  readonly maxOfOrganization: number
  readonly maxOfAddress: number

  /** `max` bytes are for the responses of one organization; all callers without a key may have as many together. */
  constructor(max: number) {
    this.maxOfOrganization = max
    this.maxOfAddress = Math.ceil(max / addresses)
    this.withKey = new FairSemaphore({
      limit: Number.POSITIVE_INFINITY,
      limitPerParty: this.maxOfOrganization,
      queuePerParty: maxWaiting,
    })
    this.ofOneThing = new FairSemaphore({
      limit: Number.POSITIVE_INFINITY,
      limitPerParty: Math.ceil(max / shareOfOneThing),
      queuePerParty: maxWaiting,
    })
    this.withoutKey = new FairSemaphore({
      limit: max,
      limitPerParty: this.maxOfAddress,
      queuePerParty: maxWaiting,
    })
  }

  /** Returns the bytes that are held, and the responses that wait for room. */
  counts(): { readonly withKey: number; readonly withoutKey: number; readonly waiting: number } {
    const waiting = this.withKey.waiting + this.ofOneThing.waiting + this.withoutKey.waiting
    const withKey = this.withKey.running + this.ofOneThing.running
    return { withKey, withoutKey: this.withoutKey.running, waiting }
  }

  /** True if an organization, or all callers without a key, hold so much that their next responses may have to wait. */
  isShort(organization: string | undefined): boolean {
    return this.#heldBy(organization) > this.maxOfOrganization / 2
  }

  #heldBy(organization: string | undefined): number {
    if (organization === undefined) return this.withoutKey.running
    return this.withKey.of(organization).running + this.ofOneThing.of(organization).running
  }
}
