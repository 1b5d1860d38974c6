import type { DriverLimits } from '../../networks/driver/limits.ts'
import type { Alarm } from '../../runtime/timers/alarms.ts'
import type { InstanceContext } from '../context.ts'

type Context = Pick<InstanceContext, 'alarms' | 'clock'>

/** Seconds that a runner waits for a probe longer than its driver: the driver knows better what went wrong. */
const grace = 2

/** Looks after the silence of one connection: has it probed when it lasts, and gives it up when no answer comes. */
export class Probing {
  readonly #context: Context
  readonly #limits: DriverLimits
  readonly #orders: { readonly probe: () => void; readonly giveUp: () => void }
  #verifiedAt = 0
  #alarm: Alarm | undefined

  constructor(context: Context, limits: DriverLimits, orders: { probe: () => void; giveUp: () => void }) {
    this.#context = context
    this.#limits = limits
    this.#orders = orders
  }

  /** The connection was opened just now. */
  begin(): void {
    this.verified()
    this.#listen()
  }

  /** The network answered just now. */
  verified(): void {
    this.#verifiedAt = this.#context.clock.monotonic()
  }

  end(): void {
    this.#alarm?.cancel()
    this.#alarm = undefined
  }

  #listen(): void {
    const { alarms, clock } = this.#context
    const believed = this.#limits.probe_after_seconds * 1000
    const silence = clock.monotonic() - this.#verifiedAt
    this.#alarm?.cancel()
    this.#alarm = alarms.in(believed - silence, () => {
      if (clock.monotonic() - this.#verifiedAt < believed) this.#listen()
      else this.#probe()
    })
  }

  #probe(): void {
    const { alarms, clock } = this.#context
    const asked = clock.monotonic()
    this.#alarm = alarms.in((this.#limits.probe_timeout_seconds + grace) * 1000, () => {
      if (this.#verifiedAt >= asked) this.#listen()
      else this.#orders.giveUp()
    })
    this.#orders.probe()
  }
}
