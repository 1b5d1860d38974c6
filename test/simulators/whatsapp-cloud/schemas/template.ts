import Type, { type Static, type TProperties } from 'typebox'
import { checker } from './check.ts'
import { graphId, oneOf, strict } from './scalars.ts'

/*
 * Templates as a business sends them, and as the Graph API lists them. Written from Meta's references of template messages and
 * of message templates (v26.0).
 */

const file = <P extends TProperties>(more: P) =>
  strict({ id: Type.Optional(graphId), link: Type.Optional(Type.String({ maxLength: 2048 })), ...more })

const named = { parameter_name: Type.Optional(Type.String({ pattern: '^[a-z0-9_]+$' })) }
const text = strict({ type: Type.Literal('text'), text: Type.String({ minLength: 1 }), ...named })

const parameter = Type.Union([
  text,
  strict({
    type: Type.Literal('currency'),
    currency: strict({
      fallback_value: Type.String({ minLength: 1 }),
      code: Type.String({ pattern: '^[A-Z]{3}$' }),
      amount_1000: Type.Integer(),
    }),
    ...named,
  }),
  strict({
    type: Type.Literal('date_time'),
    date_time: strict({
      fallback_value: Type.String({ minLength: 1 }),
      day_of_week: Type.Optional(Type.Integer()),
      year: Type.Optional(Type.Integer()),
      month: Type.Optional(Type.Integer()),
      day_of_month: Type.Optional(Type.Integer()),
      hour: Type.Optional(Type.Integer()),
      minute: Type.Optional(Type.Integer()),
      calendar: Type.Optional(oneOf('GREGORIAN', 'SOLAR_HIJRI')),
    }),
    ...named,
  }),
  strict({ type: Type.Literal('image'), image: file({}) }),
  strict({ type: Type.Literal('video'), video: file({}) }),
  strict({
    type: Type.Literal('document'),
    document: file({ filename: Type.Optional(Type.String({ minLength: 1, maxLength: 240 })) }),
  }),
  strict({
    type: Type.Literal('location'),
    location: strict({
      latitude: Type.Union([Type.Number(), Type.String()]),
      longitude: Type.Union([Type.Number(), Type.String()]),
      name: Type.String(),
      address: Type.String(),
    }),
  }),
])

const buttonParameter = Type.Union([
  text,
  strict({ type: Type.Literal('payload'), payload: Type.String({ minLength: 1 }) }),
  strict({ type: Type.Literal('coupon_code'), coupon_code: Type.String({ minLength: 1, maxLength: 20 }) }),
])

const component = Type.Union([
  strict({ type: oneOf('header', 'body'), parameters: Type.Array(parameter) }),
  strict({
    type: Type.Literal('button'),
    sub_type: oneOf('quick_reply', 'url', 'copy_code'),
    index: Type.Union([Type.String({ pattern: '^[0-9]$' }), Type.Integer({ minimum: 0, maximum: 9 })]),
    parameters: Type.Array(buttonParameter, { minItems: 1, maxItems: 1 }),
  }),
])

export const template = strict({
  name: Type.String({ minLength: 1, maxLength: 512 }),
  language: strict({
    code: Type.String({ pattern: '^[a-z]{2,3}(_[A-Za-z]+)*$' }),
    policy: Type.Optional(Type.Literal('deterministic')),
  }),
  components: Type.Optional(Type.Array(component)),
})

export type Template = Static<typeof template>
export type SentParameter = Static<typeof parameter> | Static<typeof buttonParameter>

const listedComponent = strict({
  type: oneOf('HEADER', 'BODY', 'FOOTER', 'BUTTONS'),
  format: Type.Optional(oneOf('TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION')),
  text: Type.Optional(Type.String()),
  buttons: Type.Optional(
    Type.Array(
      strict({
        type: oneOf('QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'),
        text: Type.String(),
        url: Type.Optional(Type.String()),
        phone_number: Type.Optional(Type.String()),
      }),
      { maxItems: 10 },
    ),
  ),
})

/** The fields of a template that can be asked for. */
export const templateProperties = {
  id: graphId,
  name: Type.String({ pattern: '^[a-z0-9_]{1,512}$' }),
  language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Za-z]+)*$' }),
  category: oneOf('MARKETING', 'UTILITY', 'AUTHENTICATION'),
  status: oneOf(
    ...(['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL', 'PENDING_DELETION'] as const),
    ...(['DELETED', 'LIMIT_EXCEEDED', 'ARCHIVED', 'FLAGGED', 'LOCKED'] as const),
  ),
  components: Type.Array(listedComponent),
  rejected_reason: oneOf(
    'NONE',
    'ABUSIVE_CONTENT',
    'INVALID_FORMAT',
    'PROMOTIONAL',
    'SCAM',
    'TAG_CONTENT_MISMATCH',
  ),
  parameter_format: oneOf('POSITIONAL', 'NAMED'),
}

export type TemplateFields = {
  -readonly [Name in keyof typeof templateProperties]: Static<(typeof templateProperties)[Name]>
}
export type TemplateComponent = TemplateFields['components'][number]

const page = strict({
  data: Type.Array(Type.Partial(strict(templateProperties), { additionalProperties: false })),
  paging: Type.Optional(
    strict({
      cursors: strict({ before: Type.String(), after: Type.String() }),
      next: Type.Optional(Type.String()),
      previous: Type.Optional(Type.String()),
    }),
  ),
})

export const faultsOfTemplatesAnswer = checker(page)
export const faultsOfTemplate = checker(strict(templateProperties))
