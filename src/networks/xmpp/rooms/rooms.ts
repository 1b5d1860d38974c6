import type { Clock } from '../../../runtime/clock.ts'
import type { Share } from '../../../runtime/limits/share.ts'
import type { Log } from '../../../runtime/log.ts'
import type { KeyStore } from '../../driver/keys.ts'
import type { Observation } from '../../driver/observation.ts'
import { type Outcome, rejected } from '../../driver/outcome.ts'
import { bareAddressOf, bareOf, localOf } from '../address.ts'
import type { ChatStates } from '../incoming/chat-states.ts'
import { RoomState } from '../session/room-state.ts'
import type { XmppSession } from '../session/session.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, type Xml } from '../stanzas/xml.ts'
import { Bookmarks, maxRooms } from './bookmarks.ts'
import { Entrance } from './entrance.ts'
import { RoomChanges } from './room-changes.ts'
import { type RoomFault, roomFault } from './room-fault.ts'
import { RoomHistory } from './room-history.ts'
import { askRoom, isFault } from './room-info.ts'
import { RoomPeople } from './room-people.ts'
import { RoomStanzas } from './room-stanzas.ts'

/** Milliseconds for which a message is put off if a room does not let the account in just now. */
const putOff = 60_000

/** Rooms that are entered at a time when a session begins. */
const maxEntering = 4

/** Milliseconds for which what was missed in rooms may hold up the mark of what is caught up. */
const maxCatchUp = 60_000

/** Milliseconds until the account goes back into a room that a fault of a server took it out of, each time. */
const returns = [5_000, 30_000, 120_000]

export interface RoomsOptions {
  readonly session: XmppSession
  readonly iqRequests: IqRequests
  readonly keys: KeyStore
  readonly chatStates: ChatStates
  readonly clock: Clock
  readonly log: Log
  readonly share: Share
  readonly write: (xml: string) => void
  readonly report: (observation: Observation) => Promise<boolean>
  /** The mark that is reached with what was reported last (`MessageReceived.mark`). */
  readonly mark: () => string | undefined
  readonly timeouts: { readonly archive: number; readonly room: number }
  /** Aborts when the connection ends. */
  readonly over: AbortSignal
}

interface Way {
  /** The account was never in the room. */
  readonly isNew?: boolean
  /** The room need not exist. */
  readonly isToBeMade?: boolean
}

/**
 * The rooms of one account on one connection (XEP-0045). The session knows them: one that is resumed is still in its rooms.
 */
