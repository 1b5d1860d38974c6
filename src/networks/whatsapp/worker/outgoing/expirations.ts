import { getContentType, isJidGroup, isLidUser, isPnUser, normalizeMessageContent, proto } from 'baileys'
import type { Envelope } from '../../incoming/incoming-message.ts'
import { userOf } from '../baileys/signal.ts'
import { Cache } from '../cache.ts'
import type { Keys } from '../keys.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

/** The type under which the settings of chats are stored. */
const settingType = 'chat-expiration'

/** For how long the setting of a chat is remembered in which nothing is said, in milliseconds: as long as messages last at most. */
const rememberedFor = 90 * day

/** Chats that are looked at without asking the store, and the milliseconds for which they are. */
const maxChats = 1_000
const lookedAtFor = hour

/** The longest that a message may last, in seconds: four times what WhatsApp offers. */
const longest = 365 * 24 * 60 * 60

/** The last setting of a chat. */
interface Setting {
  /** After how many seconds messages disappear; 0 if they stay. */
  readonly expiration: number
  /** When it was said, in seconds since the epoch; 0 if it never was. */
  readonly since: number
}

const unknown: Setting = { expiration: 0, since: 0 }

/** After how long messages disappear in each chat, as its messages say. (A group tells it to who asks for its members.) */
export class Expirations {
  readonly #keys: Keys
  readonly #known = new Cache(maxChats, lookedAtFor)

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** Notes a message of a person or of the own phone. */
  async note({ chat, chat_alt, timestamp }: Envelope, message: proto.IMessage): Promise<void> {
    if (isJidGroup(chat)) return
    const expiration = expirationIn(message)
    if (expiration === null) return
    for (const jid of [chat, chat_alt])
      if (jid !== null && (isLidUser(jid) || isPnUser(jid)))
        await this.#set(userOf(jid), expiration, timestamp)
  }

  /** Remembers an earlier setting, in seconds, and its time, in seconds since the epoch. */
  async remember(jid: string, expiration: number, since: number): Promise<void> {
    if (expiration <= longest) await this.#set(userOf(jid), expiration, since)
  }

  /** In seconds, or 0. The user may have two addresses. */
  async of(...jids: readonly string[]): Promise<number> {
    const settings = await Promise.all(jids.map((jid) => this.#get(userOf(jid))))
    return settings.reduce((last, each) => (each.since > last.since ? each : last), unknown).expiration
  }

  async #set(user: string, expiration: number, since: number): Promise<void> {
    const before = await this.#get(user)
    if (since < before.since || (before === unknown && expiration === 0)) return
    const setting: Setting = { expiration, since }
    this.#known.set(user, setting)
    // That it was said once more need not be stored.
    if (expiration !== before.expiration || since - before.since > day / 1000)
      this.#keys.put({ [settingType]: { [user]: setting } }, Date.now() + rememberedFor)
  }

  async #get(user: string): Promise<Setting> {
    const known = this.#known.get<Setting>(user)
    if (known) return known
    const stored = (await this.#keys.read(settingType, [user])).get(user) as Setting | undefined
    const setting = stored ?? unknown
    this.#known.set(user, setting)
    return setting
  }
}

/**
 * After how many seconds the messages of the chat disappear, as a message says: every message of such a chat does, in its context, and one without stays. Null
 * if it says nothing of that, as those that have no context.
 */
export function expirationIn(message: proto.IMessage): number | null {
  const content = normalizeMessageContent(message)
  const { protocolMessage } = content ?? {}
  if (protocolMessage)
    return protocolMessage.type === proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING
      ? bounded(protocolMessage.ephemeralExpiration)
      : null
  const type = getContentType(content)
  if (!content || type === undefined) return null
  const said: unknown = content[type]
  if (typeof said === 'string') return 0
  if (typeof said !== 'object' || said === null || !('contextInfo' in said)) return null
  return bounded((said.contextInfo as proto.IContextInfo | null | undefined)?.expiration)
}

function bounded(seconds: number | null | undefined): number | null {
  return (seconds ?? 0) <= longest ? (seconds ?? 0) : null
}
