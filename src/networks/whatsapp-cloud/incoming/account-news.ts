import { longestTemplateWord } from '../../../contract/resources/template.ts'
import type { MarketingChoiceMade, TemplateCategorized, TemplateChanged } from '../../driver/account-news.ts'
import { eachObjectIn, type Json, textIn } from '../../kit/json.ts'
import { cutText } from '../../kit/received-text.ts'
import { addressesIn, addressOf } from '../people.ts'
import { templateStatusOf } from '../sending/templates.ts'
import { type NotifiedChange, timeIn } from './notifications.ts'

type CloudNews = MarketingChoiceMade | TemplateCategorized | TemplateChanged

/**
 * Yields what a change says of people who want marketing or not, and of templates, and null after every little work. Sources: Webhooks,
 * Reference, user_preferences, message_template_status_update and template_category_update (2026).
 */
export function* newsIn({ field, value, at }: NotifiedChange): Generator<CloudNews | null, void, undefined> {
  if (field === 'user_preferences') yield* choicesIn(value, at)
  else if (field === 'message_template_status_update') yield changedTemplateIn(value, at)
  else if (field === 'template_category_update') yield categorizedTemplateIn(value, at)
}

/** `signup`, by which people ask for marketing with a link, is in no reference yet, but in what others read. */
const choices: ReadonlyMap<string | null, MarketingChoiceMade['choice']> = new Map([
  ['stop', 'opted_out'],
  ['resume', 'opted_in'],
  ['signup', 'opted_in'],
])

function* choicesIn(value: Json, now: number): Generator<MarketingChoiceMade | null, void, undefined> {
  // The reference names a person by their phone alone; those who hide it are named as contacts.
  const [contact = {}, ...more] = eachObjectIn(value, 'contacts').take(2)
  for (const preference of eachObjectIn(value, 'user_preferences')) {
    const choice = choices.get(textIn(preference, 'value')?.toLowerCase() ?? null)
    const own = addressesIn(preference, names)
    const address = addressOf(own.length > 0 || more.length > 0 ? own : addressesIn(contact, names))
    const isMarketing = textIn(preference, 'category') === 'marketing_messages'
    const at = timeIn(preference, 'timestamp', now)
    yield choice && address !== null && isMarketing ? { kind: 'marketing-choice', address, choice, at } : null
  }
}

const names = { user: 'user_id', parent: 'parent_user_id', phone: 'wa_id' }

/** The name and the language of a template as lists have them: examples of the reference write `en-US` for `en_US`. */
function templateNamed(value: Json): { readonly name: string; readonly language: string } | null {
  const name = textIn(value, 'message_template_name')
  const language = textIn(value, 'message_template_language')?.replaceAll('-', '_')
  if (name === null || name.length === 0 || name.length > 512) return null
  return language !== undefined && /^[A-Za-z_]{2,35}$/.test(language) ? { name, language } : null
}

function changedTemplateIn(value: Json, at: number): TemplateChanged | null {
  const template = templateNamed(value)
  const event = textIn(value, 'event')
  if (template === null || event === null) return null
  const reason = textIn(value, 'reason')
  return {
    kind: 'template-changed',
    ...template,
    status: templateStatusOf(event),
    category: categoryIn(value, 'message_template_category'),
    network_status: cutText(event, longestTemplateWord),
    rejected_reason: reason === null || reason === 'NONE' ? null : reason,
    at,
  }
}

function categorizedTemplateIn(value: Json, at: number): TemplateCategorized | null {
  const template = templateNamed(value)
  const category = categoryIn(value, 'new_category')
  return template && category !== null ? { kind: 'template-categorized', ...template, category, at } : null
}

function categoryIn(value: Json, name: string): string | null {
  const category = textIn(value, name)?.toLowerCase()
  return category !== undefined && /^[a-z_]{1,64}$/.test(category) ? category : null
}

/** Codes of the errors that a change has instead of messages: Meta says with them that something about the number is wrong. */
export function errorCodesIn({ field, value }: NotifiedChange): number[] {
  if (field !== 'messages') return []
  const codes = eachObjectIn(value, 'errors').take(maxErrors)
  return [...codes].flatMap(({ code }) => (Number.isSafeInteger(code) ? [code as number] : []))
}

const maxErrors = 20