export class Rooms {
  readonly bookmarks: Bookmarks
  readonly changes: RoomChanges
  readonly #options: RoomsOptions
  readonly #entrance: Entrance
  readonly #history: RoomHistory
  readonly #people: RoomPeople
  readonly #stanzas: RoomStanzas
  /** Those that are being entered. */
  readonly #entering = new Map<RoomState, Promise<RoomFault | null>>()
  /** Resolves when the rooms of the account are known. */
  #known: Promise<void> = Promise.resolve()
  /** From when on messages were missed; null if none count as missed. */
  #since: number | null = null
  readonly #looking = new Set<RoomState>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(options: RoomsOptions) {
    const { session, iqRequests, keys, clock, share, write, report, timeouts, over } = options
    this.#options = options
    const { publishing: areAtServer } = session.archiveSupport
    this.bookmarks = new Bookmarks({ account: session.address, iqRequests, keys, areAtServer, over })
    this.changes = new RoomChanges(
      (changed) => void report(changed),
      () => clock.now(),
    )
    this.#entrance = new Entrance({ iqRequests, write, timeout: timeouts.room, over })
    this.#history = new RoomHistory(iqRequests, timeouts.archive, over)
    this.#people = new RoomPeople(share, session.rooms.values())
    this.#stanzas = new RoomStanzas({
      ...{ account: session.address, clock, write, report, mark: options.mark },
      ...{ people: this.#people, changes: this.changes, chatStates: options.chatStates },
      entered: (room) => this.#entrance.answered(room, null),
      leaves: (room, isFault) => this.#left(room, isFault),
      configured: (room) => void this.#look(room),
    })
    over.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** Goes into the rooms of the account. Resolves once what was missed there since then is reported, or that takes too long. Never rejects. */
  async begin(isResumed: boolean, since: Promise<number | null>): Promise<void> {
    const { rooms } = this.#options.session
    const known = Promise.withResolvers<void>()
    this.#known = known.promise
    try {
      if (!isResumed) await this.#readBookmarks()
      for (const room of rooms.values()) if (room.phase === 'joining') this.#people.forgetAll(room)
    } catch (err) {
      this.#warn('could not read the rooms of an XMPP account', err)
    }
    const away = [...rooms.values()].filter(({ phase }) => phase === 'absent')
    if (away.length > 0) this.#since = await since
    known.resolve()
    const entering = this.#enterAll(away)
    const { promise: longEnough, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, maxCatchUp)
    await Promise.race([entering, longEnough])
    clearTimeout(timer)
  }

  async #readBookmarks(): Promise<void> {
    const { session } = this.#options
    for (const { room: address, nick } of await this.bookmarks.read()) {
      const room = new RoomState(address, nick ?? localOf(session.address))
      room.isProven = true
      session.rooms.set(address, room)
    }
  }

  async #enterAll(rooms: RoomState[]): Promise<void> {
    const next = rooms.values()
    const enterOneByOne = async () => {
      for (const room of next) {
        if (this.#options.over.aborted) return
        const fault = await this.#enterKnown(room)
        if (fault && !this.#options.over.aborted)
          this.#warn('an XMPP account could not go into a room', undefined, fault.code)
      }
    }
    await Promise.all(Array.from({ length: maxEntering }, enterOneByOne))
  }

  isKnown(bare: string): boolean {
    return this.#options.session.rooms.get(bare)?.isProven === true
  }

  /** The room that the account is in; null if it is in none with this address. */
  inside(address: string): RoomState | null {
    const room = this.#options.session.rooms.get(bareOf(address))
    return room?.isInside ? room : null
  }

  all(): RoomState[] {
    return [...this.#options.session.rooms.values()].filter(({ isInside }) => isInside)
  }

  /**
   * Resolves to null if a message can be written to a room; otherwise to the outcome of its attempt: a room that has it already
   * gives it a name, and one that the account cannot enter refuses it.
   */
  async ready(address: string, id: string): Promise<Outcome | null> {
    await this.#known
    const room = this.#options.session.rooms.get(bareOf(address))
    if (!room) return rejected(roomFault('not_in_room'))
    const fault = room.phase === 'joined' ? null : await this.#enterKnown(room)
    if (this.#options.over.aborted) return { kind: 'uncertain', detail: 'The connection ended.' }
    if (fault?.permanent) return rejected(fault)
    if (fault) {
      const until = this.#options.clock.now() + putOff
      return { kind: 'deferred', until, scope: 'recipient', error: fault }
    }
    return room.idOfOwn(id) === null ? null : { kind: 'accepted' }
  }

  /** Goes into a room for the first time, and stays there. */
  async join(
    bare: string,
    isToBeMade = false,
  ): Promise<{ readonly room: RoomState; readonly fault: RoomFault | null }> {
    const { rooms, address } = this.#options.session
    await this.#known
    const known = rooms.get(bare)
    const room = known ?? new RoomState(bare, localOf(address))
    if (!known && rooms.size >= maxRooms) return { room, fault: roomFault('too_many_rooms') }
    rooms.set(bare, room)
    const fault = room.phase === 'joined' ? null : await this.#enterKnown(room, { isNew: !known, isToBeMade })
    if (fault && !known) rooms.delete(bare)
    if (!fault && !known && !isToBeMade) this.changes.note(room, { change: 'account_joined' })
    return { room, fault }
  }

  /** Leaves a room, and does not go back. */
  async leave(room: RoomState): Promise<void> {
    await this.bookmarks.remove(room.address)
    const to = `${room.address}/${room.nick}`
    this.#options.session.rooms.delete(room.address)
    this.#options.write(element('presence', { to, type: 'unavailable' }).toString())
    this.#people.forgetAll(room)
    this.changes.note(room, { change: 'account_left' })
  }

  /** Takes a message or a presence; false if it does not come from a room. */
  take(stanza: Xml): boolean {
    const bare = bareAddressOf(attribute(stanza, 'from'))
    const room = bare === null ? undefined : this.#options.session.rooms.get(bare)
    if (!room?.isProven)
      return stanza.name === 'message' && bare !== null && this.#stanzas.takeInvitation(stanza, bare)
    if (stanza.name === 'presence') {
      const fault = this.#stanzas.takePresence(room, stanza)
      if (fault) this.#entrance.answered(room, fault)
    } else if (!this.#history.take(room, stanza)) this.#stanzas.takeMessage(room, stanza)
    return true
  }

  /** One way in at a time. */
  #enterKnown(room: RoomState, way: Way = {}): Promise<RoomFault | null> {
    const entering = this.#entering.get(room) ?? this.#enter(room, way)
    this.#entering.set(room, entering)
    return entering.finally(() => this.#entering.delete(room))
  }

  async #enter(room: RoomState, { isNew, isToBeMade }: Way): Promise<RoomFault | null> {
    room.phase = 'joining'
    // The account does not get messages from before it first came.
    const since = isNew ? null : this.#since
    // New messages wait until older ones are read.
    this.#stanzas.hold(room)
    const fault = await this.#entrance.enter(room, since, isToBeMade)
    if (fault) this.#people.forgetAll(room)
    else if (since !== null && room.support.archive) await this.#readMissed(room, since)
    this.#stanzas.release(room)
    if (!fault && room.isInside) room.phase = 'joined'
    return fault
  }

  async #readMissed(room: RoomState, since: number): Promise<void> {
    try {
      const isAll = await this.#history.read(room, since, (entry) => this.#stanzas.takeArchived(room, entry))
      if (!isAll) this.#warn('a room has more messages than are read at once')
    } catch (err) {
      if (!this.#options.over.aborted) this.#warn('could not read the archive of a room', err)
    }
  }

  #left(room: RoomState, isFault: boolean): void {
    const { session, clock } = this.#options
    this.#people.forgetAll(room)
    if (isFault) {
      this.#since = Math.min(this.#since ?? Number.POSITIVE_INFINITY, clock.now() - 60_000)
      this.#return(room)
      return
    }
    session.rooms.delete(room.address)
    void this.bookmarks.remove(room.address).catch((err) => {
      if (!this.#options.over.aborted) this.#warn('could not forget a room', err)
    })
  }

  /** Asks a room for its new name, once at a time. */
  async #look(room: RoomState): Promise<void> {
    if (room.isNew || this.#looking.has(room)) return
    this.#looking.add(room)
    const { iqRequests, over, timeouts } = this.#options
    const signal = AbortSignal.any([over, AbortSignal.timeout(timeouts.room)])
    const info = await askRoom(room.address, iqRequests, signal).catch(() => null)
    this.#looking.delete(room)
    if (!info || isFault(info) || !room.isInside) return
    const isRenamed = info.name !== null && info.name !== room.name
    room.support = info.support
    room.name = info.name
    const renamed = { change: 'renamed', ...(info.name !== null && { subject: info.name }) } as const
    this.changes.note(room, isRenamed ? renamed : { change: 'changed' })
  }

  #return(room: RoomState, tries = 0): void {
    const delay = returns[tries]
    if (delay === undefined || this.#options.over.aborted) return
    const timer = setTimeout(async () => {
      this.#timers.delete(timer)
      if (room.phase !== 'absent' || !this.isKnown(room.address)) return
      const fault = await this.#enterKnown(room)
      if (fault && !fault.permanent) this.#return(room, tries + 1)
    }, delay)
    this.#timers.add(timer)
  }

  #warn(what: string, err?: unknown, code?: string): void {
    const { log, session } = this.#options
    log.warn({ err, code, account: session.address }, what)
  }

  #end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#people.end()
  }
}
