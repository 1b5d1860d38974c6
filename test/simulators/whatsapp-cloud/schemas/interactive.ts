import Type, { type Static } from 'typebox'
import type { SchemaFault } from './check.ts'
import { strict } from './scalars.ts'

/*
 * Interactive messages and contact cards that a business may send. Written from Meta's pages on interactive reply buttons, interactive
 * lists, interactive call-to-action URL buttons, and contacts messages (May 2026).
 */

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const body = (maxLength: number) => strict({ text: text(maxLength) })
const footer = Type.Optional(strict({ text: text(60) }))
const header = Type.Optional(strict({ type: Type.Literal('text'), text: text(60) }))

const replyButtons = strict({
  type: Type.Literal('button'),
  header,
  body: body(1024),
  footer,
  action: strict({
    buttons: Type.Array(
      strict({ type: Type.Literal('reply'), reply: strict({ id: text(256), title: text(20) }) }),
      { minItems: 1, maxItems: 3 },
    ),
  }),
})

const row = strict({ id: text(200), title: text(24), description: Type.Optional(text(72)) })
const list = strict({
  type: Type.Literal('list'),
  header,
  body: body(4096),
  footer,
  action: strict({
    button: text(20),
    sections: Type.Array(
      strict({ title: Type.Optional(text(24)), rows: Type.Array(row, { minItems: 1, maxItems: 10 }) }),
      { minItems: 1, maxItems: 10 },
    ),
  }),
})

const urlButton = strict({
  type: Type.Literal('cta_url'),
  header,
  body: body(1024),
  footer,
  action: strict({
    name: Type.Literal('cta_url'),
    parameters: strict({ display_text: text(20), url: Type.String({ pattern: '^https?://[^ ]+$' }) }),
  }),
})

export const interactive = Type.Union([replyButtons, list, urlButton])
export type Interactive = Static<typeof interactive>

const short = Type.Optional(Type.String())
const kind = Type.Optional(Type.String())

export const contactCards = Type.Array(
  strict({
    name: strict({
      formatted_name: text(1024),
      first_name: short,
      last_name: short,
      middle_name: short,
      suffix: short,
      prefix: short,
    }),
    phones: Type.Optional(Type.Array(strict({ phone: short, type: kind, wa_id: short }))),
    emails: Type.Optional(Type.Array(strict({ email: short, type: kind }))),
    org: Type.Optional(strict({ company: short, department: short, title: short })),
    birthday: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' })),
    urls: Type.Optional(Type.Array(strict({ url: short, type: kind }))),
    addresses: Type.Optional(
      Type.Array(
        strict({
          street: short,
          city: short,
          state: short,
          zip: short,
          country: short,
          country_code: short,
          type: kind,
        }),
      ),
    ),
  }),
  { minItems: 1, maxItems: 257 },
)
export type ContactCards = Static<typeof contactCards>

/** Returns each button or row of a message that its recipient may choose. */
export function choicesIn(
  message: Interactive,
): readonly { id: string; title: string; description?: string }[] {
  if (message.type === 'button') return message.action.buttons.map(({ reply }) => reply)
  return message.type === 'list' ? message.action.sections.flatMap(({ rows }) => rows) : []
}

const rule = (pointer: string, message: string): SchemaFault => ({ keyword: 'value', pointer, message })

/** Rules about the parts together that a schema cannot say. */
export function faultsOfInteractive(message: Interactive): SchemaFault[] {
  const choices = choicesIn(message)
  const isRepeated = (words: readonly string[]) => new Set(words).size < words.length
  const faults: SchemaFault[] = []
  if (isRepeated(choices.map(({ id }) => id))) faults.push(rule('/interactive/action', 'Duplicate id.'))
  if (choices.some(({ id }) => id.trim() !== id))
    faults.push(rule('/interactive/action', 'An id has leading or trailing spaces.'))
  if (message.type === 'button' && isRepeated(choices.map(({ title }) => title)))
    faults.push(rule('/interactive/action/buttons', 'Duplicate title of a button.'))
  if (message.type === 'list') {
    const { sections } = message.action
    if (choices.length > 10)
      faults.push(rule('/interactive/action/sections', 'Total row count exceeds the 10 that are allowed.'))
    if (sections.length > 1 && sections.some(({ title }) => title === undefined))
      faults.push(rule('/interactive/action/sections', 'A section title is required.'))
  }
  return faults
}

/** A name needs one of its parts beside the whole. */
export function faultsOfCards(cards: ContactCards): SchemaFault[] {
  const isBare = cards.some(({ name }) => Object.keys(name).length < 2)
  return isBare
    ? [
        rule(
          '/contacts/0/name',
          'At least one of the optional parameters needs to be included along with formatted_name.',
        ),
      ]
    : []
}
