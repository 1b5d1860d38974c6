import { type Message, messageCodec } from '../../proto/message.ts'
import { pad, unpad } from '../padding.ts'
import { type Deciphered, Phone } from '../phone.ts'
import { baileysDevice } from './baileys.ts'
import type { ForeignDevice } from './device.ts'
import { zapoDevice } from './zapo.ts'

/** The phone of the plays. */
export const anna = { user: '111222333', device: 0 }

/** The linked device that another program plays. */
export const gateway = { user: '999888777', device: 2 }

export const annasPhone = () => new Phone({ pn: '491511111', lid: anna.user, name: 'Anna' })

export const programs: readonly [string, () => ForeignDevice | Promise<ForeignDevice>][] = [
  ['Baileys', () => baileysDevice(gateway)],
  ['zapo-js', () => zapoDevice(gateway)],
]

export const text = (conversation: string): Message => ({ conversation })

/** A text as the other programs want it: encoded, and padded. */
export const plaintext = (words: string) => pad(messageCodec.encode(text(words)))

/** The words of what another program decrypted. */
export const read = (padded: Uint8Array) => messageCodec.decode(unpad(padded)).conversation

/** The words of what a phone decrypted, or why there are none. */
export const heard = (deciphered: Deciphered<Message>) =>
  deciphered.kind === 'read' ? deciphered.content.conversation : deciphered.kind
