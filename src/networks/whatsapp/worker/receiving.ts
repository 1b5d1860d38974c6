import {
  type BinaryNode,
  decodeMessageNode,
  getBinaryNodeChildren,
  isJidStatusBroadcast,
  NO_MESSAGE_FOUND_ERROR_TEXT,
  type proto,
  type WAMessage,
  type WASocket,
} from 'baileys'
import type { Observation } from '../../driver/observation.ts'
import { type Envelope, networkIdIn, observationOf, undecryptableIn } from '../incoming/incoming-message.ts'
import { MessageTooLarge, messageIn } from './baileys/bounds/messages.ts'
import { Reading } from './baileys/incoming/reading.ts'
import { takeTurns } from './baileys/incoming/turns.ts'

/** Ids of reported messages that are remembered, so that none is reported twice in a row. */
const rememberedIds = 256

/** A message with nothing in it, as it is padded. */
const emptyMessage = Buffer.from([1])

/** A part of a message could not be decrypted, and the message is not stored. */
class Undecryptable extends Error {}

/** Stands for a message that makes no sense. */
const unreadable = { unreadableMessage: {} } as proto.IMessage

export interface ReceivingOptions {
  readonly sock: WASocket
  /** Resolves when there is room for what comes in. */
  readonly room: () => Promise<void>
  /** Until the function is called that this resolves to, keys are not stored, so that no message loses its own before it is stored. */
  readonly hold: () => Promise<() => void>
  /** Resolves when the observation is stored. */
  readonly store: (observation: Observation) => Promise<void>
  /** Notes a message before it is stored, and so before it can be answered. */
  readonly said: (envelope: Envelope, message: proto.IMessage) => Promise<void>
  /** Resolves with the answers that a person votes for with a message; null if it is no vote, or cannot be read. */
  readonly voteIn: (envelope: Envelope, message: proto.IMessage) => Promise<readonly string[] | null>
  /** Resolves with true if a message with this id is stored. */
  readonly isStored: (networkMessageId: string) => Promise<boolean>
  /** Resolves when what was decrypted is durable. */
  readonly flush: () => Promise<void>
  readonly report: (observations: readonly Observation[]) => void
  /** A message came without its text: the library is going to ask the phone for it. */
  readonly withoutText: (id: string) => void
  /** More came than can be held. What was not stored comes again with the next connection. */
  readonly overflowed: () => void
  /** A message was too large to be read. */
  readonly dropped: () => void
}

interface Incoming {
  readonly node: BinaryNode
  /** Encrypted parts that are not decrypted yet. */
  parts: number
  /** Encrypted parts that can be decrypted and have not been tried. */
  untried: number
}

/** The types of encryption that the library decrypts. */
const decryptable = new Set(['pkmsg', 'msg', 'skmsg'])

/**
 * Receives messages through one socket: each is stored before the library confirms it to its sender, and acknowledged to WhatsApp
 * after that. What was not acknowledged comes again with the next connection.
 */
export class Receiving {
  readonly #options: ReceivingOptions
  /** The message that an encrypted part belongs to. */
  readonly #incoming = new WeakMap<Uint8Array, Incoming>()
  readonly #told = new Set<string>()
  readonly #reading: Reading
  #room: Promise<void> | null = null
  /** Messages that had waited at WhatsApp and that the library is not done with. */
  readonly #waited = new Set<BinaryNode>()
  #caughtUp: PromiseWithResolvers<void> | null = null

