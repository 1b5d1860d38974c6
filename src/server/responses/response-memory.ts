import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Caller, ResponseRoom } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import { FairSemaphore, type Held } from '../../runtime/limits/fair-semaphore.ts'
import { sizeInWords } from '../../runtime/text/size.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { pageBytes } from '../../store/page.ts'
import { ResponseOrder } from './response-order.ts'

/** The sender of a request, as far as it is known. */
export interface ResponseOwner {
  readonly caller: Caller | undefined
  /** The operator asks, or a network. */
  readonly isVerified: boolean
}

export interface ResponseMemoryOptions {
  /** Bytes that the responses of one organization may take; all callers without a key may have as many together. */
  readonly bytes: number
  readonly alarms: Pick<Alarms, 'in'>
  /** The origin of a request without a key. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Returns the response before this one on the same connection, if that is not sent yet. */
  readonly before: (response: ServerResponse) => ServerResponse | undefined
  readonly onRefused: () => void
}

/** A part of what callers without a key may have together is for one address. */
const addresses = 4
/** Responses of one party that may wait for room; one more is refused. */
const maxWaiting = 1_000
/** Milliseconds that a response waits for room: longer than it takes until callers who read nothing are cut off. */
const longestWait = 20_000

/** The system takes shorter responses at once, so they are not counted unless they were read from the store. */
const smallResponse = 16 * 1024
/** In pieces of so many bytes, it is seen whether the caller of a long response takes any of it. */
const piece = 16 * 1024

/** Bytes that are kept free for the response of an operation that reads one thing, until its length is known. */
export const usualResponse = 64 * 1024
/**
 * The same for a page: until it is written, there are its rows, on both threads, its entries and its text, and what the collector has
 * not yet found of those before.
 */
export const pageBeingRead = 5 * pageBytes

/**
 * Counts the bytes of responses that callers have asked for and not taken yet, by organization, and those of callers without a key by
 * their address. Before something is read that would be too much, it waits until others of the same party are taken.
 */
export class ResponseMemory {
  readonly #options: ResponseMemoryOptions
  readonly #withKey: FairSemaphore
  readonly #withoutKey: FairSemaphore
  readonly #rooms = new WeakMap<ServerResponse, Room>()
  readonly #order = new ResponseOrder()

  constructor(options: ResponseMemoryOptions) {
    const { bytes } = options
    this.#options = options
    this.#withKey = new FairSemaphore({
      limit: Number.POSITIVE_INFINITY,
      limitPerParty: bytes,
      queuePerParty: maxWaiting,
    })
    this.#withoutKey = new FairSemaphore({
      limit: bytes,
      limitPerParty: Math.ceil(bytes / addresses),
      queuePerParty: maxWaiting,
    })
  }

  /** Returns the bytes that are held, and the responses that wait for room. */
  counts(): { readonly withKey: number; readonly withoutKey: number; readonly waiting: number } {
    const waiting = this.#withKey.waiting + this.#withoutKey.waiting
    return { withKey: this.#withKey.running, withoutKey: this.#withoutKey.running, waiting }
  }

  /** True if an organization, or all callers without a key, hold so much that their next responses may have to wait. */
  isShort(organization: string | undefined): boolean {
    const held =
      organization === undefined ? this.#withoutKey.running : this.#withKey.of(organization).running
    return held > this.#options.bytes / 2
  }

  /** The room of a response; the same for as long as the response lasts. */
  roomOf(response: ServerResponse, { caller, isVerified }: ResponseOwner): Room {
    const known = this.#rooms.get(response)
    if (known) return known
    const { alarms, addressOf, before, onRefused, bytes } = this.#options
    const isOwn = isVerified || (caller !== undefined && caller.linkPage === undefined)
    // Everybody whom a link page was sent on to calls in the name of its key.
    const party = isOwn ? (caller?.organizationId ?? 'operator') : addressOf(response.req)
    const room = new Room({
      semaphore: isOwn ? this.#withKey : this.#withoutKey,
      party,
      limit: isOwn ? bytes : Math.ceil(bytes / addresses),
      response,
      order: this.#order,
      before: () => before(response),
      alarms,
      onRefused,
    })
    this.#rooms.set(response, room)
    return room
  }

  /**
   * Calls `send` with what is sent of a response that is ready, once there is room for it. Files of the server itself come as bytes
   * that all who read them share, so they take none.
   */
  admit(response: ServerResponse, payload: unknown, asking: ResponseOwner, send: Send): void {
    const known = this.#rooms.get(response)
    const isRead = known !== undefined && Buffer.isBuffer(payload)
    const isText = typeof payload === 'string'
    const isSmall = isText && payload.length < smallResponse / 4 && known === undefined
    if (isSmall || !(isText || isRead)) send(null, payload)
    else
      void this.#enter(response, payload, known ?? this.roomOf(response, asking)).then(
        (given) => send(null, given),
        (error: Error) => send(error),
      )
  }

  async #enter(response: ServerResponse, payload: string | Buffer, room: Room) {
    const bytes = Buffer.byteLength(payload)
    if (bytes >= smallResponse) await room.enter(bytes)
    room.is(bytes)
    if (bytes <= piece || response.req.method === 'HEAD') return payload
    response.setHeader('content-length', bytes)
    return inPieces(typeof payload === 'string' ? Buffer.from(payload) : payload)
  }
}

