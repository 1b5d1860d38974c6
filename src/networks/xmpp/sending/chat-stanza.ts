import { escapeXML, escapeXMLText } from '@xmpp/xml'
import { bareOf, isRoom } from '../address.ts'
import { ns } from '../stanzas/xml.ts'

/** The recipient of a stanza, and its id. */
interface Addressed {
  readonly id: string
  readonly to: string
}

/**
 * A message to a person, or to all in a room (XEP-0045 section 7.4), with this content, as XML. Its id is in it twice: as the stanza's `id`, by which receipts and errors name it, and as
 * origin-id (XEP-0359), by which the recipient's clients recognize a repetition even if a server on the way changed the `id`.
 * Written as text: to build the elements of every message first would take four times as long.
 */
export function chatXml({ id, to }: Addressed, content: string): string {
  const name = escapeXML(id)
  const origin = `<origin-id xmlns="${ns.stanzaIds}" id="${name}"/>`
  const type = isRoom(to) ? 'groupchat' : 'chat'
  const xml = `<message to="${escapeXML(bareOf(to))}" type="${type}" id="${name}">${content}${origin}</message>`
  // XML parsers turn a bare carriage return into a line feed (XML 1.0 section 2.11); a character reference is kept.
  return xml.replaceAll('\r', '&#13;')
}

/** The text of a message for people, in a language if it is named (RFC 6121 section 5.2.3). */
export function bodyXml(text: string, language?: string): string {
  return `<body${language === undefined ? '' : ` xml:lang="${language}"`}>${escapeXMLText(text)}</body>`
}

const receiptWanted = `<request xmlns="${ns.receipts}"/>`

/** Asks for a receipt (XEP-0184), but not all in a room (section 5.3). */
export function receiptFrom(to: string): string {
  return isRoom(to) ? '' : receiptWanted
}

/**
 * Asks a person for a receipt, and says that the message may be marked as displayed (XEP-0333), and that the account knows chat states: clients
 * then send theirs, and see that it no longer writes (XEP-0085 section 5.1).
 */
export function signsFrom(to: string): string {
  return isRoom(to) ? active : signsWanted
}

const active = `<active xmlns="${ns.chatStates}"/>`
const signsWanted = `${receiptWanted}<markable xmlns="${ns.markers}"/>${active}`

/**
 * Has servers keep a message for an absent recipient, and archive it, though they see nothing in it for a person to read
 * (XEP-0334). A chat message with a body is kept anyway (XEP-0160 section 3).
 */
export const toBeStored = `<store xmlns="${ns.hints}"/>`
