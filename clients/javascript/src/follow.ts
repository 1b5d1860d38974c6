import type { ConversationTypingEvent, Event, EventType, Me, StreamedEventType } from './contract/types.ts'
import { ConnectionError, PosthornError, PosthornTimeoutError } from './errors.ts'
import { readEvents, type WireEvent } from './event-stream.ts'
import type { CallOptions } from './options.ts'
import { pause, retryDelayMs } from './retry.ts'
import type { Call, Transport } from './transport.ts'

export interface FollowOptions<T extends StreamedEventType = EventType> extends CallOptions {
  /** The place to begin at: a cursor, `latest` for new events alone, or `oldest` for all that are kept. `latest` by default. */
  readonly after?: string | undefined
  /** Only events of these types. `conversation.typing` comes only if it is named here; it has no number and may be missed. */
  readonly types?: readonly T[] | undefined
  /** Only events of the instances with these names, and those that concern no instance. */
  readonly instances?: readonly string[] | undefined
}

/** An event of a stream that asks for these types. */
export type Followed<T extends StreamedEventType> =
  | Event
  | (typeof typing extends T ? ConversationTypingEvent : never)

const typing = 'conversation.typing'

/** The events as they happen, without end. Save `cursor` to continue there later. */
export interface EventFeed<T extends StreamedEventType = EventType> extends AsyncIterable<Followed<T>> {
  /** The position behind the last event that was handed out; undefined before there is one. */
  readonly cursor: string | undefined
}

/** A gap in the numbers of events: events were missed. */
export class EventGapError extends PosthornError {
  override readonly name = 'EventGapError'
  /** The number of the last event before the gap. */
  readonly before: number
  /** The number of the first event after it. */
  readonly next: number

  constructor(before: number, next: number) {
    super(`Event ${next} came after event ${before}: those in between were missed.`)
    this.before = before
    this.next = next
  }
}

/** The server sends a sign of life every 15 s; a stream that is silent for three times as long is dead. */
const silenceTimeoutMs = 45_000

const listEvents = ['GET', '/v1/events', 'q'] as const
const getMe = ['GET', '/v1/me', ''] as const

/** Follows the events of the organization, over as many connections as it takes. */
export function followEvents<T extends StreamedEventType = EventType>(
  transport: Transport,
  options: FollowOptions<T>,
): EventFeed<T> {
  return new Feed(transport, options) as AsyncIterable<unknown> as EventFeed<T>
}

class Feed implements EventFeed<StreamedEventType> {
  readonly #transport: Transport
  readonly #options: FollowOptions<StreamedEventType>
  readonly #numbers: Numbers
  #cursor: string | undefined

  constructor(transport: Transport, options: FollowOptions<StreamedEventType>) {
    this.#transport = transport
    this.#options = options
    const isWhole = options.types === undefined && options.instances === undefined
    this.#numbers = new Numbers(isWhole, () => this.#seesAll())
    if (options.after !== 'latest' && options.after !== 'oldest') this.#cursor = options.after
  }

