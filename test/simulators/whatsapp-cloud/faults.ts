/** A fault of the next requests. `taken` is true if the network obeys before it fails to say so. */
export interface HttpFault {
  readonly kind:
    | 'cut' // The connection ends before the answer.
    | 'cut-in-answer' // The answer ends in its middle.
    | 'graph-error' // An error in the form of the Graph API, with `code`; by default 131000. With a `status`, any code.
    | 'status' // An answer of `status` without such a body; by default 502.
    | 'hang' // No answer, ever.
    | 'delay' // The answer comes after `ms`.
    | 'invalid-json' // A body that is not JSON, with status 200.
    | 'endless' // A body that never ends, with status 200.
    | 'redirect' // To `location`.
  /** By default true for everything but graph-error and status. */
  readonly taken?: boolean
  /** Only for requests of this operation. */
  readonly operation?: string
  /** Only for requests about this object, such as the id of a number. */
  readonly object?: string
  /** Only for requests about a file of this number. */
  readonly fileOf?: string
  readonly code?: number
  readonly subcode?: number
  readonly status?: number
  /** True if an error says that it passes (`is_transient`). */
  readonly transient?: boolean
  /** True if an error is about the proof of the app. */
  readonly proof?: boolean
  readonly ms?: number
  readonly location?: string
  /** Number of requests; by default 1. */
  readonly count?: number
}

/** A fault of the statuses of the next messages that are taken. */
export interface StatusFault {
  readonly kind:
    | 'lost'
    | 'twice'
    | 'reversed'
    | 'delivered-without-sent'
    | 'failed-after-sent'
    | 'before-answer'
  /** The error of `failed-after-sent`; by default 131026. */
  readonly code?: number
  /** Only for messages of this number. */
  readonly number?: string
  readonly count?: number
}

/** A fault of the results of the next orders about groups. */
export interface GroupFault {
  readonly kind:
    | 'before-answer' // The result is told before the order is answered.
    | 'lost' // It is done, and no callback tells it.
    | 'failed' // It is not done, because of `code`; by default 131000.
    | 'unnamed' // The answer does not name the request.
    | 'unknown-fields' // The result has fields that no document names, and codes of errors as texts.
  readonly code?: number
  readonly count?: number
}

/** A fault of the next callbacks. */
export interface PostFault {
  readonly kind: 'wrong-signature' | 'unsigned' | 'unknown-number' | 'twice'
  readonly count?: number
}

/** A fault of the URL that the next question for a file gets. */
export interface FileFault {
  readonly kind: 'expired-url'
  readonly count?: number
}

/** Faults in the order in which they were asked for, each for so many times. */
export class Queue<Fault extends { readonly count?: number }> {
  readonly #waiting: { readonly fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.count ?? 1 })
  }

  /** The next fault that this is for, which is one fewer then. */
  next(fits: (fault: Fault) => boolean = () => true): Fault | undefined {
    const found = this.#waiting.find(({ fault, left }) => left > 0 && fits(fault))
    if (!found) return undefined
    found.left -= 1
    return found.fault
  }

  clear(): void {
    this.#waiting.length = 0
  }
}

/** The purpose of a request, as far as faults tell requests apart. */
interface Faulty {
  readonly operation: string
  readonly object: string
  readonly fileOf: string | null
}

export class HttpFaults extends Queue<HttpFault> {
  for(call: Faulty): HttpFault | undefined {
    return this.next(
      ({ operation, object, fileOf }) =>
        (operation ?? call.operation) === call.operation &&
        (object ?? call.object) === call.object &&
        (fileOf ?? call.fileOf) === call.fileOf,
    )
  }
}

/** True if a request is carried out before its fault. */
export function isTaken({ kind, taken }: HttpFault): boolean {
  return taken ?? !['graph-error', 'status', 'redirect'].includes(kind)
}
