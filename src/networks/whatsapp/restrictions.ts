import type { Clock } from '../../runtime/clock.ts'
import type { Restriction } from '../driver/observation.ts'
import { type RestrictionCode, restrictions } from './codes.ts'
import { restrictionOf } from './errors.ts'

/** Of several, the first of these is shown. */
const widestFirst: readonly RestrictionCode[] = [
  'temporarily_banned',
  'reach_out_restricted',
  'new_chats_limit',
  'new_chats_limit_near',
]

/** The current restrictions of the account, as far as WhatsApp has told them. Reports the widest at each change. */
export class Restrictions {
  readonly #clock: Clock
  readonly #report: (restriction: Restriction | null) => void
  readonly #present = new Map<string, Restriction>()
  #reported: Restriction | null

  /** `before`: what an earlier connection reported last. */
  constructor(clock: Clock, before: Restriction | null, report: (restriction: Restriction | null) => void) {
    this.#clock = clock
    this.#report = report
    this.#reported = before
    if (before && Object.hasOwn(restrictions, before.code)) this.#present.set(before.code, before)
  }

  has(code: RestrictionCode): boolean {
    return this.#present.has(code)
  }

  /** WhatsApp restricts the account; `ends_at` in milliseconds since the epoch, null if it does not say. */
  set(code: RestrictionCode, ends_at: number | null): void {
    const since = this.#present.get(code)?.since ?? this.#clock.now()
    this.#present.set(code, restrictionOf(code, { since, ends_at }))
    this.#show()
  }

  lift(...codes: readonly RestrictionCode[]): void {
    for (const code of codes) this.#present.delete(code)
    this.#show()
  }

  #show(): void {
    const code = widestFirst.find((each) => this.#present.has(each))
    const widest = (code && this.#present.get(code)) ?? null
    if (widest?.code === this.#reported?.code && widest?.ends_at === this.#reported?.ends_at) return
    this.#reported = widest
    this.#report(widest)
  }
}