  constructor(options: ReceivingOptions) {
    this.#options = options
    const { sock } = options
    this.#reading = new Reading(sock.ws, options.overflowed)
    takeTurns(sock, async (node, pass) => {
      await (isUnknown(node) ? this.#cannotRead(node) : pass())
      this.#ended(node)
    })
    sock.ws.on('CB:message', (node: BinaryNode) => this.#note(node))
    sock.ev.on('messages.upsert', ({ messages }) => {
      for (const message of messages) this.#noteUpsert(message)
    })
  }

  /** Resolves when everything that had waited at WhatsApp and came so far is stored. */
  caughtUp(): Promise<void> {
    this.#caughtUp ??= Promise.withResolvers()
    if (this.#waited.size === 0) this.#caughtUp.resolve()
    return this.#caughtUp.promise
  }

  /** Nothing is received any longer. */
  end(): void {
    this.#reading.end()
  }

  /** Decrypts a part of a message, and stores what it says. What this returns is given to the library. */
  async decrypted(ciphertext: Uint8Array, plaintext: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const incoming = this.#incoming.get(ciphertext)
    if (!incoming) return await plaintext()
    if (isStatus(incoming.node)) return await statusPart(plaintext)
    this.#room ??= this.#options.room()
    await this.#room
    const release = await this.#options.hold()
    incoming.untried -= 1
    try {
      const bytes = await this.#read(incoming, plaintext)
      const message = this.#messageIn(bytes)
      if (message) await this.#takeGroupKey(incoming, message)
      await this.#store(incoming, message ?? unreadable)
      release()
      await this.#confirm(incoming)
      return message ? bytes : emptyMessage
    } finally {
      release()
    }
  }

  /**
   * Returns the plaintext of a part; that of an empty message if the part cannot be read because the same message used up
   * its key when it came before. The part before the last has the key to that, so the last one shows if anything is missing.
   */
  async #read({ node, untried }: Incoming, plaintext: () => Promise<Uint8Array>): Promise<Uint8Array> {
    try {
      return await plaintext()
    } catch (error) {
      if (untried > 0) return emptyMessage
      const id = networkIdIn(envelopeOf(this.#decode(node).fullMessage))
      if (id !== null && (await this.#options.isStored(id))) return emptyMessage
      throw new Undecryptable('the message cannot be decrypted', { cause: error })
    }
  }

  /**
   * A part could not be decrypted: its message is told as what it is, and asked for again. The library gets an error after which it
   * acknowledges the message; after any other, it would refuse it.
   */
  async failed(ciphertext: Uint8Array, error: unknown): Promise<unknown> {
    const incoming = this.#incoming.get(ciphertext)
    if (!(error instanceof Undecryptable) || !incoming) return error
    await this.#tellUndecryptable(incoming.node)
    return new Error(NO_MESSAGE_FOUND_ERROR_TEXT)
  }

  /** A message in an encryption that the library does not know, and would refuse. */
  async #cannotRead(node: BinaryNode): Promise<void> {
    this.#room ??= this.#options.room()
    await this.#room
    await this.#tellUndecryptable(node)
    await this.#acknowledge(node)
  }

  async #tellUndecryptable(node: BinaryNode): Promise<void> {
    // The phone repeats nothing of what it tells its clients for themselves.
    if (node.attrs.category === 'peer') return
    const release = await this.#options.hold()
    try {
      const observation = undecryptableIn(envelopeOf(this.#decode(node).fullMessage))
      if (observation) await this.#options.store(observation)
    } finally {
      release()
    }
    // The connection may be gone: then the message comes again.
    await this.#options.sock.sendRetryRequest(node).catch(() => undefined)
  }

  /**
   * Takes the key to a sender's messages in a group. It becomes durable with the message that brought it: a kill must not
   * part them.
   */
  async #takeGroupKey({ node }: Incoming, message: proto.IMessage): Promise<void> {
    const { senderKeyDistributionMessage: item } = message.deviceSentMessage?.message ?? message
    if (!item) return
    const { signalRepository } = this.#options.sock
    const { author } = this.#decode(node)
    // The library takes no notice either of one that makes no sense.
    await signalRepository
      .processSenderKeyDistributionMessage({ authorJid: author, item })
      .catch(() => undefined)
  }

  /** Null for what makes no sense, or too much. */
  #messageIn(bytes: Uint8Array): proto.IMessage | null {
    try {
      return messageIn(bytes)
    } catch (error) {
      if (!(error instanceof MessageTooLarge)) throw error
      this.#options.dropped()
      return null
    }
  }

  async #store({ node }: Incoming, message: proto.IMessage): Promise<void> {
    // No person wrote the messages that the phone sends to its own clients.
    if (message === unreadable && node.attrs.category === 'peer') return
    const { fullMessage } = this.#decode(node)
    const envelope = envelopeOf(fullMessage)
    const inner = message.deviceSentMessage?.message ?? message
    await this.#options.said(envelope, inner)
    this.#tell(fullMessage.key.id ?? '')
    const observation = observationOf(inner, envelope, {
      vote: await this.#options.voteIn(envelope, inner),
    })
    if (observation) await this.#options.store(observation)
  }

  async #confirm(incoming: Incoming): Promise<void> {
    await this.#options.flush()
    incoming.parts -= 1
    if (incoming.parts === 0) void this.#acknowledge(incoming.node)
  }

  /** The library is through with a message. */
  #ended(node: BinaryNode): void {
    this.#reading.release(sizeOf(node))
    this.#waited.delete(node)
    if (this.#waited.size === 0) this.#caughtUp?.resolve()
  }

  #note(node: BinaryNode): void {
    const parts = getBinaryNodeChildren(node, 'enc')
    const untried = parts.filter(({ attrs }) => decryptable.has(attrs.type ?? '')).length
    const incoming: Incoming = { node, parts: parts.length, untried }
    if (parts.length === 0) this.#options.withoutText(node.attrs.id ?? '')
    for (const { content } of parts) if (content instanceof Uint8Array) this.#incoming.set(content, incoming)
    if (node.attrs.offline !== undefined) this.#waited.add(node)
    this.#reading.hold(sizeOf(node))
    // One status that cannot be read must not stall everything behind it.
    if (isStatus(node)) void this.#acknowledge(node)
  }

  /** Reports a message that the library found in another way, for example one that the phone sent once more. */
  #noteUpsert(message: WAMessage): void {
    const id = message.key.id ?? ''
    if (this.#told.has(id) || !message.message) return
    const observation = observationOf(message.message, envelopeOf(message))
    if (observation) this.#options.report([observation])
  }

  #tell(id: string): void {
    this.#told.add(id)
    for (const oldest of this.#told) {
      if (this.#told.size <= rememberedIds) break
      this.#told.delete(oldest)
    }
  }

  #decode(node: BinaryNode): ReturnType<typeof decodeMessageNode> {
    const { lid = '', id = '' } = this.#options.sock.authState.creds.me ?? {}
    return decodeMessageNode(node, id, lid)
  }

