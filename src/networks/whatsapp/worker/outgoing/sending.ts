import {
  type BinaryNode,
  type GroupMetadata,
  getBinaryNodeChild,
  isJidGroup,
  isLidUser,
  jidNormalizedUser,
  type NewChatMessageCapInfo,
  proto,
  type WASocket,
} from 'baileys'
import { type Deadline, setDeadline } from '../../../../runtime/timers/deadline.ts'
import type { ContactKnown } from '../../../driver/observation.ts'
import type { WhatsAppContent } from '../../content/fields.ts'
import type { SendingResult, ToSend } from '../../processes/worker-protocol.ts'
import { ackErrors } from '../../sending/ack-errors.ts'
import { isTimeout, refusalOf } from '../baileys/acknowledgements.ts'
import type { Departures } from '../baileys/departures.ts'
import type { DeviceCache } from '../baileys/device-cache.ts'
import { userOf } from '../baileys/signal.ts'
import { Cache } from '../cache.ts'
import type { Keys } from '../keys.ts'
import type { Expirations } from './expirations.ts'
import { formed } from './form.ts'
import { announcementOf, type ChatPlace, editedKey, editFile, place } from './place.ts'
import type { Polls } from './polls.ts'
import { DeviceReach, type Reached } from './reach.ts'
import { type Recipient, Recipients } from './recipients.ts'
import type { DeviceSessions } from './sessions.ts'

/** Milliseconds that WhatsApp may take to acknowledge a message. */
const acknowledgementTime = 20_000

/** For how long a message can be encrypted again for a device that could not read it, in milliseconds. */
const keptFor = 14 * 24 * 60 * 60 * 1000

/** For how long after a message was sent clients accept an edit of it, in milliseconds: `EditWindow` of whatsmeow. */
const editWindow = 20 * 60 * 1000

/** The type under which messages are stored that were sent. */
const sentType = 'sent'

/** Recipients that are remembered. */
const rememberedRecipients = 1_000

/** For how long the devices of a recipient are not asked for again after WhatsApp said that one is missing, in milliseconds. */
const renewalPause = 5 * 60 * 1000

/** Times that a message is prepared for a group which a member leaves each time before it is encrypted. */
const maxPreparations = 3

/** WhatsApp told that a member has left while a message was prepared, whose key that member may still have. */
class MemberLeft extends Error {}

export interface SendingOptions {
  readonly sock: WASocket
  readonly keys: Keys
  /** Milliseconds that WhatsApp may take to acknowledge a message. */
  readonly ackTimeoutMs?: number
  /** Milliseconds after which clients accept no edit of a message. */
  readonly maxEditAgeMs?: number
  /** Rejects with the error of WhatsApp if the account may not see the group. */
  readonly groupOf: (group: string) => Promise<GroupMetadata>
  readonly devices: DeviceCache
  readonly sessions: DeviceSessions
  readonly expirations: Expirations
  readonly polls: Polls
  readonly departures: Departures
  /** Forgets the members of these groups, and the devices of these people. */
  readonly forget: (...jids: readonly string[]) => void
  readonly report: (contact: ContactKnown) => void
  readonly reportNewChats: (info: NewChatMessageCapInfo) => void
}

/** Sends messages through one socket. */
export class MessageSender {
  readonly #options: SendingOptions
  readonly #reach: DeviceReach
  readonly #recipients: Recipients
  /** Those that wait for their acknowledgement, by their id at WhatsApp. */
  readonly #waiting = new Map<string, (answer: Answer) => void>()
  /** Number of encryptions for each user that something is being sent to. */
  readonly #encrypted = new Map<string, number>()
  /** Groups that a message is being prepared for: true if a member has left meanwhile. */
  readonly #preparing = new Map<string, boolean>()
  /** Settles when nothing is being sent to the user. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Of whom the devices were asked for again because one was missing. */
  readonly #renewed = new Cache(rememberedRecipients, renewalPause)

