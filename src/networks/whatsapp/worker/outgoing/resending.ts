import {
  areJidsSameUser,
  type BinaryNode,
  extractE2ESessionFromRetryReceipt,
  type GroupMetadata,
  getBinaryNodeChild,
  getBinaryNodeChildUInt,
  isJidGroup,
  isLidUser,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  type proto,
  type WASocket,
} from 'baileys'
import { refusalOf } from '../baileys/acknowledgements.ts'
import type { DeviceCache } from '../baileys/device-cache.ts'
import { givenAlone } from '../baileys/sender-keys.ts'
import { userOf } from '../baileys/signal.ts'
import { Cache } from '../cache.ts'
import type { Keys } from '../keys.ts'
import { announcementOf } from './place.ts'
import type { DeviceSessions } from './sessions.ts'

const minute = 60_000
const hour = 60 * minute

/** Times that a device gets the same message again. Those of WhatsApp ask five times. */
const maxTimes = 5

/** Messages that all devices of one user get again in an hour. */
const maxInAnHour = 1_000

/** Waiting requests of one user, and of all: each is a stanza in memory. */
const maxWaitingOfOne = 200
const maxWaiting = 2_000

/** Messages and users that are counted. */
const counted = 2_000

/** For how long another session is not begun with the same device because it asks, in milliseconds: as whatsmeow has it. */
const sessionPause = hour

/** Milliseconds before a group is asked for again because a device asks that is not known as a member's. */
const groupPause = 5 * minute

export interface ResendingOptions {
  readonly sock: WASocket
  readonly keys: Keys
  readonly devices: DeviceCache
  readonly sessions: DeviceSessions
  /** Returns the message that was sent with this id in this conversation. */
  readonly sentIn: (conversation: string, id: string) => Promise<proto.IMessage | undefined>
  /** As WhatsApp says now, if it is `fresh`. */
  readonly groupOf: (group: string, fresh: boolean) => Promise<GroupMetadata>
}

/** A device that could not read a message, and asks for it. */
interface Request {
  readonly node: BinaryNode
  readonly id: string
  /** The device that asks. */
  readonly jid: string
  readonly isOwn: boolean
  readonly conversation: string
  /** Number of times that it has asked, as it says. */
  readonly count: number
}

/**
 * Sends messages again to devices that could not read them, and to no other: the library sends them to everybody if a phone asks. The requests of a user are
 * answered one after the other.
 */
export class Resending {
  readonly #options: ResendingOptions
  readonly #times = new Cache(counted, hour)
  readonly #askers = new Cache(counted, hour)
  readonly #renewed = new Cache(counted, sessionPause)
  readonly #refetched = new Cache(counted, groupPause)
  /** Settles when nothing is being sent again to the user, who has so many requests waiting. */
  readonly #turns = new Map<string, { last: Promise<unknown>; waiting: number }>()
  #waiting = 0

  constructor(options: ResendingOptions) {
    this.#options = options
  }

