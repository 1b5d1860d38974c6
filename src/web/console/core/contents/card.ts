import type { ContactCard } from '../../../../contract/resources/content.ts'

/** The contact details of a person as they are entered; phones and emails are separated by commas. */
export interface EnteredCard {
  readonly name: string
  readonly phones: string
  readonly emails: string
  readonly company: string
}

export const emptyCard: EnteredCard = { name: '', phones: '', emails: '', company: '' }

export function cardBody(entered: EnteredCard) {
  const phones = partsOf(entered.phones)
  const emails = partsOf(entered.emails)
  const company = entered.company.trim()
  const card = {
    name: entered.name.trim(),
    ...(phones.length > 0 ? { phones } : {}),
    ...(emails.length > 0 ? { emails } : {}),
    ...(company ? { company } : {}),
  }
  return { contacts: [card] }
}

export function enteredCard(card: ContactCard | undefined): EnteredCard {
  if (!card) return emptyCard
  const { name, phones, emails, company } = card
  return { name, phones: phones.join(', '), emails: emails.join(', '), company: company ?? '' }
}

function partsOf(text: string): string[] {
  return text.split(',').flatMap((part) => part.trim() || [])
}
