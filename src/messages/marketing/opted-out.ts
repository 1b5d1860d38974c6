import { messageErrors, sentencesOf } from '../../contract/codes.ts'
import type { MessageTemplate } from '../../contract/resources/template.ts'
import { type Reader, read, type StoreFunctions } from '../../store/store.ts'
import type { AddressAt } from '../contacts/contact-store.ts'
import { choicesAt } from '../contacts/marketing-choices.ts'
import { peopleAt } from '../contacts/people.ts'
import { templatesAt } from './known-templates.ts'

/** A template for a person, and its category as far as the caller said it. */
export interface TemplateFor extends AddressAt, Pick<MessageTemplate, 'name' | 'language' | 'category'> {}

/** The facts about a template and its recipient that are known. */
export interface TemplateFacts {
  readonly isOptedOut: boolean
  /** As the network told it; null if it did not. */
  readonly category: string | null
  /** When the network last told of the template; null if it did not. */
  readonly toldAt: number | null
}

/**
 * True if a template may not be sent to a person who opted out. The network's word on a category counts for more than that of the
 * caller, and what is not known counts as marketing: a person who said no must not get it because a list could not be read.
 */
export function isMarketing(told: string | null, given: MessageTemplate['category']): boolean {
  return (told ?? given ?? 'marketing') === 'marketing'
}

/** Why a message is not sent, as in `NetworkError`. */
export const optedOutError = {
  code: 'recipient_opted_out',
  detail: sentencesOf(messageErrors.recipient_opted_out),
  permanent: true,
} as const

/** Returns which of these people opted out, by all addresses that are known of them. */
export async function optedOut(
  reader: Reader,
  people: readonly AddressAt[],
): Promise<(at: AddressAt) => boolean> {
  if (people.length === 0) return () => false
  const known = await peopleAt(reader, people)
  const allOf = ({ instance, address }: AddressAt) =>
    [address, ...known({ instance, address }).others].map((one) => ({ instance, address: one }))
  const newestOf = await choicesAt(reader, people.flatMap(allOf))
  return (at) => newestOf(allOf(at))?.choice === 'opted_out'
}

/** Says of each template, in this order, if it may not be sent to its recipient. */
export async function refusedTemplates(
  reader: Reader,
  templates: readonly TemplateFor[],
): Promise<boolean[]> {
  const isOut = await optedOut(reader, templates)
  const doubted = templates.filter(isOut)
  const known = await templatesAt(reader, doubted)
  return templates.map((one) => isOut(one) && isMarketing(known(one)?.category ?? null, one.category))
}

/** The facts about a template and a person, for the moment in which a message is accepted. */
export const findTemplateFacts = read(
  'marketing.facts',
  async (reader, template: TemplateFor): Promise<TemplateFacts> => {
    const isOut = await optedOut(reader, [template])
    const known = (await templatesAt(reader, [template]))(template)
    return { isOptedOut: isOut(template), category: known?.category ?? null, toldAt: known?.told_at ?? null }
  },
)

export const optedOutFunctions: StoreFunctions = { reads: [findTemplateFacts], transactions: [] }