  /** Answers a retry receipt. False if too many are waiting: then it should come again later. Rejects if it could not be answered. */
  async answer(node: BinaryNode): Promise<boolean> {
    const request = this.#requestOf(node)
    const user = userOf(request.jid)
    const turn = this.#turns.get(user) ?? { last: Promise.resolve(), waiting: 0 }
    if (this.#waiting >= maxWaiting || turn.waiting >= maxWaitingOfOne) return false
    this.#turns.set(user, turn)
    this.#waiting += 1
    turn.waiting += 1
    const answered = turn.last.then(() => this.#resend(request))
    turn.last = answered.catch(() => undefined)
    try {
      await answered
    } finally {
      this.#waiting -= 1
      turn.waiting -= 1
      if (turn.waiting === 0) this.#turns.delete(user)
    }
    return true
  }

  #requestOf(node: BinaryNode): Request {
    const { id = '', from = '', participant, recipient } = node.attrs
    const jid = participant ?? from
    const me = this.#options.sock.authState.creds.me
    const isOwn = areJidsSameUser(jid, me?.id) || areJidsSameUser(jid, me?.lid)
    const conversation = isJidGroup(from) ? from : jidNormalizedUser(isOwn ? (recipient ?? from) : from)
    const count = Number(getBinaryNodeChild(node, 'retry')?.attrs.count)
    return { node, id, jid, isOwn, conversation, count: Number.isSafeInteger(count) && count > 0 ? count : 1 }
  }

  async #resend(request: Request): Promise<void> {
    const { id, jid, conversation, count, isOwn } = request
    const message = await this.#options.sentIn(conversation, id)
    if (!message || !this.#mayHave(request)) return
    const member = await this.#memberOf(request)
    if (member === null || !(await this.#hasSession(request))) return
    const { sock, devices } = this.#options
    if (isJidGroup(conversation)) {
      await givenAlone(sock, conversation, member)
      const { user = '', device = 0 } = jidDecode(jid) ?? {}
      const isListed = devices
        .listed([user])
        .some((each) => each.user === user && (each.device ?? 0) === device)
      if (!isListed) devices.del(user)
    }
    // The library says it for phone numbers only.
    const own = isOwn && isLidUser(jid) && !isJidGroup(conversation) ? { recipient: conversation } : {}
    await sock.relayMessage(conversation, message, {
      messageId: id,
      participant: { jid, count },
      additionalAttributes: { ...announcementOf(message).attributes, ...own },
    })
  }

  /** True if the device did not get too much again already. */
  #mayHave({ id, jid }: Request): boolean {
    const times = tally(this.#times, `${id} ${jid}`)
    const inAnHour = tally(this.#askers, userOf(jid))
    if (times.count >= maxTimes || inAnHour.count >= maxInAnHour) return false
    times.count += 1
    inAnHour.count += 1
    return true
  }

  /**
   * Returns the device that asks, by the address that the conversation has for it. Null if it is not of the group: a message to a group goes
   * with the key to it, and a former member must not get that.
   */
  async #memberOf({ jid, isOwn, conversation }: Request): Promise<string | null> {
    if (!isJidGroup(conversation)) return jid
    const known = await this.#findIn(conversation, jid, false)
    if (isOwn) return known ?? jid
    const name = `${conversation} ${userOf(jid)}`
    if (known !== null || this.#refetched.get(name)) return known
    this.#refetched.set(name, true)
    return await this.#findIn(conversation, jid, true)
  }

  async #findIn(group: string, jid: string, fresh: boolean): Promise<string | null> {
    try {
      const { participants } = await this.#options.groupOf(group, fresh)
      const user = userOf(jid)
      const found = participants.find(({ id, lid, phoneNumber }) =>
        [id, lid, phoneNumber].some((each) => each !== undefined && userOf(each) === user),
      )
      const member = jidDecode(found?.id)
      return member ? jidEncode(member.user, member.server, jidDecode(jid)?.device) : null
    } catch (error) {
      // The account is not in it itself any longer.
      if (refusalOf(error) !== null) return null
      throw error
    }
  }

  /**
   * Resolves with true if there is a session that the device can read. It sends keys for another one when it could not read
   * a message twice; without them, another one is begun as WhatsApp Web and whatsmeow do it: if it was set up anew, or asks
   * once more.
   */
  async #hasSession({ node, jid, count }: Request): Promise<boolean> {
    const { sock, sessions } = this.#options
    const given = extractE2ESessionFromRetryReceipt(node)
    const session = await sock.signalRepository.getSessionInfo(jid)
    const registration = getBinaryNodeChildUInt(node, 'registration', 4)
    const isSame = session !== null && (registration === undefined || session.registrationId === registration)
    const isDue = count > 1 && !this.#renewed.get(jid)
    if (given === null && isSame && !isDue) return true
    this.#renewed.set(jid, true)
    return (await sessions.renew(jid, given)) || isSame
  }
}

interface Tally {
  count: number
}

/** Counts an event since it first happened, as long as the cache keeps it. */
function tally(cache: Cache, name: string): Tally {
  const known = cache.get<Tally>(name)
  if (known) return known
  const begun: Tally = { count: 0 }
  cache.set(name, begun)
  return begun
}
