import { BoundedMap } from '../bounded-map.ts'
import type { Message } from '../proto/message.ts'

/** A file as a phone has fetched, checked and decrypted it. */
export interface Media {
  readonly mimetype: string
  readonly bytes: number
  /** Of the decrypted bytes, in hexadecimal. */
  readonly sha256: string
  readonly fileName?: string
  readonly caption?: string
  readonly seconds?: number
  readonly ptt?: boolean
  /** Number of loudnesses in the waveform. */
  readonly waveform?: number
  readonly width?: number
  readonly height?: number
  readonly isAnimated?: boolean
  /** The bytes of the thumbnail. */
  readonly thumbnail?: number
  /** Why it could not be fetched or decrypted. */
  readonly failure?: string
}

/** A content besides texts and files, as a phone shows it. */
export interface Shown {
  readonly location?: {
    readonly latitude: number
    readonly longitude: number
    readonly name?: string
    readonly address?: string
  }
  readonly contacts?: readonly {
    readonly name: string
    readonly phones: readonly string[]
    /** The digits of the accounts to which the phone offers to write. */
    readonly accounts: readonly string[]
  }[]
  readonly poll?: {
    readonly question: string
    readonly options: readonly string[]
    /** 0 stands for any number. */
    readonly selectable: number
  }
}

/** The message that another one is about, as the phone finds it. */
export interface Target {
  /** The phone number of its author. */
  readonly author: string
  /** The phone shows it, or the person has written it. */
  readonly isKnown: boolean
  /** It is named by the kind of addresses that the chat has. */
  readonly isWellNamed: boolean
}

/** A poll that a phone shows, with what it takes to vote. */
export interface ShownPoll {
  readonly secret: Uint8Array
  /** The phone number of its author. */
  readonly author: string
  /** The address of the chat: the other side, or the group. */
  readonly isGroup: boolean
}

/** A message as a person reads it. */
export interface Said {
  /** `text`, `image`, `document`, `audio`, `video`, `sticker`, `reaction`, `edit`, `revoke` or the name of another content. */
  readonly kind: string
  readonly text?: string
  readonly media?: Media
  /** The id of the message that it quotes, or that it is about. */
  readonly about?: string
  /** A content besides a text or a file. */
  readonly shown?: Shown
  /** The addresses of the people whom it mentions. */
  readonly mentions?: readonly string[]
  /** Seconds after which it disappears, if it does. */
  readonly expiration?: number
}

/** A message as a phone shows it. */
export interface Received extends Said {
  readonly id: string
  /** The phone number of who sent it, and from which device. */
  readonly from: string
  readonly device: number
  /** The phone number of the other side, or the id of the group. */
  readonly chat: string
  /** Sent by another device of the same account. */
  readonly isOwn: boolean
  readonly addressing: 'lid' | 'pn'
  /** It has a secret of 32 bytes, as clients of WhatsApp give each message. */
  readonly hasSecret?: boolean
  /** The message that `about` names, as the phone finds it. */
  readonly target?: Target
  /** As the sender announces a change of an earlier message: `1` for an edit, `7` for a revocation. */
  readonly edit?: string
  /** Number of copies that came; it is shown once. */
  copies: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A receipt for a message that the phone has sent. */
export interface PhoneReceipt {
  readonly type: string
  /** The phone number of who sent the receipt, and from which device. */
  readonly from: string
  readonly device: number
  readonly at: number
}

/** A message that a phone has sent, kept to send it again to a device that could not decrypt it. */
export interface SentMessage {
  readonly message: Message
  /** The phone number of the receiver, or the id of the group. */
  readonly to: string
  readonly isGroup: boolean
  readonly server: string
  readonly type: string
}

const maxMessages = 8000

const maxHeld = 20_000

/** Does something when a phone is switched on that is off now. */
export function whenBack(inbox: Inbox, act: () => void): void {
  if (inbox.held.length < maxHeld) inbox.held.push(act)
}

/** The memory of a phone: the last thousands of messages and receipts. */
export class Inbox {
  readonly owner: string
  /** By sender and id, in the order in which they came. */
  readonly #received = new BoundedMap<string, Received>(maxMessages)
  readonly #byId = new BoundedMap<string, Received>(maxMessages)
  readonly receipts = new BoundedMap<string, PhoneReceipt[]>(maxMessages)
  /** Number of times that the phone has asked for a message again, by its id. */
  readonly asked = new BoundedMap<string, number>(maxMessages)
  readonly sent = new BoundedMap<string, SentMessage>(maxMessages)
  /** By id. */
  readonly polls = new BoundedMap<string, ShownPoll>(maxMessages)
  /** Holders of the phone's keys to groups: group, LID and device. */
  readonly keyHolders = new BoundedMap<string, true>(maxMessages)
  /** Work that waits for the phone to be switched on. */
  held: (() => void)[] = []
  /** Ciphertexts that could not be decrypted. */
  undecryptable = 0
  /** Ciphertexts under a key that had been used before: a sender went back to an old state. */
  reusedKeys = 0
  /** Ciphertexts that came again, byte by byte. */
  duplicates = 0
  /** Messages that it has ever shown. */
  shown = 0
  /** Arrivals of messages, each with all its copies. */
  arrivals = 0

  constructor(owner: string) {
    this.owner = owner
  }

  /** Takes a message. True if it is new. */
  take(received: Received): boolean {
    if (this.countAgain(received.from, received.id)) return false
    this.#received.set(`${received.from} ${received.id}`, received)
    if (!this.#byId.has(received.id)) this.#byId.set(received.id, received)
    this.shown += 1
    this.arrivals += 1
    return true
  }

  /** Counts one more copy of a message; false if the phone does not show it. */
  countAgain(from: string, id: string): boolean {
    const known = this.find(from, id)
    if (!known) return false
    known.copies += 1
    this.arrivals += 1
    return true
  }

  find(from: string, id: string): Received | undefined {
    return this.#received.get(`${from} ${id}`)
  }

  /** The message of this id, from whomever. */
  ofId(id: string): Received | undefined {
    return this.#byId.get(id)
  }

  /** Iterates over its messages, without the first `known` that it has ever shown. */
  all(known = 0): IteratorObject<Received> {
    const forgotten = this.shown - this.#received.size
    return this.#received.values().drop(Math.max(0, known - forgotten))
  }

  takeReceipt(id: string, receipt: PhoneReceipt): void {
    const known = this.receipts.getOrMake(id, () => [])
    if (known.length < 100) known.push(receipt)
  }
}
