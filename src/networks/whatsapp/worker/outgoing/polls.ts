import { createDecipheriv, createHash, hkdfSync } from 'node:crypto'
import { type Contact, jidNormalizedUser, normalizeMessageContent, proto } from 'baileys'
import { type Envelope, isMessageId } from '../../incoming/incoming-message.ts'
import { answersIn } from '../../incoming/received-content.ts'
import { decodeBounded } from '../baileys/bounds/decoding.ts'
import type { Keys } from '../keys.ts'

/*
 * Votes are encrypted with the secret of their poll, which only those who got the poll know: HKDF-SHA256 of the secret, with
 * the id of the poll, its author, the voter and `Poll Vote`, gives the key of AES-256-GCM, which authenticates the id and the
 * voter. A vote lists the SHA-256 of each answer. Sources: `decryptPollVote` of Baileys, and msgsecret.go of whatsmeow.
 */

/** The type under which the account's own polls are stored. */
const pollType = 'poll'

/** For how long the votes of a poll can be read, in milliseconds. */
const readableFor = 90 * 24 * 60 * 60 * 1000

const secretBytes = 32
const ivBytes = 12
const tagBytes = 16

/** The longest vote, in bytes as it is encrypted: for each of twelve answers, a digest takes 34. */
const longestVote = 2048

/** Tags and lengths of a vote. */
const maxElements = 200

/** A poll, as it is kept. */
interface KeptPoll {
  readonly secret: Uint8Array
  readonly answers: readonly string[]
}

/**
 * Reads the votes in the polls of the account. Each of these is kept with its secret, as messages that were sent are: for a time, and
 * not at the cost of other keys. Polls of other people are not kept, so that none of them can fill the store.
 */
export class Polls {
  readonly #keys: Keys
  readonly #me: () => Contact | undefined

  /** `me`: the account, by both of its addresses. */
  constructor(keys: Keys, me: () => Contact | undefined) {
    this.#keys = keys
    this.#me = me
  }

  /** Keeps a message that the account sends, if it is a poll. */
  keep(id: string, message: proto.IMessage): void {
    const poll = pollIn(message)
    const secret = message.messageContextInfo?.messageSecret
    if (!poll || secret?.length !== secretBytes) return
    const kept: KeptPoll = { secret: Uint8Array.from(secret), answers: answersIn({ ...poll }) }
    this.#keys.put({ [pollType]: { [id]: kept } }, Date.now() + readableFor)
  }

  /** Notes a message of a person, or of the own phone. */
  note({ id, from_me }: Envelope, message: proto.IMessage): void {
    if (from_me && isMessageId(id)) this.keep(id, message)
  }

  /** Resolves with the answers that a person votes for; null if the message is no vote in a poll that is known. */
  async voteIn(envelope: Envelope, message: proto.IMessage): Promise<readonly string[] | null> {
    const { pollCreationMessageKey: key, vote } = normalizeMessageContent(message)?.pollUpdateMessage ?? {}
    const id = key?.id ?? ''
    if (!vote?.encPayload || !vote.encIv || !isMessageId(id)) return null
    const poll = (await this.#keys.read(pollType, [id])).get(id) as KeptPoll | undefined
    if (!poll) return null
    const own = addressesOf([this.#me()?.id, this.#me()?.lid])
    const { chat, chat_alt, sender, sender_alt, from_me } = envelope
    const voters = from_me ? own : addressesOf(sender === null ? [chat, chat_alt] : [sender, sender_alt])
    // Either side may have meant either address of the other.
    for (const author of own)
      for (const voter of voters) {
        const digests = decrypted(vote, { ...poll, id, author, voter })
        if (digests) return poll.answers.filter((answer) => digests.has(digestOf(answer)))
      }
    return null
  }
}

function pollIn(message: proto.IMessage) {
  const content = normalizeMessageContent(message)
  const { pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3, pollCreationMessageV5 } =
    content ?? {}
  return pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3 ?? pollCreationMessageV5
}

function addressesOf(jids: readonly (string | null | undefined)[]): string[] {
  return jids.flatMap((jid) => (jid ? jidNormalizedUser(jid) : [])).filter((jid) => jid !== '')
}

interface Votes {
  readonly secret: Uint8Array
  readonly id: string
  readonly author: string
  readonly voter: string
}

/** The digests of the chosen answers; null if the vote is not of this voter, or makes no sense. */
function decrypted(
  { encPayload, encIv }: proto.Message.IPollEncValue,
  { secret, id, author, voter }: Votes,
): ReadonlySet<string> | null {
  if (!encPayload || encIv?.length !== ivBytes) return null
  if (encPayload.length <= tagBytes - 1 || encPayload.length > longestVote) return null
  const key = hkdfSync('sha256', secret, new Uint8Array(), `${id}${author}${voter}Poll Vote`, 32)
  const end = encPayload.length - tagBytes
  try {
    const decipher = createDecipheriv('aes-256-gcm', new Uint8Array(key), encIv, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(`${id}\0${voter}`)).setAuthTag(encPayload.subarray(end))
    const plain = Buffer.concat([decipher.update(encPayload.subarray(0, end)), decipher.final()])
    const { selectedOptions } = decodeBounded(proto.Message.PollVoteMessage, plain, maxElements)
    return new Set(selectedOptions.map((digest) => Buffer.from(digest).toString('hex')))
  } catch {
    return null
  }
}

function digestOf(answer: string): string {
  return createHash('sha256').update(answer).digest('hex')
}