  constructor(options: SendingOptions) {
    this.#options = options
    this.#reach = new DeviceReach(options)
    this.#recipients = new Recipients(options)
    options.sock.ws.on('CB:notification,type:w:gp2', (node: BinaryNode) => this.#groupChanged(node))
  }

  async send(toSend: ToSend): Promise<SendingResult> {
    const { id, jid, content } = toSend
    const before = content ? undefined : await this.#sent(id)
    if (!content && !before) return { kind: 'forgotten' }
    try {
      const to = await this.#recipients.of(jid)
      if (!to) return { kind: 'no_account' }
      const message = content ? await this.#formed(to, content) : before?.message
      if (message === 'late') return { kind: 'too_late' }
      return await this.#inTurn(userOf(to.jid), () => this.#handOver(to, id, message ?? {}))
    } catch (error) {
      return notSent(error, jid)
    }
  }

  /** As it is sent in every attempt; `late` if clients of WhatsApp would not show it any longer. */
  async #formed(to: Recipient, content: WhatsAppContent): Promise<proto.IMessage | 'late'> {
    const message = formed(content, await this.#expirationOf(to))
    place(message, await this.#placeOf(to.jid))
    const edited = editedKey(message)?.id
    const target = edited ? await this.#sent(edited) : undefined
    const { maxEditAgeMs = editWindow } = this.#options
    if (target && Date.now() > target.at + maxEditAgeMs) return 'late'
    if (target) editFile(message, target.message)
    return message
  }

  async #placeOf(jid: string): Promise<ChatPlace> {
    const { sock, groupOf } = this.#options
    const { id = '', lid } = sock.authState.creds.me ?? {}
    const isGroup = isJidGroup(jid) === true
    const group = isGroup ? await groupOf(jid) : null
    const isByNumber = group ? group.addressingMode === 'pn' : !isLidUser(jid)
    const own = jidNormalizedUser(isByNumber || lid === undefined ? id : lid)
    // In a chat of two, each other name is the other's.
    const nameOf = (name: string) => (group ? nameIn(group, name) : userOf(name) === userOf(own) ? own : jid)
    return { chat: jid, isGroup, own, nameOf }
  }

  /** A person gets one message at a time, by whichever of their addresses. */
  async #inTurn(user: string, work: () => Promise<SendingResult>): Promise<SendingResult> {
    const turn = (this.#turns.get(user) ?? Promise.resolve()).then(work, work)
    this.#turns.set(user, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(user) === turn) this.#turns.delete(user)
    }
  }

  async #handOver(to: Recipient, id: string, message: proto.IMessage): Promise<SendingResult> {
    const sent = await this.#attempt(to, id, message)
    if (sent.kind !== 'refused') return sent
    switch (sent.code) {
      case ackErrors.malformed:
      case ackErrors.staleGroup:
        // The devices of the recipient, or the group, may have changed without our being told.
        await this.#forget(to.jid)
        return await this.#attempt(to, id, message)
      case ackErrors.restricted:
        return { ...sent, timeLock: await this.#isTimeLocked() }
      case ackErrors.newChatsCapped:
        await this.#tellNewChats()
        return sent
      case ackErrors.forbidden:
        if (isJidGroup(to.jid)) this.#options.forget(to.jid)
        return sent
      default:
        return sent
    }
  }

