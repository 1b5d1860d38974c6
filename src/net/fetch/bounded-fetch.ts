import type { Readable } from 'node:stream'
import { timedBody } from '../http/body.ts'
import { type Time, Timeouts } from '../timeouts.ts'
import { type Fetched, type FetchRequest, type FileTime, fileTime } from './fetch.ts'

/** The bytes that may come, and what ends the fetch. */
type Bounds = Pick<FetchRequest, 'largest' | 'signal'>

/**
 * Holds a fetch by a driver to the times of a guarded fetch: the pace of its body, and the time for everything. The driver's
 * HTTP client bounds its size, and so does the draft that takes it. `open` is given the signal that ends the fetch. Fails as
 * a guarded fetch does, with any rejection of `open`.
 */
export type BoundedFetch = (bounds: Bounds, open: (bounds: Bounds) => Promise<Fetched>) => Promise<Fetched>

export function boundedFetch(options: Time & FileTime): BoundedFetch {
  return async ({ largest, signal: caller }, open) => {
    const timeouts = new Timeouts(options, fileTime(options), caller)
    const { signal } = timeouts
    try {
      signal.throwIfAborted()
      const fetched = await untilAborted(open({ largest, signal }), signal)
      return { ...fetched, body: timedBody(fetched.body, timeouts) }
    } catch (caught) {
      const failure = timeouts.failureFrom(caught)
      timeouts.end()
      throw failure
    }
  }
}

/** Waits for the beginning, at most until the signal aborts. Discards a body that comes later. */
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
