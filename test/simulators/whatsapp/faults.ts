/**
 * Place of a fault. `connect`: a stream has been accepted, before anything is answered. `login`: instead of success. `iq`: a
 * question of a client. `message`: a message of a client. `receipt`: a receipt of a client, which can only be dropped. `delivery`: a message on its way to a linked client. `upload` and
 * `download`: the media host.
 */
export type Place = 'connect' | 'login' | 'iq' | 'message' | 'receipt' | 'delivery' | 'upload' | 'download'

/**
 * A fault. `taken` says if the message or question takes effect nevertheless.
 *
 * `drop`: no answer. `cut`: the TCP connection is destroyed. `close`: the stream is closed. `twice`: it is delivered twice.
 * `delay`: it takes so long. `refuse`: the error of this code, in an ack, a failure, an iq or a status of HTTP. `stall`: the
 * stream says nothing any more. `slow`: from now on, all that the stream sends takes so long. `garbage`: a frame that is no node, and
 * if it is not `sealed`, not even encrypted. `huge`: a node of so many bytes. `stream-error`: its name. `wrong-bytes`: other bytes
 * than were asked for, or than were sent. `endless`: a file that never ends.
 */
export type Fault =
  | { readonly kind: 'drop' | 'cut' | 'close'; readonly taken?: boolean }
  | { readonly kind: 'twice' | 'stall' | 'wrong-bytes' | 'endless' }
  | { readonly kind: 'garbage'; readonly sealed?: boolean }
  | { readonly kind: 'delay' | 'slow'; readonly milliseconds: number }
  | {
      readonly kind: 'refuse'
      readonly code: number
      /** More attributes of the failure, such as `expire`. */
      readonly attributes?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'huge'; readonly bytes: number }
  | { readonly kind: 'stream-error'; readonly name: string }

export interface PlannedFault {
  readonly on: Place
  /** The phone number of the account that it is for; any if not given. */
  readonly account?: string
  /** The namespace of the iq that it is for; any if not given. */
  readonly xmlns?: string
  /** Number of times, or `always`; 1 if not given. */
  readonly times?: number | 'always'
  readonly fault: Fault
}

/** The faults that are still to come. */
export class Faults {
  #planned: (PlannedFault & { left: number })[] = []

  plan(planned: PlannedFault): void {
    const left = planned.times === 'always' ? Infinity : (planned.times ?? 1)
    this.#planned.push({ ...planned, left })
  }

  /** The one that is for this, if there is any. */
  take(on: Place, account?: string, xmlns?: string): Fault | undefined {
    if (this.#planned.length === 0) return undefined
    const found = this.#planned.find(
      (planned) =>
        planned.on === on &&
        (planned.account === undefined || planned.account === account) &&
        (planned.xmlns === undefined || planned.xmlns === xmlns),
    )
    if (!found) return undefined
    found.left -= 1
    this.#planned = this.#planned.filter(({ left }) => left > 0)
    return found.fault
  }

  clear(): void {
    this.#planned = []
  }
}
