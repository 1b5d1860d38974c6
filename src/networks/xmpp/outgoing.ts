import { sentencesOf } from '../../contract/codes.ts'
import type { OutgoingMessage } from '../driver.ts'
import { type Outcome, rejected, uncertain } from '../outcome.ts'
import { errors } from './codes.ts'
import { element, isRepresentable, ns } from './xml.ts'

/**
 * One text message. Its id stands twice: as the stanza's `id`, by which receipts and errors name it, and as origin-id
 * (XEP-0359), by which the recipient's clients recognise a repetition even where a server on the way changed the `id`.
 * It asks for a receipt (XEP-0184) and says that it may be marked as displayed (XEP-0333). There is no storage hint
 * (XEP-0334): a chat message with a body is stored for an absent recipient anyway (XEP-0160 section 3).
 */
export function messageXml(message: OutgoingMessage): string {
  const xml = element(
    'message',
    { to: message.to, type: 'chat', id: message.id },
    element('body', {}, message.text),
    element('request', { xmlns: ns.receipts }),
    element('markable', { xmlns: ns.markers }),
    element('origin-id', { xmlns: ns.stanzaIds, id: message.id }),
  ).toString()
  // A bare carriage return is turned into a line feed by every XML parser (XML 1.0 section 2.11); this one is kept.
  return xml.replaceAll('\r', '&#13;')
}

/** The refusal of a text that XML cannot carry, or null. */
export function unsendable(message: OutgoingMessage): Outcome | null {
  if (isRepresentable(message.text)) return null
  const code = 'text_not_representable'
  return rejected({ code, detail: sentencesOf(errors[code]), permanent: true })
}

/** The outcome for a message that came while the connection is not open. */
export const notConnected: Outcome = uncertain('The connection is not open.')
