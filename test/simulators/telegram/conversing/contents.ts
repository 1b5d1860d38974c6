import { randomInt } from 'node:crypto'
import type { Message, Poll } from '@grammyjs/types'
import type { CallParameters } from '../parameters.ts'
import { badRequest } from '../refusal.ts'
import { type Call, take } from '../sending/sending.ts'

/* Messages that are no text and no file: sendLocation, sendVenue, sendContact and sendPoll. */

const maxVcard = 2048

export function sendLocation(call: Call): Message.LocationMessage {
  const location = locationIn(call.parameters)
  return take(call, { kind: 'location', content: location }, () => ({ location })) as Message.LocationMessage
}

export function sendVenue(call: Call): Message.VenueMessage {
  const location = locationIn(call.parameters)
  const [title, address] = [call.parameters.text('title') ?? '', call.parameters.text('address') ?? '']
  if (title.trim() === '') throw badRequest('venue title must be non-empty')
  if (address.trim() === '') throw badRequest('venue address must be non-empty')
  const venue = { location, title, address }
  return take(call, { kind: 'venue', content: venue }, () => ({ location, venue })) as Message.VenueMessage
}

export function sendContact(call: Call): Message.ContactMessage {
  const { parameters } = call
  const phone_number = parameters.text('phone_number') ?? ''
  const first_name = parameters.text('first_name') ?? ''
  const vcard = parameters.text('vcard')
  if (phone_number.trim() === '') throw badRequest('phone number must be non-empty')
  if (first_name.trim() === '') throw badRequest('contact name must be non-empty')
  if (vcard !== undefined && Buffer.byteLength(vcard) > maxVcard) throw badRequest('vcard is too long')
  const contact = { phone_number, first_name, ...(vcard !== undefined && { vcard }) }
  return take(call, { kind: 'contact', content: contact }, () => ({ contact })) as Message.ContactMessage
}

/** Lengths count Unicode characters (TDLib, `utf8_length`). */
export function sendPoll(call: Call): Message.PollMessage {
  const { telegram, parameters } = call
  const question = parameters.text('question') ?? ''
  const given = parameters.json('options')
  if (question.trim() === '') throw badRequest('poll question must be non-empty')
  if ([...question].length > 300) throw badRequest('poll question length must not exceed 300')
  if (!Array.isArray(given)) throw badRequest("can't parse options JSON object")
  const texts = given.map((option: unknown) => {
    const text = typeof option === 'string' ? option : (option as { text?: unknown } | null)?.text
    if (typeof text !== 'string' || text.trim() === '') throw badRequest('poll options must be non-empty')
    if ([...text].length > 100) throw badRequest('poll options length must not exceed 100')
    return text
  })
  if (texts.length < 2) throw badRequest('poll must have at least 2 option')
  if (texts.length > 12) throw badRequest("poll can't have more than 12 options")
  const isAnonymous = parameters.raw('is_anonymous') === undefined || parameters.flag('is_anonymous')
  if (!isAnonymous && telegram.chats.find(parameters.raw('chat_id')).type === 'channel')
    throw badRequest("non-anonymous polls can't be sent to channel chats")
  const poll = {
    id: `5${randomInt(1e8, 1e9)}${randomInt(1e8, 1e9)}`,
    question,
    options: texts.map((text, index) => ({ persistent_id: `p${index}`, text, voter_count: 0 })),
    total_voter_count: 0,
    is_closed: false,
    is_anonymous: isAnonymous,
    type: 'regular',
    allows_multiple_answers: parameters.flag('allows_multiple_answers'),
  } as unknown as Poll
  return take(call, { kind: 'poll', content: poll }, () => ({ poll })) as Message.PollMessage
}

function locationIn(parameters: CallParameters) {
  const latitude = degreesIn(parameters, 'latitude', 90)
  return { latitude, longitude: degreesIn(parameters, 'longitude', 180) }
}

function degreesIn(parameters: CallParameters, name: string, most: number): number {
  const value = Number(parameters.raw(name) ?? Number.NaN)
  if (!(Math.abs(value) <= most)) throw badRequest('wrong latitude or longitude specified')
  // As its protocol has them, with six digits.
  return Math.round(value * 1e6) / 1e6
}
