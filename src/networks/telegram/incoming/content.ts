import { createHash } from 'node:crypto'
import type { ContactCard, Location } from '../../../contract/resources/content.ts'
import type { FileByReference, ReceivedContent, UnsupportedMessage } from '../../driver/observation.ts'
import { type Json, objectIn, objectsIn, parseObject, textIn } from '../../kit/json.ts'
import { readVCard } from '../../kit/people/vcard.ts'
import { cutText, longestReceivedText, ownCopy } from '../../kit/received-text.ts'
import { fullName } from './people.ts'
import { fileIn } from './received-file.ts'
import { unsupportedIn } from './unsupported.ts'

/** A person's words, file, place or the like. */
export interface Content {
  readonly text: string | null
  readonly file: FileByReference | null
  readonly unsupported?: UnsupportedMessage
  readonly content?: ReceivedContent
  /** Of what it says, so that two edits within a second differ. */
  readonly digest: string
}

/** Returns a person's words, or null if the message only tells of an event in the chat. */
export function contentOf(message: Json): Content | null {
  const said = textIn(message, 'text')
  const words = said ?? textIn(message, 'caption')
  const found = fileIn(message)
  const text = words && cutText(words, longestReceivedText)
  const digest = createHash('sha256')
    .update(JSON.stringify([words, found?.unique ?? null]))
    .digest('hex')
    .slice(0, 12)
  if (found) return { text, file: found.file, digest }
  const content = said === null ? structuredIn(message) : null
  if (content) return { text, file: null, content: ownCopy(content), digest }
  const unreadable = said === null ? unsupportedIn(message) : null
  if (text === null && unreadable === null) return null
  if (!unreadable) return { text, file: null, digest }
  const { unsupported, words: inWords } = unreadable
  return { text: text ?? (inWords && cutText(inWords, longestReceivedText)), file: null, unsupported, digest }
}

/** A venue has a location, too. */
function structuredIn(message: Json): ReceivedContent | null {
  const venue = objectIn(message, 'venue')
  const location = placeIn(venue ?? message, venue)
  if (location) return { location }
  const contact = objectIn(message, 'contact')
  if (contact) return { contacts: [cardIn(contact)] }
  const poll = objectIn(message, 'poll')
  if (poll) return { poll: pollIn(poll) }
  const form = objectIn(message, 'web_app_data')
  return form && { flow_reply: { name: 'web_app_data', response: formIn(form) } }
}

function placeIn(json: Json, venue: Json | null): Location | null {
  const { latitude, longitude } = objectIn(json, 'location') ?? {}
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null
  return {
    ...{ latitude, longitude },
    name: venue && textIn(venue, 'title'),
    address: venue && textIn(venue, 'address'),
  }
}

/** The vCard comes from the address book of the person who sends it, and may say more. */
function cardIn(contact: Json): ContactCard {
  const phone = textIn(contact, 'phone_number')
  const { name, phones, emails, company } = readVCard(textIn(contact, 'vcard') ?? '')
  const digits = (number: string) => number.replaceAll(/\D/g, '')
  const others = phones.filter((other) => phone === null || digits(other) !== digits(phone))
  return {
    name: fullName(contact) || name || (phone ?? ''),
    phones: [...(phone === null ? [] : [phone]), ...others],
    ...{ emails, company },
  }
}

/** The most answers that a poll of a person may have; Telegram's has 12. */
const maxAnswers = 100

function pollIn(poll: Json) {
  const options = objectsIn(poll, 'options').slice(0, maxAnswers)
  return {
    question: textIn(poll, 'question') ?? '',
    options: options.map((option) => textIn(option, 'text') ?? ''),
    multiple_answers: poll.allows_multiple_answers === true,
  }
}

/** An app of the bot sends any text; if that is JSON, its fields are the answers. */
function formIn(form: Json): Record<string, unknown> {
  const data = textIn(form, 'data') ?? ''
  return parseObject(Buffer.from(data)) ?? { data }
}
