import type { Account } from '../accounts/account.ts'
import { deliverMessage } from '../accounts/delivery.ts'
import type { Device } from '../accounts/device.ts'
import { type Envelope, sealedFor } from '../messages/envelope.ts'
import type { Message } from '../proto/message.ts'
import type { Bundle } from '../signal/phone.ts'
import type { WhatsApp } from '../whatsapp.ts'
import { type Node, node } from '../wire/node.ts'

/** A message that a phone encrypts for one linked client. */
export interface Sealing {
  readonly whatsapp: WhatsApp
  readonly author: Account
  readonly to: Account
  readonly device: Device
  readonly envelope: Envelope
  /** Bytes that pass for one, if their author breaks the rules. */
  readonly message: Message | Uint8Array
  /** Keys with which a new session begins. */
  readonly bundle?: Bundle
  /** Number of times that the client has asked for it again. */
  readonly count?: string
  /** Nodes that go along, such as a message for the whole group. */
  readonly more?: readonly Node[]
}

/** Encrypts a message for a client of a person, and delivers it. To be called in the author's turn. */
export async function sealFor(sealing: Sealing): Promise<void> {
  const { whatsapp, author, to, device, envelope, message, count, more = [] } = sealing
  const address = { user: to.lid, device: device.number }
  const needsBundle = sealing.bundle === undefined && !author.phone.hasSession(address)
  const bundle = needsBundle ? device.takeBundle() : sealing.bundle
  const { type, body } = await author.phone.encrypt(address, message, bundle)
  const attributes = { v: '2', type, ...mediaType(message), ...(count !== undefined && { count }) }
  const content = [node('enc', attributes, body), ...more]
  deliverMessage(whatsapp, to, device, sealedFor(to, envelope, content))
}

const mediaTypes = {
  imageMessage: 'image',
  documentMessage: 'document',
  videoMessage: 'video',
  stickerMessage: 'sticker',
  contactMessage: 'vcard',
  contactsArrayMessage: 'contact_array',
  locationMessage: 'location',
  liveLocationMessage: 'livelocation',
} as const

/** The kind of file that the server is told of. */
function mediaType(message: Message | Uint8Array): { mediatype?: string } {
  if (message instanceof Uint8Array) return {}
  if (message.audioMessage) return { mediatype: message.audioMessage.ptt ? 'ptt' : 'audio' }
  for (const [field, mediatype] of Object.entries(mediaTypes)) {
    if (field in message) return { mediatype }
  }
  return {}
}
