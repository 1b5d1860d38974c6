import { setTimeout as wait } from 'node:timers/promises'
import { type Client, ProblemError } from '../../contract/client/client.ts'
import type { QueryOf } from '../../contract/operation.ts'
import { latest, listEvents } from '../../contract/operations/event-operations.ts'
import type { Event } from '../../contract/resources/event.ts'
import { Refusal } from '../command.ts'
import { refusalOfProblem } from '../follow-events.ts'
import { explain } from '../output.ts'
import { type Broker, Unrouted } from './broker.ts'
import type { CursorFile } from './cursor-file.ts'

/** A forwarder's parts. */
export interface Forwarding {
  readonly client: Client
  readonly connect: () => Promise<Broker>
  readonly cursorFile: CursorFile
  /** The events to forward; all, if it is empty. */
  readonly choice: Pick<QueryOf<typeof listEvents>, 'types' | 'instances'>
  /** True if a forwarder without a cursor begins with the oldest event that is kept. */
  readonly fromOldest: boolean
  /** Aborts when the forwarder is to end. */
  readonly signal: AbortSignal
}

/** Events of a page: few enough to be in memory, and to be repeated if the forwarder dies before it has saved the cursor. */
const pageLimit = 100
/** Seconds that the server waits for the next event before it responds with none. */
const longestPoll = 30
/** Milliseconds that a forwarder that is to end waits for what the broker has not confirmed yet. */
const endTimeout = 5_000
/** Milliseconds before the first repetition, and at most. */
const waits = { first: 500, max: 30_000 }

/**
 * Forwards events, in their order and each at least once, until the signal aborts. A page is read, published and confirmed before its
 * cursor is saved. Throws a `Refusal` if the server refuses.
 */
export async function forwardEvents(forwarding: Forwarding): Promise<void> {
  const { cursorFile, signal } = forwarding
  const feed = new Feed(forwarding)
  const outlet = new Outlet(forwarding)
  try {
    while (!signal.aborted) {
      const page = await feed.next()
      if (!page || !(await outlet.deliver(page.events))) return
      cursorFile.save(page.next)
    }
  } finally {
    await outlet.close()
  }
}

/** Waits that grow with each failure in a row, and are told once for each reason. */
class Backoff {
  readonly #signal: AbortSignal
  #failures = 0
  #told: string | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Tells that it works again, if it did not. */
  works(news: string): void {
    if (this.#told !== undefined) explain(news)
    this.#told = undefined
    this.#failures = 0
  }

  async after(reason: string): Promise<void> {
    if (reason !== this.#told) explain(reason)
    this.#told = reason
    const longest = Math.min(waits.max, waits.first * 2 ** this.#failures++)
    await wait(longest * (0.5 + Math.random() / 2), undefined, { signal: this.#signal }).catch(() => {})
  }
}

/** The feed of a server, page by page. */
class Feed {
  readonly #forwarding: Forwarding
  readonly #backoff: Backoff
  #cursor: string | undefined

  constructor(forwarding: Forwarding) {
    this.#forwarding = forwarding
    this.#backoff = new Backoff(forwarding.signal)
    this.#cursor = forwarding.cursorFile.read()
  }

  /** The next page, once the server has one; undefined if the forwarder is to end. */
  async next(): Promise<{ readonly events: readonly Event[]; readonly next: string } | undefined> {
    const { signal } = this.#forwarding
    while (!signal.aborted) {
      try {
        const page = await this.#read()
        this.#backoff.works('the server is back')
        this.#cursor = page.next_cursor
        return { events: page.data, next: page.next_cursor }
      } catch (error) {
        if (signal.aborted) return undefined
        await this.#handle(error as Error)
      }
    }
    return undefined
  }

  async #read() {
    const { client, choice, fromOldest, signal } = this.#forwarding
    // The first cursor is saved at once, so that a forwarder that dies before the first event begins at the same place again.
    if (this.#cursor === undefined && !fromOldest)
      return (await client.call(listEvents, { query: { after: latest, limit: 1 }, signal })).body
    const query = {
      ...choice,
      limit: pageLimit,
      ...(this.#cursor === undefined ? {} : { after: this.#cursor }),
    }
    return (await client.call(listEvents, { query, waitSeconds: longestPoll, signal })).body
  }

  /** Waits if the failure passes by itself, or throws. */
  async #handle(error: Error): Promise<void> {
    if (!(error instanceof ProblemError)) return this.#backoff.after(sentenceOf(error))
    const { next_cursor, code, detail, retryable } = error.problem
    if (next_cursor !== undefined) {
      explain(detail)
      this.#cursor = next_cursor
    } else if (!retryable) throw refusalOfProblem(error)
    else await this.#backoff.after(`the server cannot respond for now (${code}); waiting for it`)
  }
}

/** The broker, over as many connections as it takes. */
class Outlet {
  readonly #forwarding: Forwarding
  readonly #backoff: Backoff
  #broker: Broker | undefined

  constructor(forwarding: Forwarding) {
    this.#forwarding = forwarding
    this.#backoff = new Backoff(forwarding.signal)
  }

  /** Resolves with true once all are confirmed, and with false if the forwarder ends before. */
  async deliver(events: readonly Event[]): Promise<boolean> {
    const { signal } = this.#forwarding
    let left = events
    let atOnce = left.length
    while (left.length > 0) {
      if (signal.aborted) return false
      try {
        this.#broker ??= await this.#forwarding.connect()
        const published = await this.#untilEnd(this.#broker.publish(left.slice(0, atOnce)))
        if (!published) return false
        left = left.slice(published.confirmed)
        if (published.fault) throw published.fault
        this.#backoff.works('the broker takes events again')
        atOnce = left.length
      } catch (fault) {
        if (fault instanceof Refusal) throw fault
        if (!(fault instanceof Unrouted)) await this.close()
        // One alone until it succeeds: each repetition of a page would double the events after the one that fails.
        atOnce = 1
        await this.#backoff.after(
          `the broker does not take events: ${sentenceOf(fault as Error)}; waiting for it`,
        )
      }
    }
    return true
  }

  /** Resolves with undefined if the forwarder is to end and the broker does not confirm soon. */
  async #untilEnd<T>(publishing: Promise<T>): Promise<T | undefined> {
    const { signal } = this.#forwarding
    const done = new AbortController()
    const end = async () => {
      if (!signal.aborted)
        await new Promise((resolve) =>
          signal.addEventListener('abort', resolve, { once: true, signal: done.signal }),
        )
      await wait(endTimeout, undefined, { signal: done.signal }).catch(() => {})
      return undefined
    }
    return Promise.race([publishing, end()]).finally(() => done.abort())
  }

  async close(): Promise<void> {
    const broker = this.#broker
    this.#broker = undefined
    // A broker that has gone silent must not keep the forwarder.
    if (broker) await Promise.race([broker.close(), wait(1_000, undefined, { ref: false })])
  }
}

/** The reason of an error in a few words. Libraries put the cause in different places. */
function sentenceOf(error: Error & { readonly code?: string }): string {
  const first = error instanceof AggregateError ? (error.errors[0] as Error) : error
  return (first.message || error.code || first.name).replace(/\.$/, '')
}
