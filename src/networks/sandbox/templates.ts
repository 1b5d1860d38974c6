import type { MessageTemplate, Template, TemplateStatus } from '../../contract/resources/template.ts'
import type { TemplateQuestion, TemplatesAnswer } from '../driver/abilities/templates.ts'
import { objectsIn, textIn } from '../kit/json.ts'
import type { TemplateErrorCode } from '../kit/template-codes.ts'

/** The templates that every account of the sandbox has. */
export const accountTemplates: readonly Template[] = [
  template('order_update', 'en_US', 'Hello {{1}}, your order {{2}} is on its way.'),
  template('order_update', 'de', 'Hallo {{1}}, deine Bestellung {{2}} ist unterwegs.'),
  template('welcome', 'en_US', 'Welcome! Write to us at any time.'),
  {
    ...template('invoice', 'en_US', 'Your invoice {{1}} is attached.'),
    components: [
      { type: 'HEADER', format: 'DOCUMENT' },
      { type: 'BODY', text: 'Your invoice {{1}} is attached.' },
    ],
  },
  template('summer_sale', 'en_US', 'Everything is cheaper until {{1}}.'),
  template('spring_sale', 'en_US', 'Everything is cheaper until {{1}}.', 'paused'),
  template('account_alert', 'en_US', 'Your account!!!', 'rejected'),
  template('survey', 'en_US', 'How did you like {{1}}?', 'pending'),
]

function template(
  name: string,
  language: string,
  text: string,
  status: TemplateStatus = 'approved',
): Template {
  return {
    name,
    language,
    category: name.endsWith('_sale') ? 'marketing' : 'utility',
    status,
    network_status: status.toUpperCase(),
    rejected_reason: status === 'rejected' ? 'INVALID_FORMAT' : null,
    components: [{ type: 'BODY', text }],
  }
}

/** A page of the templates; the place is the number of the next one. */
export function listTemplates({ limit, after, name }: TemplateQuestion): TemplatesAnswer {
  const wanted = accountTemplates.filter((template) => name === undefined || template.name === name)
  const start = /^[0-9]{1,4}$/.test(after ?? '0') ? Number(after ?? 0) : wanted.length
  const end = start + limit
  const next = end < wanted.length ? String(end) : null
  return { kind: 'listed', templates: wanted.slice(start, end), next }
}

/** Why the sandbox does not send a template; null if it does. */
export function refusalOf(asked: MessageTemplate): TemplateErrorCode | null {
  const found = templateFor(asked)
  if (found?.status === 'paused') return 'template_paused'
  if (found?.status !== 'approved') return 'template_unknown'
  return found.components.every((part) => fits(part, asked)) ? null : 'template_parameters_wrong'
}

/** The text of a template with its parameters, as its recipient reads it. */
export function wordsOf(asked: MessageTemplate): string {
  const body = templateFor(asked)?.components.find(({ type }) => type === 'BODY')
  const given = parametersFor(asked, 'body')
  return String(body?.text ?? asked.name).replaceAll(
    /\{\{([0-9]+)\}\}/g,
    (placeholder, number) => textIn(given[Number(number) - 1] ?? {}, 'text') ?? placeholder,
  )
}

function templateFor({ name, language }: MessageTemplate): Template | undefined {
  return accountTemplates.find((known) => known.name === name && known.language === language)
}

/** A part has as many texts as placeholders, or one file. */
function fits(part: Template['components'][number], asked: MessageTemplate): boolean {
  const given = parametersFor(asked, String(part.type).toLowerCase())
  const format = String(part.format ?? 'TEXT').toLowerCase()
  const count = format === 'text' ? (String(part.text).match(/\{\{[0-9]+\}\}/g) ?? []).length : 1
  return given.length === count && given.every(({ type }) => String(type).toLowerCase() === format)
}

function parametersFor({ components }: MessageTemplate, type: string) {
  const part = components.find((component) => String(component.type).toLowerCase() === type)
  return part ? objectsIn(part, 'parameters') : []
}
