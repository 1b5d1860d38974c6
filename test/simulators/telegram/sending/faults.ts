import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * A fault of a call. `taken` says if the call is carried out nevertheless.
 *
 * `cut`: the connection ends before the answer. `half`: in the middle of it. `delay`: the answer comes after so many
 * milliseconds. `hang`: it never comes. `error`: 500 with a JSON body. `gateway`: 502 with HTML. `too-many`: 429. `garbage`:
 * no JSON. `refuse`: an error as the Bot API words it. `endless`: no end. `redirect`: to another place. `revoke`: the token
 * is revoked. `at-once`: a poll is not held. `again`: the updates of the previous answer come once more, or from a webhook
 * (method `webhook`), the update that was just taken.
 */
export type Fault =
  | { readonly kind: 'cut' | 'half' | 'hang' | 'garbage' | 'endless'; readonly taken?: boolean }
  | { readonly kind: 'error' | 'gateway'; readonly taken?: boolean }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** Without the parameter if it is null, and then with these words. */
  | { readonly kind: 'too-many'; readonly retryAfter: number | null; readonly description?: string }
  | { readonly kind: 'refuse'; readonly code: number; readonly description: string }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'revoke' | 'again' | 'at-once' }

export interface PlannedFault {
  /** A method of the API, `download` for files, or `webhook`. */
  readonly method: string
  /** Of the bot that it is for; any if not given. */
  readonly token?: string
  /** Number of calls that it is for; 1 if not given. */
  readonly times?: number
  readonly fault: Fault
}

/** An answer as it would be without faults. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** The faults that are still to come. */
export class Faults {
  #planned: (PlannedFault & { left: number })[] = []

  plan(planned: PlannedFault): void {
    this.#planned.push({ ...planned, left: planned.times ?? 1 })
  }

  /** The one that is for this call, if there is any. */
  take(method: string, token: string): Fault | undefined {
    const found = this.#planned.find(
      (planned) =>
        planned.method.toLowerCase() === method && (planned.token === undefined || planned.token === token),
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

/** True if a call with this fault is carried out. */
export function isTaken(fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case 'hang':
    case 'error':
    case 'gateway':
      return fault.taken ?? false
    case 'cut':
    case 'half':
    case 'garbage':
    case 'endless':
      return fault.taken ?? true
    case 'too-many':
    case 'refuse':
    case 'redirect':
    case 'revoke':
      return false
    default:
      return true
  }
}

/** Answers, with its fault if it has one. True if the answer was sent whole. */
export async function answer(response: ServerResponse, whole: Answer, fault?: Fault): Promise<boolean> {
  switch (fault?.kind) {
    case 'cut':
      response.destroy()
      return false
    case 'hang':
      return false
    case 'half': {
      response.writeHead(whole.status, { 'content-type': whole.type, 'content-length': whole.body.length })
      response.write(whole.body.subarray(0, whole.body.length / 2), () => response.destroy())
      return false
    }
    case 'endless':
      response.writeHead(200, { 'content-type': whole.type })
      await pipeline(endlessBody, response).catch(() => {})
      return false
    case 'redirect':
      response.writeHead(302, { location: fault.location }).end()
      return false
    case 'delay':
      await wait(fault.milliseconds)
      break
  }
  const { status, type, body } = fault ? faulty(whole, fault) : whole
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body)
  return body === whole.body && !response.destroyed
}

function faulty(whole: Answer, fault: Fault): Answer {
  const refused = (status: number, description: string, more: object = {}) => {
    const body = Buffer.from(JSON.stringify({ ok: false, error_code: status, description, ...more }))
    return { status, type: 'application/json', body }
  }
  switch (fault.kind) {
    case 'error':
      return refused(500, 'Internal Server Error')
    case 'too-many': {
      const { retryAfter, description = `Too Many Requests: retry after ${retryAfter}` } = fault
      return refused(429, description, retryAfter === null ? {} : { parameters: { retry_after: retryAfter } })
    }
    case 'refuse':
      return refused(fault.code, fault.description)
    case 'gateway': {
      const page = '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body>\r\n</html>\r\n'
      return { status: 502, type: 'text/html', body: Buffer.from(page) }
    }
    case 'garbage':
      return { ...whole, status: 200, body: Buffer.from('{"ok":true,"result":{"message_id":') }
    default:
      return whole
  }
}

/** A body that goes on for as long as it is read. */
function* endlessBody(): Generator<Buffer> {
  yield Buffer.from('{"ok":true,"result":"')
  while (true) yield Buffer.alloc(65_536, ' ')
}
