import type { Static } from 'typebox'
import { oneOf, openObject, orNull, page, record } from '../scalars.ts'
import {
  type TemplateStatus,
  templateCategories,
  templateStatuses,
  templateStatusMeanings,
} from '../statuses.ts'
import Type from '../type.ts'

const name = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The name of the template at the network.',
  examples: ['order_update'],
})

const language = Type.String({
  minLength: 2,
  maxLength: 35,
  description: 'The language of the template, as the network spells it.',
  examples: ['en_US'],
})

const TemplateComponent = openObject(
  'TemplateComponent',
  'A part of a template, such as its body, in the form of the network; its section has the fields.',
)

/** The most components of one message. */
const maxComponents = 20
/** The longest components of a message, as JSON, in bytes of UTF-8; and how deeply they may be nested. */
export const longestComponents = 32 * 1024
export const deepestComponents = 10

/** Bounds on a network's words about a template: words in UTF-16 units, a reason, and the number of components. */
export const longestTemplateWord = 64
export const longestRejection = 1024
export const maxTemplateComponents = 50

/** Fields of a message that is made from a template. */
export const templateFields = {
  name,
  language,
  components: Type.Array(TemplateComponent, {
    maxItems: maxComponents,
    description:
      "The values of the template's placeholders: the parameters of its header, its body and its buttons. Posthorn passes " +
      'them to the network as you give them; `template_component` of `GET /v1/networks` is their schema. At most 32 KB of ' +
      'JSON, nested at most 10 levels deep.',
    examples: [[{ type: 'body', parameters: [{ type: 'text', text: '4711' }] }]],
  }),
}

export const givenCategory = Type.Optional(
  oneOf(templateCategories, {
    title: 'TemplateCategory',
    description:
      'The category of the template, if you want to say it. It matters only for people who opted out of marketing, and only as ' +
      'long as the network does not say another: a template whose category is not known counts as marketing then.',
  }),
)

export const MessageTemplate = record(
  'MessageTemplate',
  { ...templateFields, category: givenCategory },
  'The template that the message is made from, and its parameters.',
)
export type MessageTemplate = Static<typeof MessageTemplate>

export const Template = record(
  'Template',
  {
    name,
    language,
    category: orNull(
      Type.String({
        maxLength: longestTemplateWord,
        description: "The network's own category, in lower case.",
        examples: ['utility'],
      }),
    ),
    status: oneOf(templateStatuses, {
      title: 'TemplateStatus',
      description: [
        'Whether messages can be made from it. New values may be added.',
        ...templateStatuses.map((status) => `- \`${status}\`: ${templateStatusMeanings[status]}`),
      ].join('\n'),
    }),
    network_status: orNull(
      Type.String({ maxLength: longestTemplateWord, description: "The network's own word for the status." }),
    ),
    rejected_reason: orNull(
      Type.String({
        maxLength: longestRejection,
        description: "The reason for its rejection, in the network's own words, if the network gives one.",
      }),
    ),
    components: Type.Array(TemplateComponent, {
      maxItems: maxTemplateComponents,
      description: 'Its parts, as the network describes them; parts that are nested too deeply are left out.',
    }),
  },
  'A template of the account, which the network has to approve before messages can be made from it.',
)
export type Template = Static<typeof Template>
export type { TemplateStatus }

export const TemplatePage = page('TemplatePage', Template)
