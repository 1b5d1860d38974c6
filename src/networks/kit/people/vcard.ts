import type { ContactCard } from '../../../contract/resources/content.ts'

/*
 * People as vCards, the form in which networks carry them. Written as version 3.0 (RFC 2426), which every client reads; read in any
 * version, as far as the lines that a card of the contract has.
 */

/** Characters of a vCard that are read. A photo in it may be large. */
const longestRead = 64 * 1024

/** Returns the person as a vCard. */
export function vCardOf({ name, phones, emails, company }: ContactCard): string {
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...phones.map((phone) => `TEL;TYPE=CELL:${escaped(phone)}`),
    ...emails.map((email) => `EMAIL:${escaped(email)}`),
    ...(company === null ? [] : [`ORG:${escaped(company)}`]),
    'END:VCARD',
    '',
  ].join('\r\n')
}

/** Reads the first person of a vCard that another party wrote; empty fields for what it does not say. */
export function readVCard(text: string): ContactCard {
  const card = { name: '', phones: new Set<string>(), emails: new Set<string>(), company: '' }
  // A line that begins with a space goes on with the line before (RFC 2426, 2.6).
  const lines = text
    .slice(0, longestRead)
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  for (const line of lines) {
    // A group may stand before the name, and parameters after it: `item1.TEL;TYPE=CELL:+1`.
    const [, name = '', value = ''] = /^(?:[\w-]+\.)?([\w-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? []
    const said = unescaped(value).trim()
    if (said === '') continue
    const property = name.toUpperCase()
    if (property === 'FN') card.name ||= said
    else if (property === 'TEL') card.phones.add(said.replace(/^tel:/i, ''))
    else if (property === 'EMAIL') card.emails.add(said)
    else if (property === 'ORG') card.company ||= said.replace(/;.*$/s, '')
    else if (property === 'END') break
  }
  return {
    name: card.name,
    phones: [...card.phones],
    emails: [...card.emails],
    company: card.company || null,
  }
}

/** RFC 2426, 4: text values escape these characters. */
function escaped(text: string): string {
  return text.replaceAll(/[\\,;]/g, '\\$&').replaceAll(/\r?\n|\r/g, '\\n')
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/gs, (_, character: string) => (/n/i.test(character) ? '\n' : character))
}
