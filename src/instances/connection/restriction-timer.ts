import type { Restriction } from '../../networks/driver/observation.ts'
import type { Alarm, Alarms } from '../../runtime/timers/alarms.ts'

/** The target of a restriction. */
interface Restricted {
  restrict(restriction: Restriction | null): void
  /** The restriction ended by its time. */
  ended(): void
}

/** Applies the network's restriction of an account, and ends it on time even if no connection lasts until then to report it. */
export class RestrictionTimer {
  readonly #alarms: Pick<Alarms, 'at'>
  readonly #restricted: Restricted
  #alarm: Alarm | undefined

  constructor(alarms: Pick<Alarms, 'at'>, restricted: Restricted) {
    this.#alarms = alarms
    this.#restricted = restricted
  }

  /** Replaces the restriction; null lifts it. */
  set(restriction: Restriction | null): void {
    this.#restricted.restrict(restriction)
    this.#alarm?.cancel()
    if (restriction === null || restriction.ends_at === null) return
    this.#alarm = this.#alarms.at(restriction.ends_at, () => {
      this.#restricted.restrict(null)
      this.#restricted.ended()
    })
  }

  /** Nothing follows. */
  end(): void {
    this.#alarm?.cancel()
  }
}
