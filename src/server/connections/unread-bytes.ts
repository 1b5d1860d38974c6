import { FairSemaphore } from '../../runtime/limits/fair-semaphore.ts'

/** A part of what callers without a key may have together is for one address. */
const addresses = 4
/** Responses of one party that may wait for room; one more is refused. */
const maxWaiting = 1_000

/** The bytes of responses that callers have asked for and not taken yet. */
export class UnreadBytes {
  /** By organization. */
  readonly withKey: FairSemaphore
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
    this.withoutKey = new FairSemaphore({
      limit: max,
      limitPerParty: this.maxOfAddress,
      queuePerParty: maxWaiting,
    })
  }

  /** Returns the bytes that are held, and the responses that wait for room. */
  counts(): { readonly withKey: number; readonly withoutKey: number; readonly waiting: number } {
    const waiting = this.withKey.waiting + this.withoutKey.waiting
    return { withKey: this.withKey.running, withoutKey: this.withoutKey.running, waiting }
  }

  /** True if an organization, or all callers without a key, hold so much that their next responses may have to wait. */
  isShort(organization: string | undefined): boolean {
    const held = organization === undefined ? this.withoutKey.running : this.withKey.of(organization).running
    return held > this.maxOfOrganization / 2
  }
}
