import { base32, bytesOfBase32 } from '../../runtime/ids.ts'

/** Beginning of the ids that WhatsApp Web gives to its messages. */
const prefix = '3EB0'

const ours = new RegExp(`^${prefix}[0-9A-F]{32}$`)

/** The id of one of our messages as WhatsApp sees it: it looks like those of WhatsApp Web, and contains all of ours. */
export function whatsappIdOf(id: string): string {
  return prefix + Buffer.from(bytesOfBase32(id)).toString('hex').toUpperCase()
}

/** Our id of the message that has this id at WhatsApp; null if it can be none of ours. */
export function ownIdFrom(whatsappId: string): string | null {
  return ours.test(whatsappId) ? base32(Buffer.from(whatsappId.slice(prefix.length), 'hex')) : null
}
