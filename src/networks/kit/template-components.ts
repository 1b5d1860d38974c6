import type { TProperties } from 'typebox'
import type { InvalidValue } from '../../contract/problem.ts'
import type { MessageTemplate } from '../../contract/resources/template.ts'
import Type from '../../contract/type.ts'
import type { Templates } from '../driver/abilities/templates.ts'
import { asObject, type Json, objectsIn } from './json.ts'

/*
 * The components of a message from a template, as Meta describes them (WhatsApp Business Platform, Messages, Template messages).
 * What is described is checked. What is not is passed on, because Meta adds to it: then the network says whether it fits.
 */

const open = <P extends TProperties>(properties: P, description: string) =>
  Type.Object(properties, { additionalProperties: true, description })

const link = Type.String({
  pattern: '^https?://',
  maxLength: 2048,
  description: 'A public URL that the network fetches the file from.',
  examples: ['https://example.org/header.png'],
})

const file = <P extends TProperties>(what: string, more: P) =>
  Type.Optional(
    open(
      {
        id: Type.Optional(
          Type.String({ minLength: 1, maxLength: 64, description: 'The id of a file at the network.' }),
        ),
        link: Type.Optional(link),
        ...more,
      },
      `${what}, by \`id\` or by \`link\`.`,
    ),
  )

const fallback = Type.String({ minLength: 1, maxLength: 1024, description: 'What the recipient sees.' })
const coordinate = Type.Union([Type.Number(), Type.String({ maxLength: 32 })])

const Parameter = open(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'What it is: `text`, `currency`, `date_time`, `image`, `video`, `document`, `location`, `payload`, `coupon_code`, `action` or ' +
        'another type of the network. A field with the same name holds it.',
      examples: ['text'],
    }),
    parameter_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'The placeholder that it is for, if the template names its placeholders.',
      }),
    ),
    text: Type.Optional(Type.String({ maxLength: 32_768, description: 'What replaces the placeholder.' })),
    payload: Type.Optional(
      Type.String({ maxLength: 1024, description: 'What comes back when a person taps the button.' }),
    ),
    coupon_code: Type.Optional(Type.String({ maxLength: 64, description: 'The code that a button copies.' })),
    currency: Type.Optional(
      open(
        {
          fallback_value: fallback,
          code: Type.String({
            pattern: '^[A-Z]{3}$',
            description: 'The currency, by ISO 4217.',
            examples: ['EUR'],
          }),
          amount_1000: Type.Integer({ description: 'The amount, multiplied by 1000.' }),
        },
        'An amount of money.',
      ),
    ),
    date_time: Type.Optional(open({ fallback_value: fallback }, 'A time.')),
    image: file('An image', {}),
    video: file('A video', {}),
    document: file('A document', { filename: Type.Optional(Type.String({ minLength: 1, maxLength: 240 })) }),
    location: Type.Optional(open({ latitude: coordinate, longitude: coordinate }, 'A place.')),
    action: Type.Optional(open({}, 'What a button opens.')),
  },
  'What replaces one placeholder.',
)

const component = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Which part: `header`, `body`, `button`, or another part of the network.',
      examples: ['body'],
    }),
    sub_type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The kind of a button, such as `url` or `quick_reply`.',
      }),
    ),
    index: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 99 }), Type.String({ pattern: '^[0-9]{1,2}$' })], {
        description: 'Which button, counted from 0.',
      }),
    ),
    parameters: Type.Optional(
      Type.Array(Parameter, { maxItems: 50, description: 'In the order of the placeholders.' }),
    ),
  },
  {
    additionalProperties: true,
    description: 'A part of the template, with what replaces its placeholders.',
    examples: [
      { type: 'body', parameters: [{ type: 'text', text: '4711' }] },
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.org/header.png' } }] },
      {
        type: 'button',
        sub_type: 'url',
        index: '0',
        parameters: [{ type: 'text', text: 'orders/4711' }],
      },
    ],
  },
)

/** The templates of a network whose messages from templates have this form. */
export const templates: Templates = { component, faults }

/** The types of parameters that a field of the same name holds. */
const held = new Set([
  ...['text', 'payload', 'coupon_code', 'currency', 'date_time', 'image', 'video', 'document', 'location'],
  'action',
])
const files = new Set(['image', 'video', 'document'])

function faults(template: MessageTemplate): InvalidValue[] {
  const components = template.components.flatMap((given, index) =>
    componentFaults(given, `/components/${index}`),
  )
  return [...nameFaults(template), ...repeated(template.components), ...components].slice(0, 50)
}

function nameFaults({ name, language }: MessageTemplate): InvalidValue[] {
  const found: InvalidValue[] = []
  if (!/^[a-z0-9_]+$/.test(name))
    found.push({
      pointer: '/name',
      code: 'wrong_form',
      detail:
        'The name of a template has only lower-case letters, digits and underscores, such as `order_update`.',
    })
  if (!/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/.test(language))
    found.push({
      pointer: '/language',
      code: 'wrong_form',
      detail: 'The language must be the code of the template, such as `en_US` or `de`.',
    })
  return found
}

/** A template has one header and one body. */
function repeated(components: MessageTemplate['components']): InvalidValue[] {
  const seen = new Set<string>()
  return components.flatMap((given, index) => {
    const type = lowerCase(given.type)
    const isAgain = (type === 'header' || type === 'body') && seen.has(type)
    seen.add(type)
    const detail = 'A template has one such component. Put all its parameters into one.'
    return isAgain ? [{ pointer: `/components/${index}`, code: 'repeated', detail }] : []
  })
}

function componentFaults(given: Json, pointer: string): InvalidValue[] {
  const isButton = lowerCase(given.type) === 'button'
  const missing = isButton ? ['sub_type', 'index'].filter((name) => given[name] === undefined) : []
  return [
    ...missing.map((name) => ({
      pointer: `${pointer}/${name}`,
      code: 'missing',
      detail: 'A button needs the value, so that the network knows which it is.',
    })),
    ...objectsIn(given, 'parameters').flatMap((parameter, index) =>
      parameterFaults(parameter, `${pointer}/parameters/${index}`),
    ),
  ]
}

function parameterFaults(parameter: Json, pointer: string): InvalidValue[] {
  const type = lowerCase(parameter.type)
  if (!held.has(type)) return []
  if (parameter[type] === undefined)
    return [
      {
        pointer: `${pointer}/${type}`,
        code: 'missing',
        detail: `A parameter of this type needs \`${type}\`.`,
      },
    ]
  const { id, link: url } = asObject(parameter[type]) ?? {}
  if (!files.has(type) || (id === undefined) !== (url === undefined)) return []
  return [
    {
      pointer: `${pointer}/${type}`,
      code: 'not_allowed',
      detail: 'Give either the `id` of a file or its `link`.',
    },
  ]
}

/** The schema has seen to it that it is a text. */
function lowerCase(type: unknown): string {
  return String(type).toLowerCase()
}
