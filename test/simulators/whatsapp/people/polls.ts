import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import type { Account } from '../accounts/account.ts'
import { type Message, type PollCreationMessage, pollVoteCodec } from '../proto/message.ts'

export function pollIn(message: Message): PollCreationMessage | undefined {
  return message.pollCreationMessage ?? message.pollCreationMessageV3
}

/** A phone keeps the secret of a poll that it shows. */
export function notePoll(
  { inbox }: Account,
  { id, author, isGroup }: { readonly id: string; readonly author: Account; readonly isGroup: boolean },
  message: Message,
): void {
  const { messageSecret: secret } = message.messageContextInfo ?? {}
  if (pollIn(message) && secret) inbox.polls.set(id, { secret, author: author.pn, isGroup })
}

export interface Vote {
  /** The id of the poll. */
  readonly poll: string
  readonly options: readonly string[]
  /** The person encrypts it for another voter, as a client does that wants to vote for others. */
  readonly pretends?: string
}

/**
 * The message of a vote, as WhatsApp's clients encrypt it: HKDF-SHA256 of the secret of the poll gives the key of AES-256-GCM. `server`
 * is that of the addresses in the chat.
 */
export function voteMessage(
  voter: Account,
  author: Account,
  { vote, server, chat }: { readonly vote: Vote; readonly server: string; readonly chat: string },
): Message {
  const poll = voter.inbox.polls.get(vote.poll)
  if (!poll) throw new Error(`The phone shows no poll ${vote.poll}.`)
  const by = vote.pretends ?? voter.jid(server)
  const extracted = createHmac('sha256', Buffer.alloc(32)).update(poll.secret).digest()
  const key = createHmac('sha256', extracted)
    .update(vote.poll + author.jid(server) + by)
    .update('Poll Vote')
    .update(Buffer.of(1))
    .digest()
  const encIv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, encIv)
  cipher.setAAD(Buffer.from(`${vote.poll}\0${by}`))
  const selectedOptions = vote.options.map((option) => createHash('sha256').update(option).digest())
  const plain = pollVoteCodec.encode({ selectedOptions })
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  const pollCreationMessageKey = {
    remoteJid: chat,
    fromMe: author === voter,
    id: vote.poll,
    ...(poll.isGroup && { participant: author.jid(server) }),
  }
  return {
    pollUpdateMessage: { pollCreationMessageKey, vote: { encPayload, encIv }, senderTimestampMs: Date.now() },
  }
}
