import type { Readable } from 'node:stream'
import { tooLarge } from '../failure.ts'
import { boundedStream } from '../http/body.ts'
import { type Time, Timeouts } from '../timeouts.ts'
import { type Fetched, type FetchRequest, usualTotal } from './fetch.ts'

/** How many bytes may come, and what ends the fetch. */
type Bounds = Pick<FetchRequest, 'largest' | 'signal'>

/**
 * Holds a fetch that somebody else makes to the limits of a guarded one: its size, the pace of its body, and the time for
 * everything. `open` is given the signal that ends it. Fails as a guarded fetch does, whatever `open` rejects with.
 */
export type BoundedFetch = (bounds: Bounds, open: (bounds: Bounds) => Promise<Fetched>) => Promise<Fetched>

/** `total`: how long everything may take, in milliseconds. */
export function boundedFetch({
  total = usualTotal,
  ...time
}: Time & { readonly total?: number }): BoundedFetch {
  return async ({ largest, signal: caller }, open) => {
    const timeouts = new Timeouts(time, total, caller)
    const { signal } = timeouts
    try {
      signal.throwIfAborted()
      const fetched = await untilAborted(open({ largest, signal }), signal)
      const body = boundedStream(fetched.body, largest, timeouts)
      if (Number(fetched.headers['content-length'] ?? 0) > largest) throw tooLarge(largest)
      return { ...fetched, body }
    } catch (caught) {
      const failure = timeouts.failureFrom(caught)
      timeouts.end()
      throw failure
    }
  }
}

/** Waits for the beginning, at most until the signal aborts. What comes later is let go of. */
function untilAborted(opening: Promise<Fetched>, signal: AbortSignal): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    opening.then((fetched) => {
      if (signal.aborted) letGo(fetched.body)
      else resolve(fetched)
    }, reject)
  })
}

function letGo(body: Readable): void {
  body.on('error', () => {}).destroy()
}
