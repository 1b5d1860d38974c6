import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../../contract/problem.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Alarms } from '../../runtime/timers/alarms.ts'
import { addressBlockOf, type ClientAddresses, plainAddress } from './client-address.ts'
import { MembersByParty } from './members-by-party.ts'
import type { UnreadBytes } from './unread-bytes.ts'

/** Why the server cut a connection: it took one more than its address may have, than all may have together, or nothing moved. */
export type Cut = 'address_limit' | 'full' | 'lingering' | 'stalled'

export interface ConnectionCounts {
  readonly withKey: number
  readonly withoutKey: number
  /** Connections of both kinds that had their last response and still send. */
  readonly lingering: number
}

export interface ConnectionsOptions {
  readonly addresses: ClientAddresses
  readonly clock: Clock
  readonly alarms: Pick<Alarms, 'in'>
  /** Connections in all. */
  readonly most: number
  /** Connections of one address, as long as no valid key came with a request. */
  readonly perAddress: number | undefined
  readonly onCut: (why: Cut) => void
  readonly unread?: UnreadBytes
}

interface Held {
  readonly socket: Socket
  /** Of the other end: an IPv4 address, or a /64 of IPv6. */
  readonly address: string
  readonly plain: string
  readonly isProxy: boolean
  readonly openedAt: number
  /** Responses that are not finished yet, in the order of their requests. */
  readonly responses: ServerResponse[]
  /** Organization of the first valid key on the connection. */
  party: string | undefined
  /** Bytes that the other end has taken, and milliseconds for which it has taken none of those waiting for it. */
  taken: number
  stillFor: number
}

/** Connections that may linger after their last response, in all, and of one address or organization. */
const lingeringInAll = 256
const lingeringOfOne = 16

/** Milliseconds that a response may wait without its caller reading any of it: fewer if others wait for its memory. */
const stalledAfter = { withKey: 120_000, withoutKey: 30_000, short: 10_000 }
const lookEvery = 5_000

/**
 * Milliseconds for which a connection is new, and the factor by which the new connections of an address may exceed its
 * limit.
 */
const newFor = 1_000
const newTimes = 10
/** Connections beyond all limits, for as long as it takes to read what came with them. */
const unread = 1_000
/** Milliseconds that this may take: a caller in a crowd writes only when it sees that it is connected. */
const readingFor = 100

/**
 * Shares the connections that the server may have. A caller who has shown no valid key may be cut off for the next one: the
 * oldest of the address that has the most, and new ones last, since their key may be on its way. Some places are only for
 * these callers, so that a health check always finds one. The others are for callers with a key: if they run out, the
 * organization that has the most gives way.
 */
export class Connections {
  readonly #context: ConnectionsOptions
  readonly #placesWithKey: number
  readonly #all = new Map<Socket, Held>()
  /** Connections without a response so far, which were opened recently. The set has them in their order. */
  readonly #newcomers = new MembersByParty<Held>()
  readonly #inOrder = new Set<Held>()
  /** Those of them that asked without a key, and wait for their turn. */
  readonly #keyless = new MembersByParty<Held>()
  readonly #anonymous = new MembersByParty<Held>()
  readonly #known = new MembersByParty<Held>()
  readonly #lingering = new MembersByParty<Held>()
  /** The addresses that new connections came from since they were shared for the last time. */
  readonly #grown = new Set<string>()
  #opened = 0
  #isLooking = false
  #sharesLater = false

  constructor(context: ConnectionsOptions) {
    this.#context = context
    this.#placesWithKey = Math.max(1, context.most - Math.min(64, Math.ceil(context.most / 10)))
  }

  counts(): ConnectionCounts {
    return {
      withKey: this.#known.size,
      withoutKey: this.#anonymous.size + this.#newcomers.size,
      lingering: this.#lingering.size,
    }
  }

  /** Connections that came since the start. */
  get opened(): number {
    return this.#opened
  }

