import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Caller, ResponseRoom } from '../../contract/handler.ts'
import { Problem } from '../../contract/problem.ts'
import type { FairSemaphore, Held } from '../../runtime/limits/fair-semaphore.ts'
import { sizeInWords } from '../../runtime/text/size.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { pageBytes } from '../../store/page.ts'
import type { Connections } from '../connections/connections.ts'
import type { UnreadBytes } from '../connections/unread-bytes.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ResponseOrder } from './response-order.ts'

/** The sender of a request, as far as it is known. */
export interface ResponseOwner {
  readonly caller: Caller | undefined
  /** The operator asks, or a network. */
  readonly isVerified: boolean
}

export interface ResponseMemoryOptions {
  readonly unread: UnreadBytes
  readonly alarms: Pick<Alarms, 'in'>
  readonly connections: Connections
  readonly metrics: Metrics
}

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
  readonly #rooms = new WeakMap<ServerResponse, Room>()
  readonly #order = new ResponseOrder()

  constructor(options: ResponseMemoryOptions) {
    this.#options = options
  }

  /** The room of a response; the same for as long as the response lasts. */
  roomOf(response: ServerResponse, { caller, isVerified }: ResponseOwner): Room {
    const known = this.#rooms.get(response)
    if (known) return known
    const { unread, alarms, connections, metrics } = this.#options
    const isOwn = isVerified || (caller !== undefined && caller.linkPage === undefined)
    // Everybody whom a link page was sent on to calls in the name of its key.
    const party = isOwn ? (caller?.organizationId ?? 'operator') : connections.addressBlockOf(response.req)
    const room = new Room({
      semaphore: isOwn ? unread.withKey : unread.withoutKey,
      ofOneThing: isOwn ? unread.ofOneThing : unread.withoutKey,
      party,
      limit: isOwn ? unread.maxOfOrganization : unread.maxOfAddress,
      response,
      order: this.#order,
      ...{ alarms, connections, metrics },
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

interface RoomOptions extends Omit<ResponseMemoryOptions, 'unread'> {
  readonly semaphore: FairSemaphore
  /** For what is about one thing. */
  readonly ofOneThing: FairSemaphore
  readonly party: string
  /** Bytes that the party may have. */
  readonly limit: number
  readonly response: ServerResponse
  readonly order: ResponseOrder
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
    const { semaphore, ofOneThing, party, order, connections, response } = this.#options
    if (!(await order.waitFor(connections.responseBefore(response), response, party))) throw this.#refusal()
    if (this.#isOver) return
    const { signal, release } = this.waitTimeout()
    try {
      const holding = (bytes <= usualResponse ? ofOneThing : semaphore).hold(party, bytes, signal)
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
  waitTimeout(): { readonly signal: AbortSignal; readonly release: () => void } {
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
    const { semaphore, party, limit, metrics } = this.#options
    if (!this.#isOver) metrics.refusedResponse()
    const used = sizeInWords(semaphore.of(party).running)
    return new Problem('answers_not_read', {
      detail:
        `Answers that were asked for and not read yet take ${used}, and may take ${sizeInWords(limit)}: nothing more is read for now. ` +
        'Read each response to its end or close its connection, and request fewer at a time.',
      headers: { 'retry-after': '5' },
    })
  }
}
