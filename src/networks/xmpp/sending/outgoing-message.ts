import { escapeXML, escapeXMLText } from '@xmpp/xml'
import { sentencesOf } from '../../../contract/codes.ts'
import type { OutgoingMedia, OutgoingText, PlainMessage } from '../../driver/message.ts'
import { type Outcome, rejected, uncertain } from '../../driver/outcome.ts'
import { errors } from '../codes.ts'
import { isPlain } from '../stanzas/message-id.ts'
import { attribute, element, isRepresentable, ns, type Xml } from '../stanzas/xml.ts'

/**
 * One text message. Its id is in it twice: as the stanza's `id`, by which receipts and errors name it, and as origin-id
 * (XEP-0359), by which the recipient's clients recognize a repetition even if a server on the way changed the `id`.
 * It asks for a receipt (XEP-0184) and says that it may be marked as displayed (XEP-0333). There is no storage hint
 * (XEP-0334): a chat message with a body is stored for an absent recipient anyway (XEP-0160 section 3).
 */
export function textXml({ id, to, text }: OutgoingText): string {
  return chatXml(to, id, text, signsWanted)
}

/**
 * A message that names the URL of a file: as its body, and as out-of-band data (XEP-0066), by which clients know that the
 * body is nothing but a file and show it as what it is. The caption describes the data, for the few clients that show that.
 */
export function fileXml({ id, to, caption }: OutgoingMedia, url: string): string {
  const data = element('x', { xmlns: ns.outOfBand }, element('url', {}, url))
  if (caption) data.append(element('desc', {}, caption))
  return chatXml(to, id, url, data.toString() + signsWanted)
}

/**
 * The caption of a file as a separate message, for the many clients that do not show the description of out-of-band data. It
 * asks for nothing: the file before it does.
 */
export function captionXml({ id, to }: OutgoingMedia, caption: string): string {
  return chatXml(to, captionId(id), caption, '')
}

const captionMark = '-caption'

/** The id of the stanza that carries the caption of a message: fixed, like the id of the message. */
export function captionId(messageId: string): string {
  return `${messageId}${captionMark}`
}

/** The message that a stanza of ours belongs to. Ids of messages have no hyphen. */
export function messageIdOf(stanzaId: string): string {
  return stanzaId.endsWith(captionMark) ? stanzaId.slice(0, -captionMark.length) : stanzaId
}

/**
 * The message that the server has once it has this stanza, which was sent in the name of the account; null if the
 * stanza names none, or is only the file of a message whose caption follows.
 */
export function messageCompletedBy(stanza: Xml): string | null {
  const id = attribute(stanza, 'id')
  const described = stanza.getChild('x', ns.outOfBand)?.getChild('desc') !== undefined
  return id && isPlain(id) && !described ? messageIdOf(id) : null
}

/** Written as text: to build the elements of every message first would take four times as long. `signs` is XML. */
function chatXml(to: string, id: string, body: string, signs: string): string {
  const name = escapeXML(id)
  const origin = `<origin-id xmlns="${ns.stanzaIds}" id="${name}"/>`
  const head = `<message to="${escapeXML(to)}" type="chat" id="${name}">`
  const xml = `${head}<body>${escapeXMLText(body)}</body>${signs}${origin}</message>`
  // XML parsers turn a bare carriage return into a line feed (XML 1.0 section 2.11); a character reference is kept.
  return xml.replaceAll('\r', '&#13;')
}

/** Asks for a receipt, and says that the message may be marked. */
const signsWanted = `<request xmlns="${ns.receipts}"/><markable xmlns="${ns.markers}"/>`

/** As `Driver.textFault`: XML has no way to write most control characters. */
export function textFault(text: string): string | null {
  if (isRepresentable(text)) return null
  const characters = [...text]
  const place = characters.findIndex((character) => !isRepresentable(character))
  const code = (characters[place]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `XMPP cannot carry U+${code}, which is character ${place + 1}. Send the text without such control characters.`
}

/** The refusal of a message that XML cannot carry, or null. */
export function unsendable(message: PlainMessage): Outcome | null {
  const texts = message.kind === 'text' ? [message.text] : [message.caption ?? '', message.file.filename]
  if (texts.every(isRepresentable)) return null
  const code = 'text_not_representable'
  return rejected({ code, detail: sentencesOf(errors[code]), permanent: true })
}

/** The outcome for a message that came while the connection is not open. */
export const notConnected: Outcome = uncertain('The connection is not open.')
