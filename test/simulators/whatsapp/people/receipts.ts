import type { Account } from '../accounts/account.ts'
import { asNumber, type Device } from '../accounts/device.ts'
import { groupJid } from '../accounts/jid.ts'
import type { Receipt } from '../messages/receipt.ts'
import { type Bundle, deviceSent } from '../signal/phone.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { bytes, child, type Node, node } from '../wire/node.ts'
import { whenBack } from './inbox.ts'
import { sealFor } from './sealing.ts'

/** A phone takes a receipt for what its person has sent; later, if it is switched off. Who could not decrypt it gets it again. */
export async function takePhoneReceipt(whatsapp: WhatsApp, receipt: Receipt): Promise<void> {
  const { traits, inbox } = receipt.to
  if (traits.isAway) whenBack(inbox, () => void takeReceipt(whatsapp, receipt))
  else await takeReceipt(whatsapp, receipt)
}

async function takeReceipt(whatsapp: WhatsApp, receipt: Receipt): Promise<void> {
  const { from, to, ids, type = 'delivery' } = receipt
  const taken = { type, from: from.account.pn, device: from.device, at: Date.now() }
  for (const id of ids) to.inbox.takeReceipt(id, taken)
  whatsapp.waiting.look()
  const device = from.account.devices.get(from.device)
  if (type !== 'retry' || !device) return
  for (const id of ids) await to.inTurn(() => sendAgain(whatsapp, to, { id, receipt, device }))
}

async function sendAgain(
  whatsapp: WhatsApp,
  author: Account,
  { id, receipt, device }: { id: string; receipt: Receipt; device: Device },
): Promise<void> {
  const sent = author.inbox.sent.get(id)
  if (!sent) return
  const { account: to } = receipt.from
  const content = node('receipt', {}, receipt.content ?? [])
  const group = sent.isGroup ? whatsapp.groups.get(sent.to) : undefined
  const recipient = group ? undefined : whatsapp.directory.ofPhone(sent.to)
  const envelope = {
    id,
    type: sent.type,
    sender: { account: author, device: 0 },
    server: sent.server,
    ...(group && { group }),
    ...(recipient && { recipient }),
  }
  const isOwn = to === author && !group
  const message = isOwn ? deviceSent(recipient?.jid(sent.server) ?? '', sent.message) : sent.message
  const whole = group ? await withGroupKey(author, sent.to, message) : message
  const bundle = givenBundle(content) ?? device.takeBundle()
  const count = child(content, 'retry')?.attrs.count ?? '1'
  await sealFor({ whatsapp, author, to, device, envelope, message: whole, bundle, count })
}

/** The message with the key to what will follow it in the group. */
async function withGroupKey(author: Account, group: string, message: object): Promise<object> {
  const { distribution } = await author.phone.encryptForGroup(group, {})
  const key = { groupId: groupJid(group), axolotlSenderKeyDistributionMessage: distribution }
  return { ...message, senderKeyDistributionMessage: key }
}

/** The keys that a client sends along when it asks for the second time. */
function givenBundle(receipt: Node): Bundle | undefined {
  const keys = child(receipt, 'keys')
  const registration = child(receipt, 'registration')
  const identity = keys && child(keys, 'identity')
  const signed = keys && child(keys, 'skey')
  const oneTime = keys && child(keys, 'key')
  if (!registration || !identity || !signed) return undefined
  const part = (of: Node, tag: string) => bytes(child(of, tag) ?? node(tag))
  return {
    registrationId: asNumber(bytes(registration)),
    identity: bytes(identity),
    signedPreKey: {
      id: asNumber(part(signed, 'id')),
      key: part(signed, 'value'),
      signature: part(signed, 'signature'),
    },
    ...(oneTime && { preKey: { id: asNumber(part(oneTime, 'id')), key: part(oneTime, 'value') } }),
  }
}