/** Sends something, or responds with a problem. */
type Send = (error: Error | null, payload?: unknown) => void

/** Is read as it is taken, so that a connection that moves is told from one that does not. */
function inPieces(bytes: Buffer): Readable {
  let at = 0
  return new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + piece) : null)
      at += piece
    },
  })
}

interface RoomOptions extends Pick<ResponseMemoryOptions, 'alarms' | 'onRefused'> {
  readonly semaphore: FairSemaphore
  readonly party: string
  /** Bytes that the party may have. */
  readonly limit: number
  readonly response: ServerResponse
  readonly order: ResponseOrder
  /** Returns the response before this one on the same connection, if that is not sent yet. */
  readonly before: () => ServerResponse | undefined
}

/** The room that one response takes, until it is written or its caller is gone. */
export class Room implements ResponseRoom {
  readonly #options: RoomOptions
  #held: Held | undefined
  #isOver = false

  constructor(options: RoomOptions) {
    this.#options = options
    options.response.once('responded', () => {
      this.#isOver = true
      this.leave()
    })
  }

  async enter(bytes = pageBeingRead): Promise<void> {
    if (this.#held || this.#isOver) return
    const { semaphore, party, order, before, response } = this.#options
    if (!(await order.waitFor(before(), response, party))) throw this.#refusal()
    if (this.#isOver) return
    const { signal, release } = this.waitTimeout()
    try {
      const holding = semaphore.hold(party, bytes, signal)
      order.joined(response)
      const held = await holding
      if (this.#isOver) held.end()
      else this.#held = held
    } catch {
      throw this.#refusal()
    } finally {
      release()
    }
  }

  leave(): void {
    this.#held?.end()
    this.#held = undefined
  }

  /** Records the bytes of the response that the caller has not taken yet. */
  is(bytes: number): void {
    if (this.#isOver) return
    const { semaphore, party } = this.#options
    if (this.#held) this.#held.resize(bytes)
    else this.#held = semaphore.take(party, bytes)
  }

  /** Aborts when the caller is gone, or has waited for long. */
  waitTimeout() {
    const { alarms, response } = this.#options
    const abort = new AbortController()
    const end = () => abort.abort()
    const alarm = alarms.in(longestWait, end)
    response.once('responded', end)
    const release = () => {
      alarm.cancel()
      response.off('responded', end)
    }
    return { signal: abort.signal, release }
  }

  #refusal(): Problem {
    const { semaphore, party, limit, onRefused } = this.#options
    if (!this.#isOver) onRefused()
    const used = sizeInWords(semaphore.of(party).running)
    return new Problem('answers_not_read', {
      detail:
        `Answers that were asked for and not read yet take ${used}, and may take ${sizeInWords(limit)}: nothing more is read for now. ` +
        'Read each response to its end or close its connection, and request fewer at a time.',
      headers: { 'retry-after': '5' },
    })
  }
}
