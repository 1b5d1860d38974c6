import type { Restriction } from '../../networks/observation.ts'
import type { Alarm, Alarms } from '../../runtime/alarms.ts'
import type { Clock } from '../../runtime/clock.ts'

/** What a restriction acts on. */
interface Restricted {
  restrict(restriction: Restriction | null): void
  /** The restriction ended by its time. */
  ended(): void
}

/** Applies the network's restriction of an account, and ends it on time even if no connection lasts until then to report it. */
export class RestrictionTimer {
  readonly #time: { readonly alarms: Pick<Alarms, 'in'>; readonly clock: Clock }
  readonly #restricted: Restricted
  #alarm: Alarm | undefined

  constructor(time: { readonly alarms: Pick<Alarms, 'in'>; readonly clock: Clock }, restricted: Restricted) {
    this.#time = time
    this.#restricted = restricted
  }

  /** Replaces the restriction; null lifts it. */
  set(restriction: Restriction | null): void {
    const { alarms, clock } = this.#time
    this.#restricted.restrict(restriction)
    this.#alarm?.cancel()
    if (restriction === null || restriction.ends_at === null) return
    this.#alarm = alarms.in(restriction.ends_at - clock.now(), () => {
      this.#restricted.restrict(null)
      this.#restricted.ended()
    })
  }

  /** Nothing follows. */
  end(): void {
    this.#alarm?.cancel()
  }
}
