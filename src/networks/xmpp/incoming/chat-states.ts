import type { TypingSeen } from '../../driver/account-news.ts'
import { bareAddressOf } from '../address.ts'
import { featuresIn } from '../stanzas/discovery.ts'
import type { IqRequests } from '../stanzas/iq-requests.ts'
import { attribute, element, ns, type Xml } from '../stanzas/xml.ts'
import { copyIn } from './carbons.ts'

/** Those of XEP-0085 section 5.2: in all but the first, the person is not writing. */
const states = ['composing', 'paused', 'active', 'inactive', 'gone'] as const

/** Returns true if the message says that its sender is writing, false if that they are not; null if it says neither, or said it earlier. */
export function isComposing(message: Xml): boolean | null {
  const state = states.find((name) => message.getChild(name, ns.chatStates))
  if (state === undefined || attribute(message, 'type') === 'error') return null
  return message.getChild('delay', ns.delay) ? null : state === 'composing'
}

/** People of whom it is remembered that they are writing, and with which client they wrote last; and characters of an address. */
const maxPeople = 500
const maxAddress = 512

/** Changes that are reported in a second: more would say nothing new. */
const maxChangesInSecond = 20

/** Milliseconds that a client may take to say what it knows. */
const maxWait = 5_000

export interface ChatStatesOptions {
  readonly account: string
  readonly iqRequests: IqRequests
  readonly now: () => number
  readonly report: (seen: TypingSeen) => void
  /** Aborts when the connection ends. */
  readonly over: AbortSignal
}

/** The people who write to the account just now, and whose clients show that the account is writing (XEP-0085). */
export class ChatStates {
  readonly #options: ChatStatesOptions
  /** Those who are writing, by conversation and address. */
  readonly #composing = new Map<string, true>()
  /** By bare address: whether chat states are known there, or else the client that may be asked. */
  readonly #clients = new Map<string, boolean | string>()
  #second = 0
  #changes = 0

  constructor(options: ChatStatesOptions) {
    this.#options = options
  }

  /** Reads what a message to the account, or to another of its clients, says of its sender. */
  take(stanza: Xml): void {
    const message = copyIn(stanza, this.#options.account)?.message ?? stanza
    const from = attribute(message, 'from')
    const type = attribute(message, 'type')
    if (from === undefined || from.length > maxAddress || type === 'groupchat' || type === 'error') return
    // It comes from a person in a room (XEP-0045 section 7.5).
    if (message.getChild('x', ns.rooms)) return
    const address = bareAddressOf(from)
    if (address === null || address === this.#options.account) return
    const composing = isComposing(message)
    if (composing === null && this.#clients.get(address) !== true) remember(this.#clients, address, from)
    if (composing === null) return
    remember(this.#clients, address, true)
    this.note(address, address, composing)
  }

  /** Notes that a person is writing, or not; reports it if that is news. */
  note(conversation: string, from: string, composing: boolean): void {
    const key = JSON.stringify([conversation, from])
    if (this.#composing.has(key) === composing || !this.#mayReport()) return
    if (composing) remember(this.#composing, key, true)
    else this.#composing.delete(key)
    this.#options.report({ kind: 'typing-seen', conversation, from, state: composing ? 'typing' : 'paused' })
  }

  /**
   * Resolves to whether a client of the person shows chat states: XEP-0085 section 5.1 lets them be sent only to clients that sent one, or
   * say so when they are asked.
   */
  async areKnownAt(address: string): Promise<boolean> {
    const client = this.#clients.get(address)
    if (typeof client !== 'string') return client === true
    // It is asked once, whether it answers or not.
    this.#clients.set(address, false)
    const { iqRequests, over } = this.#options
    const signal = AbortSignal.any([over, AbortSignal.timeout(maxWait)])
    const question = element('query', { xmlns: ns.discoInfo })
    try {
      const known = featuresIn(await iqRequests.ask('get', client, question, signal)).has(ns.chatStates)
      if (known) remember(this.#clients, address, true)
      return known
    } catch {
      return false
    }
  }

  #mayReport(): boolean {
    const second = Math.floor(this.#options.now() / 1_000)
    if (second !== this.#second) this.#changes = 0
    this.#second = second
    this.#changes += 1
    return this.#changes <= maxChangesInSecond
  }
}

/** Sets the newest entry of a map, and forgets the oldest if there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > maxPeople ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
