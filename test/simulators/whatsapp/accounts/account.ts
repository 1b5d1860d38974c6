import { Inbox } from '../people/inbox.ts'
import { Phone } from '../signal/phone.ts'
import { type ClientKeys, Device } from './device.ts'
import { lidServer, phoneServer, writeJid } from './jid.ts'

/** Peculiarities of an account, which tests set. */
export interface Traits {
  /** Messages to its phone number are refused with 463; those to its LID are not. */
  isMigrated: boolean
  /** Messages to it need its privacy token, or are refused with 463. */
  demandsToken: boolean
  /** Its devices are missing in usync. */
  hidesDevices: boolean
  /** Its LID is missing in usync. */
  hidesLid: boolean
  /** True if clients are not told when its list of devices changes. */
  changesUntold: boolean
  /** Linking it needs a passkey. */
  needsPasskey: boolean
  /** End of the time in which it may begin no new chat, in milliseconds since 1970; 0 without such a lock. */
  lockedUntil: number
  /** Its messages from the LID do not say its phone number. */
  hidesNumber: boolean
  /** The phone is switched off: it takes and answers nothing. */
  isAway: boolean
  /** Milliseconds after which a message that was not acked ends the stream; 0 never. */
  ackWithin: number
  /** True if acknowledgements of its clients are forgotten, so that messages come again with their next connection. */
  losesAcks: boolean
  /** The person reads everything at once. */
  reads: boolean
  /** The code with which an attempt to add the person to a group is refused; empty if it is not. */
  addRefusal: string
  /** The person's picture is for others alone. */
  hidesPicture: boolean
  /** The phone keeps it to itself that the person has read something. */
  hidesReading: boolean
  /** Text with which the person answers every message of others; no answer without it. */
  answer: string
}

const ordinary: Traits = {
  isMigrated: false,
  demandsToken: false,
  hidesDevices: false,
  hidesLid: false,
  hidesNumber: false,
  changesUntold: false,
  needsPasskey: false,
  lockedUntil: 0,
  isAway: false,
  ackWithin: 0,
  losesAcks: false,
  reads: false,
  addRefusal: '',
  hidesPicture: false,
  hidesReading: false,
  answer: '',
}

/**
 * The server's answer to a question for the keys of a device that cannot begin a session: an error of this code, nothing at
 * all, or keys that its owner did not sign.
 */
export type NoKeys = '404' | '406' | 'left out' | 'badly signed'

export interface NewPerson {
  /** The digits of the phone number. */
  readonly phone: string
  readonly name?: string
  /** The digits of the LID; made up if not given. */
  readonly lid?: string
}

/** A person's account: the phone, which is in this process, and the clients that are linked. */
export class Account {
  /** It can change; the LID stays. */
  pn: string
  readonly lid: string
  readonly name: string
  phone: Phone
  readonly traits: Traits = { ...ordinary }
  readonly inbox: Inbox
  /** By number. */
  readonly devices = new Map<number, Device>()
  /** Devices without keys that are any good, by number: 0 is the phone, and the others are clients that have never run. */
  readonly withoutKeys = new Map<number, NoKeys>()
  /** The LIDs of those with whom it has exchanged messages. */
  readonly chats = new Set<string>()
  /** The privacy tokens that others have given it, by their LIDs. */
  readonly tokens = new Map<string, Uint8Array>()
  /** The privacy tokens that it has given to others, by their LIDs. */
  readonly issued = new Map<string, Uint8Array>()
  /** The path of the picture on the media host. */
  picture: string | undefined
  /** The LIDs of those who want to be told when this person is there, or writes. */
  readonly watchers = new Set<string>()
  /** Runs once while the mail that waited is on its way to one of its clients. */
  duringDrain: (() => Promise<unknown>) | undefined
  /** Runs once between a question of one of its clients in this namespace, whose answer is already fixed, and that answer. */
  beforeAnswer: { readonly xmlns: string; readonly act: () => Promise<unknown> } | undefined
  #lastDevice = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor({ phone, name = `Person ${phone}`, lid = `9${phone}7` }: NewPerson) {
    this.pn = phone
    this.lid = lid
    this.name = name
    this.phone = new Phone({ pn: phone, lid, name })
    this.inbox = new Inbox(phone)
  }

  jid(server: string, device = 0): string {
    return writeJid({ user: server === lidServer ? this.lid : this.pn, device, server })
  }

  /** Its address on the other server, which goes along so that clients can put both together. */
  otherJid(server: string, device = 0): string {
    return this.jid(server === lidServer ? phoneServer : lidServer, device)
  }

  /** The number of the next client; numbers are not used again. */
  nextDevice(): number {
    this.#lastDevice += 1
    return this.#lastDevice
  }

  /** The numbers of all devices that the server knows, the phone first. */
  numbers(): number[] {
    return [...new Set([0, ...this.devices.keys(), ...this.withoutKeys.keys()])]
  }

  link(number: number, keys: ClientKeys): Device {
    const device = new Device(number, number, keys)
    this.devices.set(number, device)
    return device
  }

  /** The person gets a new phone, with new keys and no memory. */
  renewPhone(): void {
    this.phone = new Phone({ pn: this.pn, lid: this.lid, name: this.name })
  }

  /** Does something with the phone after everything that was to be done before it. */
  inTurn<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    const done = this.#turn.then(act)
    this.#turn = done.catch(() => {})
    return done
  }
}
