import type { Share } from '../../../runtime/limits/share.ts'
import type { Affiliation, Occupant, RoomState } from '../session/room-state.ts'

/** People of whom it is known who they are, in all rooms of the account together, and bytes that they take. */
const maxPeople = 5_000
const maxPeopleBytes = 2 * 1024 * 1024

const personBytes = 300

function sizeOf(nick: string, { address }: Occupant): number {
  return personBytes + 2 * (nick.length + (address?.length ?? 0))
}

/** The people in the rooms of an account, as far as there is room for them. */
export class RoomPeople {
  readonly #holding: ReturnType<Share['holding']>
  #count = 0
  #bytes = 0

  /** Counts those who are there already. */
  constructor(share: Share, rooms: Iterable<RoomState>) {
    // They are no data that waits to be handled, for which reading would stop.
    this.#holding = share.holding('outgoing')
    for (const room of rooms) for (const entry of room.occupants) this.#add(...entry)
  }

  /** Notes what a room says of a person; returns their affiliation before, or null if they were not known. */
  note(room: RoomState, nick: string, person: Occupant): Affiliation | null {
    const before = this.forget(room, nick)
    if (this.#count < maxPeople && this.#bytes < maxPeopleBytes) {
      room.occupants.set(nick, person)
      this.#add(nick, person)
    }
    return before?.affiliation ?? null
  }

  /** Forgets a person who left; returns who it was. */
  forget(room: RoomState, nick: string): Occupant | undefined {
    const before = room.occupants.get(nick)
    if (!before) return undefined
    room.occupants.delete(nick)
    this.#count -= 1
    this.#grow(-sizeOf(nick, before))
    return before
  }

  /** The account left a room. */
  forgetAll(room: RoomState): void {
    for (const nick of [...room.occupants.keys()]) this.forget(room, nick)
    room.leave()
  }

  end(): void {
    this.#holding.end()
  }

  #add(nick: string, person: Occupant): void {
    this.#count += 1
    this.#grow(sizeOf(nick, person))
  }

  #grow(bytes: number): void {
    this.#bytes += bytes
    this.#holding.add(bytes)
  }
}