  get cursor(): string | undefined {
    return this.#cursor
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event | ConversationTypingEvent, void> {
    if (this.#cursor === undefined) yield* this.#begin()
    for (let failures = 0; ; failures++) {
      let failure: unknown = new PosthornTimeoutError('The server ended the stream.')
      try {
        for await (const event of this.#connection()) {
          failures = -1
          yield event
          // More events may have arrived with this one.
          this.#options.signal?.throwIfAborted()
        }
      } catch (error) {
        failure = error
      }
      if (this.#options.signal?.aborted) throw this.#options.signal.reason
      const delay = retryDelayMs(failure, Math.max(failures, 0), true)
      if (delay === undefined) throw failure
      await pause(delay, this.#options.signal)
    }
  }

  /** Finds the position from which to follow. Without one, what happens before the first event would be lost with the connection. */
  async *#begin(): AsyncGenerator<Event, void> {
    // Pages have only events that are stored; if there are none among the types, the newest position is the one.
    const types = this.#options.types?.filter((type) => type !== typing)
    const after = this.#options.after === 'oldest' && types?.length !== 0 ? undefined : 'latest'
    const query = { ...this.#filter(), types: types?.length === 0 ? undefined : types, after, limit: 1 }
    const page = (await this.#transport.send({ ...this.#call(), query })) as {
      data: Event[]
      next_cursor: string
    }
    this.#cursor = page.next_cursor
    for (const event of page.data) {
      await this.#numbers.check(event)
      yield event
      this.#options.signal?.throwIfAborted()
    }
  }

  /** The events of one connection. */
  async *#connection(): AsyncGenerator<Event | ConversationTypingEvent, void> {
    const { chunks, deadline } = await this.#transport.stream(this.#call(), this.#cursor)
    const expectSign = () => deadline.restart(silenceTimeoutMs, 'Silence on the event stream')
    try {
      expectSign()
      for await (const wire of readEvents(chunks, expectSign)) {
        const event = parsed(wire)
        if (event && 'sequence' in event) await this.#numbers.check(event)
        if (wire.id !== '') this.#cursor = wire.id
        if (event) yield event
      }
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      throw error instanceof PosthornError ? error : new ConnectionError(this.#transport.baseUrl, error)
    } finally {
      deadline.end()
    }
  }

  #call(): Call {
    return { operation: listEvents, path: '/v1/events', query: this.#filter(), options: this.#options }
  }

  #filter(): Readonly<Record<string, unknown>> {
    return { types: this.#options.types, instances: this.#options.instances }
  }

  /** False for a key that is limited to some instances, because the server leaves the events of all others out. */
  async #seesAll(): Promise<boolean> {
    const me = await this.#transport.send({ operation: getMe, path: '/v1/me', options: this.#options })
    return ((me as Me).key?.instances ?? null) === null
  }
}

/** Notices missing numbers. Filters, and keys that are limited to some instances, leave events out, so that their numbers tell nothing. */
class Numbers {
  #isWhole: boolean
  readonly #seesAll: () => Promise<boolean>
  #last: Event | undefined

  constructor(isWhole: boolean, seesAll: () => Promise<boolean>) {
    this.#isWhole = isWhole
    this.#seesAll = seesAll
  }

  async check(event: Event): Promise<void> {
    const last = this.#last
    const isNext = !last || last.epoch !== event.epoch || event.sequence <= last.sequence + 1
    if (this.#isWhole && last && !isNext) {
      this.#isWhole = await this.#seesAll()
      if (this.#isWhole) throw new EventGapError(last.sequence, event.sequence)
    }
    this.#last = event
  }
}

/** Returns the event; undefined for a mere position. */
function parsed({ data }: WireEvent): Event | ConversationTypingEvent | undefined {
  return data === '' ? undefined : (JSON.parse(data) as Event | ConversationTypingEvent)
}

export interface ProcessOptions extends FollowOptions {
  /** Returns the cursor that was saved last; undefined or null before there is one. */
  readonly load: () => Promise<string | null | undefined> | string | null | undefined
  /** Saves the cursor, after the handler is done with an event. */
  readonly save: (cursor: string) => Promise<void> | void
}

/**
 * Passes each event to `handle`, one after the other, and saves the position behind it: each event is handled at least once, over
 * restarts of the program, too. Rejects if `handle` does; then the event comes again the next time. Resolves when `signal` aborts.
 */
export async function processEvents(
  transport: Transport,
  handle: (event: Event) => Promise<void> | void,
  { load, save, ...options }: ProcessOptions,
): Promise<void> {
  const saved = (await load()) ?? undefined
  let after = saved ?? options.after
  if (saved === undefined && (after === undefined || after === 'latest')) {
    // Saved before the first event, so that a program that ends before then misses nothing.
    after = await newestCursor(transport, options)
    await save(after)
  }
  const feed = followEvents(transport, { ...options, after })
  try {
    for await (const event of feed) {
      await handle(event)
      if (feed.cursor !== undefined) await save(feed.cursor)
    }
  } catch (error) {
    if (!options.signal?.aborted) throw error
  }
}

/** Returns the cursor behind the newest event. */
export async function newestCursor(transport: Transport, options: CallOptions): Promise<string> {
  const query = { after: 'latest', limit: 1 }
  const page = await transport.send({ operation: listEvents, path: '/v1/events', query, options })
  return (page as { next_cursor: string }).next_cursor
}
