/** XEP-0045 section 5.2. */
export const affiliations = ['owner', 'admin', 'member', 'none', 'outcast'] as const
export type Affiliation = (typeof affiliations)[number]

/** A person in a room. */
export interface Occupant {
  /** Their bare address, if the room shows it. */
  readonly address: string | null
  readonly affiliation: Affiliation
}

/** Names of messages that are remembered, of each kind in each room. */
const maxNames = 200

/** A room that the account is in, or should be in: what the room says of itself, and who is there. */
export class RoomState {
  /** The bare address. */
  readonly address: string
  /** The name of the account in the room. */
  nick: string
  /** `joining` from the question until what was missed there is read. */
  phase: 'absent' | 'joining' | 'joined' = 'absent'
  /** True once the address is known to be that of a room: until then, what comes from there may come from a person. */
  isProven = false
  /** True from the presence that lets the account in. */
  isInside = false
  /** True if it did not exist before the account entered it, until it is configured. */
  isNew = false
  name: string | null = null
  subject: string | null = null
  /** The room gives each message an id (XEP-0359), and lets its people read what it archived (XEP-0313). */
  support = { ids: false, archive: false }
  /** By nick. Those beyond the limit of all rooms together are missing. */
  readonly occupants = new Map<string, Occupant>()
  /** The ids of the room for messages of others, by their writers and the ids that these gave them. */
  readonly #given = new Names()
  /** The ids of the room for stanzas of the account, by the account's own; and the other way round. */
  readonly #own = new Names()
  readonly #sent = new Names()

  constructor(address: string, nick: string) {
    this.address = address
    this.nick = nick
  }

  /** Remembers the room's id of a message to which its writer gave another one. */
  noteGiven(nick: string, given: string, id: string): void {
    this.#given.set(JSON.stringify([nick, given]), id)
  }

  idOfGiven(nick: string, given: string): string | null {
    return this.#given.get(JSON.stringify([nick, given]))
  }

  /** Notes that the room has a stanza of the account, and the id that it gave it, if any. */
  noteOwn(own: string, id: string | null): void {
    this.#own.set(own, id ?? own)
    if (id !== null) this.#sent.set(id, own)
  }

  /** The room's id of a stanza of the account; null if the room is not known to have it. */
  idOfOwn(own: string): string | null {
    return this.#own.get(own)
  }

  /** The account's own id of its stanza to which the room gave this one. */
  ownIdOf(id: string): string | null {
    return this.#sent.get(id)
  }

  /** The account is no longer there. */
  leave(): void {
    this.phase = 'absent'
    this.isInside = false
    this.occupants.clear()
  }
}

/** The latest entries of a table. */
class Names {
  readonly #names = new Map<string, string>()

  set(name: string, value: string): void {
    this.#names.delete(name)
    this.#names.set(name, value)
    const [oldest] = this.#names.size > maxNames ? this.#names.keys() : []
    if (oldest !== undefined) this.#names.delete(oldest)
  }

  get(name: string): string | null {
    return this.#names.get(name) ?? null
  }
}
