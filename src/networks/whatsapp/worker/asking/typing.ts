import { isJidGroup, type WASocket } from 'baileys'
import { TokenBucket } from '../../../../runtime/limits/token-bucket.ts'
import { type Deadline, setDeadline } from '../../../../runtime/timers/deadline.ts'
import type { TypingSeen } from '../../../driver/account-news.ts'
import type { OwnNames } from '../../incoming/receipts.ts'
import type { Stanza } from '../../incoming/stanza.ts'
import { typingIn } from '../../incoming/typing.ts'
import { userOf } from '../baileys/signal.ts'
import { Cache } from '../cache.ts'

/** After so many milliseconds, it is shown again: phones show it for less than 25 seconds (Baileys says ten). */
const renewedEvery = 8_000

/** Chats at a time in which the account shows that it writes. */
const maxTypings = 20

/** People whose typing is asked for, and the milliseconds after which it is asked for again. */
const maxWatched = 200
const watchedFor = 60 * 60 * 1000

/** Unknown people may write without end: so many are asked for, and so much of what they show is passed on. */
const watchRate = { count: 30, seconds: 60 }
const seenRate = { count: 40, seconds: 2 }

export interface TypingOptions {
  readonly sock: WASocket
  readonly own: () => OwnNames
  /** People see the account as online all the time. */
  readonly isShownOnline: boolean
  /** The LID of a phone number, if it is known. */
  readonly storedLidOf: (jid: string) => Promise<string | null>
  readonly report: (seen: TypingSeen) => void
}

interface Shown {
  readonly jid: string
  /** The users that the chat is with: the same one by the phone number and the LID, if both are known. */
  readonly users: readonly string[]
  /** In milliseconds of `performance.now()`. */
  readonly until: number
  next: Deadline
}

/**
 * Shows people that the account writes, and reports who writes to it. WhatsApp does either only for an account that is there
 * (`available`); the phone shows no notifications then, so the account is there no longer than it must.
 */
export class Typing {
  readonly #options: TypingOptions
  /** By the user that the chat is with. */
  readonly #shown = new Map<string, Shown>()
  /** Settles when the account is there for the sake of this; null if it is not. */
  #arrival: Promise<void> | null = null
  readonly #watched = new Cache(maxWatched, watchedFor)
  readonly #watches = new TokenBucket(watchRate, performance.now())
  readonly #seen = new TokenBucket(seenRate, performance.now())
  #isOver = false

  constructor(options: TypingOptions) {
    this.#options = options
    options.sock.ws.on('CB:chatstate', (stanza: Stanza) => void this.#see(stanza))
  }

  /** Shows it for so many seconds, or until a message is sent there. Dropped if it cannot be shown. */
  async show(jid: string, seconds: number): Promise<void> {
    const { isShownOnline, sock, storedLidOf } = this.#options
    const chat = isJidGroup(jid) ? jid : ((await storedLidOf(jid)) ?? jid)
    const user = userOf(chat)
    const before = this.#shown.get(user)
    if (this.#isOver || (!before && this.#shown.size >= maxTypings)) return
    before?.next.cancel()
    const until = performance.now() + seconds * 1000
    const shown: Shown = { jid: chat, users: [user, userOf(jid)], until, next: { cancel: () => undefined } }
    this.#shown.set(user, shown)
    if (!isShownOnline) this.#arrival ??= sock.sendPresenceUpdate('available')
    await this.#arrival
    await this.#watch(chat)
    await this.#renew(user, shown)
  }

  /** A message is sent there, which phones show instead. */
  sent(jid: string): void {
    const sentTo = userOf(jid)
    for (const [user, shown] of this.#shown)
      if (shown.users.includes(sentTo)) void this.#end(user, shown, false)
  }

  /** A person wrote to the account, and may go on. */
  wrote(chat: string): void {
    if (this.#options.isShownOnline && !isJidGroup(chat)) void this.#watch(chat).catch(() => undefined)
  }

  end(): void {
    this.#isOver = true
    for (const { next } of this.#shown.values()) next.cancel()
    this.#shown.clear()
  }

  async #renew(user: string, shown: Shown): Promise<void> {
    if (this.#isOver || this.#shown.get(user) !== shown) return
    const rest = shown.until - performance.now()
    const again = () => {
      const next = rest > renewedEvery ? this.#renew(user, shown) : this.#end(user, shown, true)
      void next.catch(() => undefined)
    }
    shown.next = setDeadline(Math.min(rest, renewedEvery), again)
    await this.#options.sock.sendPresenceUpdate('composing', shown.jid)
  }

  async #end(user: string, shown: Shown, isShownToEnd: boolean): Promise<void> {
    if (this.#isOver || this.#shown.get(user) !== shown) return
    const { sock } = this.#options
    shown.next.cancel()
    this.#shown.delete(user)
    if (isShownToEnd) await sock.sendPresenceUpdate('paused', shown.jid).catch(() => undefined)
    if (this.#arrival === null || this.#shown.size > 0) return
    this.#arrival = null
    await sock.sendPresenceUpdate('unavailable').catch(() => undefined)
  }

  /** Asks WhatsApp to tell when a person writes. It does by itself in groups. */
  async #watch(jid: string): Promise<void> {
    const user = userOf(jid)
    if (isJidGroup(jid) || this.#watched.get(user) || this.#watches.available(performance.now()) < 1) return
    this.#watches.take(1)
    this.#watched.set(user, true)
    await this.#options.sock.presenceSubscribe(jid)
  }

  async #see(stanza: Stanza): Promise<void> {
    const { own, report, sock } = this.#options
    const first = typingIn(stanza, own())
    if (!first || this.#seen.available(performance.now()) < 1) return
    this.#seen.take(1)
    const { from = '', participant = from } = stanza.attrs
    const number = await sock.signalRepository.lidMapping.getPNForLID(participant).catch(() => null)
    const seen = typingIn(stanza, own(), number)
    if (seen && !this.#isOver) report(seen)
  }
}
