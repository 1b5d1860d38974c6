import { type ContactCard, maxCardLines } from '../../../contract/resources/content.ts'

/*
 * Contact cards of WhatsApp: vCard 3.0 (RFC 2426). A phone number has the parameter `waid` if it may have an account, with its digits:
 * clients offer to write to that. Source: cards that WhatsApp's own clients share.
 */

/** A phone number with its country code. */
const international = /^\+[0-9 ().-]{7,30}$/

export function vcardOf({ name, phones, emails, company }: ContactCard): string {
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...(company === null ? [] : [`ORG:${escaped(company)}`]),
    ...phones.map((phone) => `TEL;type=CELL;type=VOICE${accountIn(phone)}:${escaped(phone)}`),
    ...emails.map((email) => `EMAIL;type=INTERNET:${escaped(email)}`),
    'END:VCARD',
  ].join('\n')
}

function accountIn(phone: string): string {
  return international.test(phone) ? `;waid=${phone.replaceAll(/\D/g, '')}` : ''
}

/** Characters with a meaning, as RFC 2426, 4, has them in a text. */
function escaped(value: string): string {
  return value.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r\n|\r|\n/g, '\\n')
}

/** UTF-16 units of a card that are looked at: a picture in it may be longer. */
const longestCard = 64 * 1024

/** Lines of a card that are looked at. */
const maxLines = 500

/** Reads the card of a contact with this name; what makes no sense is left out. Bounded, with any card. */
export function cardOf(displayName: string, vcard: string): ContactCard {
  const card = { name: '', phones: [] as string[], emails: [] as string[], company: null as string | null }
  const unfolded = vcard.slice(0, longestCard).replaceAll(/\r?\n[ \t]/g, '')
  for (const line of unfolded.split(/\r?\n/, maxLines)) {
    // A property may stand in a group: `item1.TEL`.
    const [, property = '', value = ''] =
      /^(?:[\w-]{1,64}\.)?([A-Za-z-]{1,32})(?:;[^:]{0,1024})?:(.*)$/.exec(line) ?? []
    const said = unescaped(value).trim()
    if (said !== '') take(card, property.toUpperCase(), said)
  }
  return { ...card, name: displayName || card.name }
}

function take(
  card: { name: string; phones: string[]; emails: string[]; company: string | null },
  property: string,
  said: string,
): void {
  if (property === 'FN') card.name ||= said
  else if (property === 'ORG') card.company ??= said.replace(/;+$/, '').replaceAll(';', ', ')
  else if (property === 'TEL' && card.phones.length < maxCardLines) card.phones.push(said)
  else if (property === 'EMAIL' && card.emails.length < maxCardLines) card.emails.push(said)
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([nN\\;,:])/g, (_, character: string) =>
    character.toLowerCase() === 'n' ? '\n' : character,
  )
}
