import type { OutgoingContacts, OutgoingLocation, OutgoingPoll } from '../../driver/message.ts'
import { contextOf } from './context.ts'
import type { WhatsAppContent } from './fields.ts'
import { vcardOf } from './vcard.ts'

/** The content of a message that shows a place or people, or asks for votes. */
export function shownContent(message: OutgoingLocation | OutgoingContacts | OutgoingPoll): WhatsAppContent {
  const contextInfo = contextOf(message)
  const context = contextInfo && { contextInfo }
  switch (message.kind) {
    case 'location':
      return { locationMessage: { ...placeOf(message), ...context } }
    case 'contacts':
      return contactsContent(message, context)
    case 'poll':
      return pollContent(message, context)
  }
}

function placeOf({ location }: OutgoingLocation): WhatsAppContent {
  const { latitude, longitude, name, address } = location
  return {
    degreesLatitude: latitude,
    degreesLongitude: longitude,
    ...(name !== null && { name }),
    ...(address !== null && { address }),
  }
}

function contactsContent(
  { contacts }: OutgoingContacts,
  context: { readonly contextInfo: WhatsAppContent } | null,
): WhatsAppContent {
  const cards = contacts.map((card) => ({ displayName: card.name, vcard: vcardOf(card) }))
  const [only] = cards
  if (only && cards.length === 1) return { contactMessage: { ...only, ...context } }
  const displayName = `${cards.length} contacts`
  return { contactsArrayMessage: { displayName, contacts: cards, ...context } }
}

/** A poll with one answer for each person has a field of its own, and for any number, the number is 0: as Baileys has it. */
function pollContent(
  { poll }: OutgoingPoll,
  context: { readonly contextInfo: WhatsAppContent } | null,
): WhatsAppContent {
  const { question, options, multiple_answers: isMultiple } = poll
  const asked = {
    name: question,
    options: options.map((optionName) => ({ optionName })),
    selectableOptionsCount: isMultiple ? 0 : 1,
    ...context,
  }
  return isMultiple ? { pollCreationMessage: asked } : { pollCreationMessageV3: asked }
}