  async #attempt(to: Recipient, id: string, message: proto.IMessage): Promise<SendingResult> {
    const user = userOf(to.jid)
    try {
      for (let preparations = 1; preparations <= maxPreparations; preparations += 1) {
        this.#preparing.set(user, false)
        const sent = await this.#prepareAndRelay(to, id, message)
        if (sent) return sent
      }
      return { kind: 'not_sent', detail: 'Members kept leaving the group.' }
    } finally {
      this.#preparing.delete(user)
    }
  }

  /** Resolves with nothing if a member left the group meanwhile, and the message was not sent. */
  async #prepareAndRelay(
    to: Recipient,
    id: string,
    message: proto.IMessage,
  ): Promise<SendingResult | undefined> {
    let reached: Reached
    try {
      reached = await this.#reach.prepare(to.jid)
    } catch (error) {
      return notSent(error, to.jid)
    }
    if (!reached.isReachable) return { kind: 'no_devices' }
    const now = Date.now()
    const kept: Kept = { to: userOf(to.jid), at: now, message: proto.Message.encode(message).finish() }
    this.#options.keys.put({ [sentType]: { [id]: kept } }, now + keptFor)
    this.#options.polls.keep(id, message)
    try {
      return await this.#relay(to, id, message, reached)
    } catch (error) {
      if (error instanceof MemberLeft) return undefined
      throw error
    }
  }

  #groupChanged(node: BinaryNode): void {
    const group = userOf(node.attrs.from ?? '')
    const isLeft = ['remove', 'leave'].some((tag) => getBinaryNodeChild(node, tag) !== undefined)
    if (isLeft && this.#preparing.has(group)) this.#preparing.set(group, true)
  }

  /** A device did not get a message, but the phone did. The next one goes to all that there are then. */
  async #renew(jid: string): Promise<void> {
    if (this.#renewed.get(jid)) return
    this.#renewed.set(jid, true)
    await this.#forget(jid)
  }

  async #forget(jid: string): Promise<void> {
    const { sock, forget, groupOf } = this.#options
    const { id = '', lid = '' } = sock.authState.creds.me ?? {}
    const group = isJidGroup(jid) ? await groupOf(jid).catch(() => null) : null
    forget(jid, id, lid, ...(group?.participants.map((member) => member.id) ?? []))
  }

  /** Something was encrypted for this user or group. Throws if it must not leave, because a member left while it was prepared. */
  encrypted(user: string): void {
    if (this.#preparing.get(user)) throw new MemberLeft()
    const count = this.#encrypted.get(user)
    if (count !== undefined) this.#encrypted.set(user, count + 1)
  }

  /** Takes WhatsApp's answer to a message. Returns false if the answer is no longer awaited. */
  acknowledged(id: string, answer: Answer): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.(answer)
    return waiting !== undefined
  }

  /** Returns the message that was sent with this id; undefined if it is not known any longer. */
  async #sent(id: string): Promise<(Omit<Kept, 'message'> & { message: proto.IMessage }) | undefined> {
    const kept = (await this.#options.keys.read(sentType, [id])).get(id) as Kept | undefined
    return kept && { ...kept, message: proto.Message.decode(kept.message) }
  }

  /**
   * Returns the message that was sent with this id in this conversation; undefined if there was none, or it is not known any
   * longer. A request for a message again names it: a message for another person must go neither to the asking one nor to a
   * group of theirs.
   */
  async sentIn(conversation: string, id: string): Promise<proto.IMessage | undefined> {
    const sent = await this.#sent(id)
    if (!sent) return undefined
    const user = userOf(conversation)
    const lid = user === sent.to ? null : await this.#recipients.storedLidOf(conversation)
    return user === sent.to || (lid !== null && userOf(lid) === sent.to) ? sent.message : undefined
  }

  /** After how many seconds a message disappears there; 0 if it stays. */
  async #expirationOf({ jid, number }: Recipient): Promise<number> {
    const { groupOf, expirations } = this.#options
    if (isJidGroup(jid)) return (await groupOf(jid)).ephemeralDuration ?? 0
    return await expirations.of(jid, ...(number === null ? [] : [number]))
  }

  async #relay(
    to: Recipient,
    id: string,
    message: proto.IMessage,
    { hash }: Reached,
  ): Promise<SendingResult> {
    const answer = Promise.withResolvers<Answer | 'late'>()
    const user = userOf(to.jid)
    const before = this.#encrypted.get(user) ?? 0
    this.#encrypted.set(user, before)
    this.#waiting.set(id, answer.resolve)
    let late: Deadline | undefined
    try {
      const { attributes, nodes } = announcementOf(message)
      const additionalAttributes = {
        ...attributes,
        ...(to.number !== null && { peer_recipient_pn: to.number }),
        ...(isJidGroup(to.jid) && { phash: hash }),
      }
      await this.#options.sock.relayMessage(to.jid, message, {
        messageId: id,
        additionalAttributes,
        ...(nodes.length > 0 && { additionalNodes: nodes }),
      })
      if (this.#encrypted.get(user) === before) return { kind: 'no_devices' }
      // To encrypt it for a large group, and to store the keys of that, may take longer than this.
      await this.#options.departures.left()
      late = setDeadline(this.#options.ackTimeoutMs ?? acknowledgementTime, () => answer.resolve('late'))
      const answered = await answer.promise
      if (answered === 'late')
        return { kind: 'unanswered', detail: 'WhatsApp did not acknowledge it in time.', isLate: true }
      const { error, listHash } = answered
      if (error !== null) return { kind: 'refused', code: error, timeLock: null }
      if (listHash !== null && listHash !== hash) await this.#renew(to.jid)
      return { kind: 'acknowledged' }
    } catch (error) {
      if (error instanceof MemberLeft) throw error
      if (this.#encrypted.get(user) === before) return notSent(error, to.jid)
      return { kind: 'unanswered', detail: detailOf(error), isLate: false }
    } finally {
      late?.cancel()
      this.#waiting.delete(id)
      this.#encrypted.delete(user)
    }
  }

  /** Tells the number of new chats that the account may begin, if WhatsApp says it. */
  async #tellNewChats(): Promise<void> {
    try {
      this.#options.reportNewChats(await this.#options.sock.fetchNewChatMessageCap())
    } catch {
      // The message is refused all the same.
    }
  }

  /** Resolves with true if the account may not begin new chats now; null if WhatsApp does not say. */
  async #isTimeLocked(): Promise<boolean | null> {
    try {
      return (await this.#options.sock.fetchAccountReachoutTimelock()).isActive === true
    } catch {
      return null
    }
  }
}

/** WhatsApp's answer to a message. */
interface Answer {
  /** Null if it took the message. */
  readonly error: number | null
  /** The hash of the devices that should get it, if WhatsApp says it: which it does if those that got it are others. */
  readonly listHash: string | null
}

/** A message that was sent, as it is kept. */
interface Kept {
  /** The user or the group that it was sent to, as the address names it. */
  readonly to: string
  /** When it was last handed to the socket, in milliseconds since the epoch. */
  readonly at: number
  readonly message: Uint8Array
}

/** A person as the members of a group are named. */
function nameIn({ participants }: GroupMetadata, jid: string): string {
  const user = userOf(jid)
  const member = participants.find(({ id, lid, phoneNumber }) =>
    [id, lid, phoneNumber].some((each) => each !== undefined && userOf(each) === user),
  )
  return member ? jidNormalizedUser(member.id) : jid
}

/** Nothing was sent, and WhatsApp may have said why. */
function notSent(error: unknown, jid: string): SendingResult {
  const code = refusalOf(error)
  const saysWhy = code !== null && (code === ackErrors.rateLimited || code >= 500)
  const isOutside = isJidGroup(jid) && (code === ackErrors.forbidden || code === ackErrors.notFound)
  if (saysWhy || isOutside) return { kind: 'refused', code, timeLock: null }
  return { kind: 'not_sent', detail: detailOf(error) }
}

function detailOf(error: unknown): string {
  if (isTimeout(error)) return 'WhatsApp did not answer in time.'
  return error instanceof Error ? error.message : 'The library failed.'
}
