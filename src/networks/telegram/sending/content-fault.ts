import type { ContentToSend } from '../../driver/driver.ts'
import { vCardOf } from '../../kit/people/vcard.ts'

/** Bytes that a vCard may have (https://core.telegram.org/bots/api#sendcontact). */
const maxVCard = 2048

/** As `Driver.contentFault`. */
export function contentFault({ location, contacts, topic }: ContentToSend): string | null {
  if (topic !== undefined && !isTopic(topic))
    return 'A topic of Telegram is a number. Give the `topic.id` of a message that is in it.'
  if (location && (location.name === null) !== (location.address === null))
    return 'Telegram shows a place with both a name and an address, or with neither. Give both, or neither.'
  if (!contacts) return null
  const [card, ...others] = contacts
  if (card === undefined || others.length > 0)
    return 'Telegram shows one person in a message. Send a message for each.'
  if (card.phones.length === 0) return 'Telegram shows people by their phone numbers. Give a phone number.'
  if (Buffer.byteLength(vCardOf(card)) > maxVCard)
    return 'Telegram carries no more than 2 KB of details of a person. Give fewer of them.'
  return null
}

/** The id of a topic is the number of the message that opened it. */
function isTopic(topic: string): boolean {
  return /^[1-9]\d{0,9}$/.test(topic)
}
