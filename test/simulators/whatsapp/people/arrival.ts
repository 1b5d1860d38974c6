import type { Account } from '../accounts/account.ts'
import { asBytes } from '../accounts/device.ts'
import { lidServer } from '../accounts/jid.ts'
import type { Envelope, Sender } from '../messages/envelope.ts'
import { forward } from '../messages/receipts.ts'
import type { Message } from '../proto/message.ts'
import type { Deciphered } from '../signal/phone.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { bytes, type Node, node } from '../wire/node.ts'
import { type Received, whenBack } from './inbox.ts'
import { notePoll } from './polls.ts'
import { read, unwrapped } from './reading.ts'
import { targetOf } from './showing.ts'

/** A message comes to a phone, which decrypts it, shows it and sends its receipt; later, if it is switched off. */
export async function arrive(
  whatsapp: WhatsApp,
  account: Account,
  envelope: Envelope,
  content: readonly Node[],
): Promise<void> {
  const act = () => account.inTurn(() => takeIn(whatsapp, account, envelope, content))
  if (!account.traits.isAway) {
    await act()
    return
  }
  whenBack(account.inbox, () => void act())
}

async function takeIn(
  whatsapp: WhatsApp,
  account: Account,
  envelope: Envelope,
  content: readonly Node[],
): Promise<void> {
  const { inbox } = account
  const { id, sender } = envelope
  const opened = await decipher(account, envelope, content)
  if (opened.isFailed) {
    // A phone asks for nothing that it shows already.
    if (!inbox.find(sender.account.pn, id)) askAgain(whatsapp, account, envelope)
    whatsapp.waiting.look()
    return
  }
  if (opened.message) show(whatsapp, account, envelope, opened.message)
  else if (opened.isDuplicate) inbox.countAgain(sender.account.pn, id)
  sendReceipt(whatsapp, account, envelope)
  whatsapp.waiting.look()
}

interface Opened {
  message?: Message
  isFailed: boolean
  isDuplicate: boolean
}

/** Decrypts every part of a message; keys to a group come before what they open. */
async function decipher(account: Account, envelope: Envelope, content: readonly Node[]): Promise<Opened> {
  const opened: Opened = { isFailed: false, isDuplicate: false }
  for (const part of content.filter(({ tag }) => tag === 'enc')) {
    try {
      const deciphered = await open(account, envelope, part)
      if (deciphered.kind === 'read') {
        await takeGroupKey(account, envelope.sender, deciphered.content)
        opened.message = { ...opened.message, ...deciphered.content }
      } else if (deciphered.kind === 'duplicate') {
        account.inbox.duplicates += 1
        opened.isDuplicate = true
      } else {
        account.inbox.reusedKeys += 1
        opened.isFailed = true
      }
    } catch {
      account.inbox.undecryptable += 1
      opened.isFailed = true
    }
  }
  return opened
}

function open({ phone }: Account, { sender, group }: Envelope, part: Node): Promise<Deciphered<Message>> {
  const from = { user: sender.account.lid, device: sender.device }
  const body = bytes(part)
  switch (part.attrs.type) {
    case 'skmsg':
      return Promise.resolve(phone.decryptForGroup(group?.id ?? '', from, body))
    case 'pkmsg':
    case 'msg':
      return phone.decrypt(from, { type: part.attrs.type, body })
    default:
      throw new Error('The phone does not know this encryption.')
  }
}

async function takeGroupKey({ phone }: Account, sender: Sender, message: Message): Promise<void> {
  const key = message.senderKeyDistributionMessage
  if (!key?.axolotlSenderKeyDistributionMessage || key.groupId === undefined) return
  const [group = ''] = key.groupId.split('@')
  const from = { user: sender.account.lid, device: sender.device }
  await phone.takeDistribution(group, from, key.axolotlSenderKeyDistributionMessage)
}

/** Puts a message before the person. Keys to a group alone are nothing to see. */
function show(whatsapp: WhatsApp, account: Account, envelope: Envelope, message: Message): void {
  const { senderKeyDistributionMessage: _, ...visible } = message
  if (Object.keys(visible).length === 0) return
  const { id, sender, server, group, recipient } = envelope
  const own = visible.deviceSentMessage?.message
  const other = sender.account === account ? (recipient?.pn ?? account.pn) : sender.account.pn
  const target = targetOf(whatsapp, account, envelope, unwrapped(own ?? visible))
  const { edit } = envelope.more ?? {}
  const received: Received = {
    ...read(own ?? visible, whatsapp.media),
    ...(target && { target }),
    ...(edit !== undefined && { edit }),
    id,
    from: sender.account.pn,
    device: sender.device,
    chat: group?.id ?? other,
    isOwn: sender.account === account,
    addressing: server === lidServer ? 'lid' : 'pn',
    hasSecret: message.messageContextInfo?.messageSecret?.length === secretBytes,
    copies: 1,
    at: Date.now(),
  }
  const poll = { id, author: sender.account, isGroup: group !== undefined }
  notePoll(account, poll, { ...(own ?? visible), messageContextInfo: message.messageContextInfo ?? {} })
  if (account.inbox.take(received)) whatsapp.shown(account, received)
}

const secretBytes = 32

/** Tells the sender that the message is there, and that it was read if the person reads at once. */
function sendReceipt(whatsapp: WhatsApp, account: Account, envelope: Envelope): void {
  const { id, sender, server, group } = envelope
  if (sender.account === account) return
  const receipt = {
    from: { account, device: 0 },
    to: sender.account,
    ids: [id],
    server,
    ...(group && { group }),
  }
  forward(whatsapp, receipt)
  if (account.traits.reads) forward(whatsapp, { ...receipt, type: 'read' })
}

/** Asks the device that has sent a message to send it once more. */
function askAgain(whatsapp: WhatsApp, account: Account, envelope: Envelope): void {
  const { id, sender, server, group, recipient } = envelope
  const count = String((account.inbox.asked.get(id) ?? 0) + 1)
  account.inbox.asked.set(id, Number(count))
  if (Number(count) > 5) return
  const { registrationId } = account.phone
  forward(whatsapp, {
    from: { account, device: 0 },
    to: sender.account,
    device: sender.device,
    ids: [id],
    type: 'retry',
    server,
    ...(group && { group }),
    ...(sender.account === account && recipient && { recipient: recipient.jid(server) }),
    content: [
      node('retry', { count, id, t: String(Math.floor(Date.now() / 1000)), v: '1' }),
      node('registration', {}, asBytes(registrationId, 4)),
    ],
  })
}