  async #acknowledge(node: BinaryNode): Promise<void> {
    try {
      await this.#options.sock.sendMessageAck(node)
    } catch {
      // The connection is gone: the message comes again, and is recognized by its id.
    }
  }
}

/**
 * Returns true if all of a message is encrypted in a way that the library does not know. It leaves out the messages of bots
 * itself.
 */
function isUnknown(node: BinaryNode): boolean {
  const types = getBinaryNodeChildren(node, 'enc').map(({ attrs }) => attrs.type ?? '')
  const isOfOthers = types.some((type) => decryptable.has(type) || type === 'msmsg')
  return types.length > 0 && !isOfOthers && !isStatus(node)
}

/** Returns the size of a message's encrypted parts, in bytes. */
function sizeOf(node: BinaryNode): number {
  const parts = getBinaryNodeChildren(node, 'enc')
  return parts.reduce((sum, { content }) => sum + (content instanceof Uint8Array ? content.length : 0), 0)
}

function isStatus(node: BinaryNode): boolean {
  return isJidStatusBroadcast(node.attrs.from ?? '') === true
}

/** A part of a status: what it says is dropped, and that it cannot be read means nothing. */
async function statusPart(plaintext: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await plaintext()
  } catch {
    return emptyMessage
  }
}

function envelopeOf({ key, messageTimestamp, pushName }: WAMessage): Envelope {
  const username = key.participantUsername ?? key.remoteJidUsername
  return {
    id: key.id ?? '',
    chat: key.remoteJid ?? '',
    chat_alt: key.remoteJidAlt ?? null,
    sender: key.participant ?? null,
    sender_alt: key.participantAlt ?? null,
    from_me: key.fromMe === true,
    timestamp: Number(messageTimestamp ?? 0),
    ...(pushName && { name: pushName }),
    ...(username && { username }),
  }
}
