import { randomBytes } from 'node:crypto'
import type { Account } from '../accounts/account.ts'
import { deliverMessage } from '../accounts/delivery.ts'
import { groupJid, lidServer } from '../accounts/jid.ts'
import { getAcquainted } from '../messages/acquaintance.ts'
import { type Envelope, sealedFor } from '../messages/envelope.ts'
import type { Group } from '../messages/group.ts'
import type { Message } from '../proto/message.ts'
import { deviceSent } from '../signal/phone.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'
import { notePoll, pollIn } from './polls.ts'
import { read } from './reading.ts'
import { sealFor } from './sealing.ts'

export interface Writing {
  readonly author: Account
  readonly to: Account | Group
  readonly message: Message
  /** Made up if not given. */
  readonly id?: string
  readonly type?: string
  /** The server of the addresses; that of the LIDs if not given. */
  readonly server?: string
  readonly more?: Readonly<Record<string, string>>
}

/** A person writes on the phone: to another, or in a group. Resolves with the id when it is on its way to every device. */
export async function write(whatsapp: WhatsApp, writing: Writing): Promise<string> {
  const { author, to, message } = writing
  const id = writing.id ?? `3A${randomBytes(9).toString('hex').toUpperCase()}`
  const isGroup = !isAccount(to)
  const server = isGroup ? to.server : (writing.server ?? lidServer)
  const type = writing.type ?? typeOf(message)
  notePoll(author, { id, author, isGroup }, message)
  author.inbox.sent.set(id, { message, to: isGroup ? to.id : to.pn, isGroup, server, type })
  const base = { id, type, sender: { account: author, device: 0 }, server, more: writing.more ?? {} }
  await author.inTurn(() =>
    isGroup
      ? writeInGroup(whatsapp, writing, { ...base, group: to })
      : writeTo(whatsapp, { ...writing, to }, to === author ? base : { ...base, recipient: to }),
  )
  whatsapp.waiting.look()
  return id
}

const isAccount = (to: Account | Group): to is Account => 'pn' in to

async function writeTo(
  whatsapp: WhatsApp,
  { author, to, message }: Writing & { readonly to: Account },
  envelope: Envelope,
): Promise<void> {
  getAcquainted(author, to)
  for (const device of to.devices.values()) {
    await sealFor({ whatsapp, author, to, device, envelope, message })
  }
  if (to === author) return
  const copy = deviceSent(to.jid(envelope.server), message)
  for (const device of author.devices.values()) {
    await sealFor({ whatsapp, author, to: author, device, envelope, message: copy })
  }
  hand(whatsapp, to, envelope, message)
}

/** Encrypts once for the whole group, and gives its key to every client. */
async function writeInGroup(
  whatsapp: WhatsApp,
  { author, message }: Writing,
  envelope: Envelope & { readonly group: Group },
): Promise<void> {
  const { group } = envelope
  const { body, distribution } = await author.phone.encryptForGroup(group.id, message)
  const forAll = node('enc', { v: '2', type: 'skmsg' }, body)
  const key = { groupId: groupJid(group.id), axolotlSenderKeyDistributionMessage: distribution }
  for (const member of group.members) {
    for (const device of member.devices.values()) {
      const known = author.inbox.keyHolders.has(`${group.id} ${member.lid} ${device.number}`)
      const to = { whatsapp, author, to: member, device, envelope }
      if (known) {
        handOver(to, [forAll])
        continue
      }
      author.inbox.keyHolders.set(`${group.id} ${member.lid} ${device.number}`, true)
      await sealFor({ ...to, message: { senderKeyDistributionMessage: key }, more: [forAll] })
    }
    if (member !== author) hand(whatsapp, member, envelope, message)
  }
}

type Target = Pick<Parameters<typeof sealFor>[0], 'whatsapp' | 'to' | 'device' | 'envelope'>

function handOver({ whatsapp, to, device, envelope }: Target, content: readonly Node[]): void {
  deliverMessage(whatsapp, to, device, sealedFor(to, envelope, content))
}

/** Phones are all in this process: they show each other's messages without encryption between them. */
function hand(whatsapp: WhatsApp, to: Account, envelope: Envelope, message: Message): void {
  const { id, sender, server, group } = envelope
  notePoll(to, { id, author: sender.account, isGroup: group !== undefined }, message)
  const isNew = to.inbox.take({
    ...read(message, whatsapp.media),
    id,
    from: sender.account.pn,
    device: 0,
    chat: group?.id ?? sender.account.pn,
    isOwn: false,
    addressing: server === lidServer ? 'lid' : 'pn',
    copies: 1,
    at: Date.now(),
  })
  if (isNew)
    sender.account.inbox.takeReceipt(id, { type: 'delivery', from: to.pn, device: 0, at: Date.now() })
}

function typeOf(message: Message): string {
  if (message.reactionMessage) return 'reaction'
  if (pollIn(message) || message.pollUpdateMessage) return 'poll'
  const isText = message.conversation !== undefined || message.extendedTextMessage || message.protocolMessage
  return isText ? 'text' : 'media'
}