  open(socket: Socket): void {
    const { addresses, clock, most } = this.#context
    const plain = plainAddress(socket.remoteAddress ?? '')
    // It was gone before it was looked at.
    if (plain === undefined) return void socket.destroy()
    const address = addressBlockOf(plain)
    const isProxy = addresses.isProxy(plain)
    this.#opened++
    const openedAt = clock.monotonic()
    const counts = { party: undefined, taken: 0, stillFor: 0 }
    const held: Held = { socket, address, plain, isProxy, openedAt, responses: [], ...counts }
    this.#all.set(socket, held)
    this.#newcomers.add(address, held)
    this.#inOrder.add(held)
    socket.once('close', () => this.#forget(held))
    this.#shareSoon(address)
    if (this.#all.size > most + unread) this.#share()
    this.#look()
  }

  /** The address that a request without a key is counted under: the client's, as a trusted proxy reports it. */
  addressBlockOf({ socket, headers }: IncomingMessage): string {
    const held = this.#all.get(socket)
    if (!held) return 'gone'
    return held.isProxy ? addressBlockOf(this.#context.addresses.of(held.plain, headers)) : held.address
  }

  /** A request without a key came over the connection, and waits. */
  markUnauthenticated(socket: Socket): void {
    const held = this.#all.get(socket)
    if (held && this.#inOrder.has(held)) this.#keyless.add(held.address, held)
  }

  /** True if a valid key came over the connection. */
  isKnown(socket: Socket): boolean {
    return this.#all.get(socket)?.party !== undefined
  }

  /** A valid key came over the connection. Throws the problem if there is no capacity left for it. */
  markAuthenticated(socket: Socket, organizationId: string): void {
    const held = this.#all.get(socket)
    if (!held || held.party !== undefined) return
    // A proxy carries the requests of many, on the same connections.
    const party = held.isProxy ? held.address : organizationId
    if (this.#known.size >= this.#placesWithKey) this.#makeRoomFor(party)
    this.#noLongerNew(held)
    this.#anonymous.delete(held.address, held)
    held.party = party
    this.#known.add(party, held)
  }

  /**
   * True if a response may be delayed: only on an anonymous caller's own connection, because a proxy's connection carries
   * other callers' requests, too. It may be closed before all new ones, but not before a second is over, because its client
   * would reconnect at once.
   */
  mayWait(socket: Socket): boolean {
    const held = this.#all.get(socket)
    if (!held || held.isProxy || held.party !== undefined) return false
    this.markUnauthenticated(socket)
    return true
  }

  /** Records the response that a new request will get. */
  asked(response: ServerResponse): void {
    this.#all.get(response.req.socket)?.responses.push(response)
  }

  /** The current response of a connection: with pipelining, the first that is not sent yet. */
  currentResponse(socket: Socket): ServerResponse | undefined {
    return this.#all.get(socket)?.responses[0]
  }

  /** The response before this one on its connection, if that is not sent yet. */
  responseBefore(response: ServerResponse): ServerResponse | undefined {
    const responses = this.#all.get(response.req.socket)?.responses ?? []
    return responses[responses.indexOf(response) - 1]
  }

  /** True if the request of this response is the last one that came on its connection. */
  isNewest(response: ServerResponse): boolean {
    return this.#all.get(response.req.socket)?.responses.at(-1) === response
  }

  /** Forgets a response that was sent, or whose caller is gone. */
  responded(response: ServerResponse): void {
    const held = this.#all.get(response.req.socket)
    if (!held) return
    held.responses.splice(held.responses.indexOf(response), 1)
    if (held.party === undefined) this.#noLongerNew(held)
  }

  /** The connection had its last response, and is only read past from here on. */
  lingers(socket: Socket): void {
    const held = this.#all.get(socket)
    if (!held) return
    if (held.party === undefined) this.#noLongerNew(held)
    const whose = held.party ?? held.address
    this.#lingering.add(whose, held)
    if (!held.isProxy && this.#lingering.sizeOf(whose) > lingeringOfOne)
      this.#cut(first(this.#lingering.of(whose)), 'lingering')
    if (this.#lingering.size > lingeringInAll) this.#cut(oldestOfLargest(this.#lingering), 'lingering')
  }

  /** Not before what came with a new connection was read, for which Node needs a turn of its loop, and then another. */
  #shareSoon(address: string): void {
    if (this.#grown.size === 0) setImmediate(() => setImmediate(() => this.#share()))
    this.#grown.add(address)
  }

  #share(): void {
    const { most, perAddress, clock } = this.#context
    const now = clock.monotonic()
    for (const held of this.#inOrder) {
      if (now - held.openedAt < newFor) break
      this.#noLongerNew(held)
    }
    if (perAddress !== undefined) for (const address of this.#grown) this.#limit(address, perAddress)
    this.#grown.clear()
    while (this.#all.size > Math.max(most, 2)) {
      const held = oldestOfLargest(this.#anonymous) ?? this.#newcomerOf(this.#newcomers.largest())
      if (!held) return
      if (this.#mayStillCome(held)) return
      this.#cut(held, 'full')
    }
  }

  /** True if the first bytes of a new connection may still be on their way. Then it is looked at again soon. */
  #mayStillCome({ socket, openedAt, address }: Held): boolean {
    const { most, clock, alarms } = this.#context
    const age = clock.monotonic() - openedAt
    if (socket.bytesRead > 0 || age > readingFor || this.#all.size > most + unread) return false
    if (!this.#sharesLater) {
      this.#sharesLater = true
      alarms.in(readingFor / 2, () => {
        this.#sharesLater = false
        this.#grown.add(address)
        this.#share()
      })
    }
    return true
  }

  #limit(address: string, most: number): void {
    if (first(this.#newcomers.of(address))?.isProxy) return
    while (this.#anonymous.sizeOf(address) + this.#newcomers.sizeOf(address) > most) {
      const isCrowded = this.#newcomers.sizeOf(address) > most * newTimes
      const held = first(this.#anonymous.of(address)) ?? (isCrowded ? this.#newcomerOf(address) : undefined)
      if (!held || this.#mayStillCome(held)) return
      this.#cut(held, 'address_limit')
    }
  }

  /** The oldest of an address that sent no key, or on which nothing is asked, since a key that came is just being looked at. */
  #newcomerOf(address: string | undefined): Held | undefined {
    if (address === undefined) return undefined
    return (
      first(this.#keyless.of(address)) ??
      oldestIdle(this.#newcomers.of(address)) ??
      first(this.#newcomers.of(address))
    )
  }

  #noLongerNew(held: Held): void {
    this.#inOrder.delete(held)
    this.#keyless.delete(held.address, held)
    if (this.#newcomers.delete(held.address, held)) this.#anonymous.add(held.address, held)
  }

  #makeRoomFor(party: string): void {
    const largest = this.#known.largest() ?? party
    const isGreedy = this.#known.sizeOf(largest) > this.#known.sizeOf(party) + 1
    const victim =
      oldestIdle(this.#known.of(largest)) ??
      // Also one that is used, if its organization then still has no fewer than that of the newcomer.
      (isGreedy ? first(this.#known.of(largest)) : undefined) ??
      (party === largest ? undefined : oldestIdle(this.#known))
    if (!victim)
      throw new Problem('too_many_connections', { headers: { 'retry-after': '1', connection: 'close' } })
    this.#cut(victim, 'full')
  }

  #cut(held: Held | undefined, why: Cut): void {
    if (!held) return
    this.#context.onCut(why)
    this.#forget(held)
    held.socket.destroy()
  }

  #forget(held: Held): void {
    this.#all.delete(held.socket)
    this.#inOrder.delete(held)
    this.#newcomers.delete(held.address, held)
    this.#keyless.delete(held.address, held)
    this.#anonymous.delete(held.address, held)
    if (held.party !== undefined) this.#known.delete(held.party, held)
    this.#lingering.delete(held.party ?? held.address, held)
  }

  /** Looks now and then, as long as there are connections, for callers who read nothing of their responses. */
  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#context.alarms.in(lookEvery, () => {
      this.#isLooking = false
      for (const held of [...this.#all.values()]) this.#lookAt(held)
      if (this.#all.size > 0) this.#look()
    })
  }

  #lookAt(held: Held): void {
    const { socket } = held
    const taken = socket.bytesWritten - socket.writableLength
    held.stillFor = socket.writableLength > 0 && taken === held.taken ? held.stillFor + lookEvery : 0
    held.taken = taken
    const usual = held.party === undefined ? stalledAfter.withoutKey : stalledAfter.withKey
    const limit = this.#context.unread?.isShort(held.party) ? stalledAfter.short : usual
    if (held.stillFor >= limit) this.#cut(held, 'stalled')
  }
}

function first(connections: Iterable<Held>): Held | undefined {
  for (const held of connections) return held
  return undefined
}

function oldestOfLargest(held: MembersByParty<Held>): Held | undefined {
  const largest = held.largest()
  return largest === undefined ? undefined : first(held.of(largest))
}

/** The oldest on which nothing is asked just now. */
function oldestIdle(connections: Iterable<Held>): Held | undefined {
  for (const held of connections) if (held.responses.length === 0) return held
  return undefined
}
