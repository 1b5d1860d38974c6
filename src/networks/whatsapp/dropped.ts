import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Dropped } from './processes/worker-protocol.ts'

/** After how long it is told again that something of a kind was dropped, in milliseconds. */
const silence = 60_000

const tooLarge = 'what came in over WhatsApp exceeded a limit or could not be read'

const reasons: Readonly<Record<Dropped, string>> = {
  history: tooLarge,
  history_file:
    'a part of the history could not be fetched from WhatsApp, or is not the one that the phone told of',
  message: tooLarge,
  stanza: tooLarge,
}

interface Told {
  readonly at: number
  /** Number that were dropped since. */
  readonly untold: number
}

/** Logs the drops of one connection, few of them: a hostile sender may go on and on. */
export class DroppedLog {
  readonly #context: { readonly clock: Clock; readonly log: Log; readonly instance: string }
  readonly #told = new Map<Dropped, Told>()

  constructor(context: { readonly clock: Clock; readonly log: Log; readonly instance: string }) {
    this.#context = context
  }

  add(what: Dropped): void {
    const { clock, log, instance } = this.#context
    const { at, untold } = this.#told.get(what) ?? { at: Number.NEGATIVE_INFINITY, untold: 0 }
    const count = untold + 1
    if (clock.monotonic() - at < silence) {
      this.#told.set(what, { at, untold: count })
      return
    }
    this.#told.set(what, { at: clock.monotonic(), untold: 0 })
    const fields = { instance_id: instance, what, count }
    log.warn(fields, `${reasons[what]}, and was dropped`)
  }
}
