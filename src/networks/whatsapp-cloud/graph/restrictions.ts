import { sentencesOf } from '../../../contract/codes.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Restriction } from '../../driver/observation.ts'
import { type ReasonCode, type RestrictionCode, restrictions } from '../codes.ts'

export const hour = 3_600_000
export const day = 24 * hour

/** A restriction between two times, in milliseconds since the epoch. `more` is a sentence about this one, after a space. */
export function restrictionOf(
  code: RestrictionCode,
  { scope, since, ends_at }: Pick<Restriction, 'scope' | 'since' | 'ends_at'>,
  more = '',
): Restriction {
  return { code, detail: `${sentencesOf(restrictions[code])}${more}`, scope, since, ends_at }
}

/** Restrictions that are lifted, and those from then on. */
export interface RestrictionChange {
  readonly lifted?: readonly RestrictionCode[]
  readonly restricted?: readonly Restriction[]
}

/**
 * Meta's restrictions, as far as it told them: the widest of several, of those the one that lasts longest, then the newest.
 */
export class Restrictions {
  readonly #clock: Clock
  readonly #report: (restriction: Restriction | null) => void
  #shown: Restriction | null

  constructor(clock: Clock, shown: Restriction | null, report: (restriction: Restriction | null) => void) {
    this.#clock = clock
    this.#shown = shown
    this.#report = report
  }

  /** A better reason for the end of a connection, if Meta said before what has become of the account. */
  explain(code: ReasonCode): ReasonCode {
    if (code !== 'number_unknown' && code !== 'missing_permission' && code !== 'business_account_unknown')
      return code
    const said = this.#standing(this.#clock.now())?.code
    return said === 'account_deleted' || said === 'partner_removed' ? said : code
  }

  #standing(now: number): Restriction | null {
    return this.#shown && isStanding(this.#shown, now) ? this.#shown : null
  }

  /** Reports what is shown then, if that is another. */
  change({ lifted = [], restricted = [] }: RestrictionChange): void {
    const now = this.#clock.now()
    const before = this.#standing(now)
    const isLifted = (lifted as readonly string[]).includes(before?.code ?? '')
    const standing = restricted.filter((one) => isStanding(one, now))
    const after = standing.reduce(wider, isLifted ? null : before)
    if (isSame(after, before)) return
    this.#shown = after
    this.#report(after)
  }
}

function isStanding({ ends_at }: Restriction, now: number): boolean {
  return ends_at === null || ends_at > now
}

const widths: Readonly<Record<Restriction['scope'], number>> = { none: 0, new_contacts: 1, all_messages: 2 }

/** The one that is shown of two, if the other is the newer one. */
export function wider(one: Restriction | null, other: Restriction): Restriction {
  if (one === null) return other
  const more = widths[other.scope] - widths[one.scope] || end(other) - end(one)
  return more >= 0 ? other : one
}

function isSame(one: Restriction | null, other: Restriction | null): boolean {
  return one?.code === other?.code && one?.detail === other?.detail && one?.ends_at === other?.ends_at
}

function end({ ends_at }: Restriction): number {
  return ends_at ?? Number.MAX_SAFE_INTEGER
}
