import type { Static } from 'typebox'
import { openObject, orNull, record } from '../scalars.ts'
import Type from '../type.ts'

/*
 * The contents of messages besides texts and files, in the same words in both directions. Beyond these bounds,
 * what people send is cut (`messages/inbox/received-content.ts`).
 */

const words = (longest: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: longest, description, examples: [example] })

export const maxPlaceName = 256
export const maxPlaceAddress = 1024

export const locationFields = {
  latitude: Type.Number({
    minimum: -90,
    maximum: 90,
    description: 'Degrees north of the equator.',
    examples: [-23.5614],
  }),
  longitude: Type.Number({
    minimum: -180,
    maximum: 180,
    description: 'Degrees east of Greenwich.',
    examples: [-46.6559],
  }),
}

const placeName = words(maxPlaceName, 'The name of the location.', 'MASP')
const placeAddress = words(
  maxPlaceAddress,
  'The postal address of the location.',
  'Av. Paulista 1578, São Paulo',
)

export const placeFields = {
  ...locationFields,
  name: Type.Optional(placeName),
  address: Type.Optional(placeAddress),
}

export const Location = record(
  'Location',
  { ...locationFields, name: orNull(placeName), address: orNull(placeAddress) },
  'The position that a `location` shows.',
)
export type Location = Static<typeof Location>

/** The most contact cards of a message, and the most phones, or emails, of a card. */
export const maxContactCards = 20
export const maxCardLines = 10

const cardName = words(256, 'The full name, as people see it.', 'Ana Souza')
const cardLine = (description: string, example: string) =>
  Type.Array(words(256, 'One of them.', example), { maxItems: maxCardLines, description })
const phones = cardLine('Phone numbers, with the country code.', '+55 11 98765-4321')
const emails = cardLine('Email addresses.', 'ana@example.org')
const company = words(256, 'The company or organization of the person.', 'Example Ltda.')

export const ContactCardToSend = record(
  'ContactCardToSend',
  {
    name: cardName,
    phones: Type.Optional(phones),
    emails: Type.Optional(emails),
    company: Type.Optional(company),
  },
  'A person whose contact details are sent.',
)

export const ContactCard = record(
  'ContactCard',
  { name: cardName, phones, emails, company: orNull(company) },
  'A person whose contact details a message contains.',
)
export type ContactCard = Static<typeof ContactCard>

/** The longest id that a caller may give a button or a row, and the longest payload. */
const maxChoiceId = 64
export const maxPayload = 1000

const choiceId = words(maxChoiceId, 'Your id, unique in the message: the reply names it.', 'confirm')
const payload = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: maxPayload,
    description: 'A text of your own that comes back with the reply. The recipient does not see it.',
  }),
)

const Button = record(
  'Button',
  { id: choiceId, title: words(64, 'The words on the button.', 'Confirm'), payload },
  'A button that the recipient can tap.',
)
const ListRow = record(
  'ListRow',
  {
    id: choiceId,
    title: words(64, 'The words of the row.', 'Tomorrow, 10:00'),
    description: Type.Optional(words(256, 'A second line.', 'With Dr. Lima')),
    payload,
  },
  'A row of a list that the recipient can choose.',
)
const ListSection = record(
  'ListSection',
  {
    title: Type.Optional(words(64, 'The heading; required if there is more than one section.', 'Morning')),
    rows: Type.Array(ListRow, { minItems: 1, maxItems: 100, description: 'Its rows.' }),
  },
  'A part of a list.',
)
const ChoiceList = record(
  'ChoiceList',
  {
    button: words(64, 'The words on the button that opens the list.', 'Choose a time'),
    sections: Type.Array(ListSection, { minItems: 1, maxItems: 20, description: 'The parts of the list.' }),
  },
  'A list that opens when the recipient taps its button.',
)
const UrlButton = record(
  'UrlButton',
  {
    title: words(64, 'The words on the button.', 'Track your order'),
    url: Type.String({
      format: 'uri',
      maxLength: 2000,
      pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
      description: 'The page that it opens: an `http` or `https` URL.',
      examples: ['https://example.org/orders/4711'],
    }),
  },
  'A button that opens a page.',
)

export const interactiveFields = {
  header: Type.Optional(words(60, 'A heading above the body.', 'Your appointment')),
  body: words(4096, 'The text of the message.', 'Does tomorrow at ten suit you?'),
  footer: Type.Optional(words(60, 'A line below the body, in small print.', 'Clinic Lima')),
  buttons: Type.Optional(
    Type.Array(Button, { minItems: 1, maxItems: 30, description: 'Buttons below the message.' }),
  ),
  list: Type.Optional(ChoiceList),
  url_button: Type.Optional(UrlButton),
}

export const Interactive = record(
  'Interactive',
  interactiveFields,
  'A message to which the recipient replies by choosing: it has one of `buttons`, `list` and `url_button`.',
)
export type Interactive = Static<typeof Interactive>

const pollOption = words(100, 'An answer.', 'Monday')

export const pollFields = {
  question: words(300, 'The question.', 'Which day suits you?'),
  options: Type.Array(pollOption, {
    minItems: 2,
    maxItems: 12,
    uniqueItems: true,
    description: 'The possible answers, each different.',
  }),
}

const severalChoices = Type.Boolean({ description: 'Whether a person may choose more than one answer.' })

export const pollToSend = { ...pollFields, multiple_answers: Type.Optional(severalChoices) }

export const Poll = record(
  'Poll',
  {
    question: pollFields.question,
    options: Type.Array(pollOption, { maxItems: 12, description: 'The possible answers.' }),
    multiple_answers: severalChoices,
  },
  'A question with possible answers.',
)
export type Poll = Static<typeof Poll>

export const PollVote = record(
  'PollVote',
  {
    options: Type.Array(pollOption, {
      maxItems: 12,
      description: 'All answers that the person chooses now; empty if they took their vote back.',
    }),
  },
  'A vote in the poll that `relation` names. A later vote of the same person replaces it.',
)
export type PollVote = Static<typeof PollVote>

export const ChoiceReply = record(
  'ChoiceReply',
  {
    id: orNull(Type.String({ description: 'The id of what was chosen; null if the network gives none.' })),
    title: Type.String({ description: 'Its words.' }),
    payload: orNull(Type.String({ description: 'Its payload, as you sent it; null if it has none.' })),
  },
  'The button or the row that a person chose. `relation` names the message that had it, if the network says so.',
)
export type ChoiceReply = Static<typeof ChoiceReply>

/** The longest response of a flow, as JSON, in bytes of UTF-8. */
export const maxFlowResponse = 32 * 1024

export const FlowReply = record(
  'FlowReply',
  {
    name: orNull(Type.String({ description: "The network's name for the kind of form." })),
    response: openObject('FlowResponse', 'The answers, in the form of the network.'),
  },
  'A form that a person filled in.',
)
export type FlowReply = Static<typeof FlowReply>

/** The most items of an order that are shown. */
export const maxOrderItems = 100

const OrderItem = record(
  'OrderItem',
  {
    product_id: Type.String({ description: 'The id of the product in the catalog.' }),
    quantity: Type.Integer({ minimum: 0, description: 'How many of it.' }),
    price: orNull(Type.Number({ description: 'The price of one, if the network says it.' })),
    currency: orNull(Type.String({ description: 'The currency of the price, as ISO 4217.' })),
  },
  'A product in an order.',
)

export const Order = record(
  'Order',
  {
    catalog_id: orNull(Type.String({ description: 'The catalog that the products are from.' })),
    items: Type.Array(OrderItem, {
      maxItems: maxOrderItems,
      description: `The products; at most ${maxOrderItems} are shown.`,
    }),
    items_left_out: Type.Integer({ minimum: 0, description: 'How many products are not shown.' }),
  },
  'An order from a catalog.',
)
export type Order = Static<typeof Order>

export const Referral = record(
  'Referral',
  {
    type: orNull(Type.String({ description: "The network's own name for it.", examples: ['ad'] })),
    id: orNull(Type.String({ description: 'The id of the advertisement or post.' })),
    url: orNull(Type.String({ description: 'Its URL.' })),
    title: orNull(Type.String({ description: 'Its heading.' })),
    text: orNull(Type.String({ description: 'Its text.' })),
    click_id: orNull(Type.String({ description: 'The id of the click, for attribution.' })),
    product_id: orNull(Type.String({ description: 'The product that the person asks about.' })),
  },
  'What led the person to write: an advertisement, a post or a product.',
)
export type Referral = Static<typeof Referral>

export const GroupTopic = record(
  'Topic',
  {
    id: Type.String({ description: 'The id of the topic at the network.' }),
    name: orNull(Type.String({ description: 'Its name, if it is known.' })),
  },
  'The topic of a group, or of a private chat that has topics, in which the message was written, or is to be shown.',
)
export type GroupTopic = Static<typeof GroupTopic>

export const WriterNames = record(
  'Sender',
  {
    address: Type.String({ description: 'The same as `from`.' }),
    name: orNull(Type.String({ description: 'The name that the person uses at the network.' })),
    username: orNull(Type.String({ description: 'The username of the person, without `@`.' })),
  },
  'The writer of a received message. People choose these names themselves, so a name proves nothing.',
)
export type WriterNames = Static<typeof WriterNames>

/** The most people that a message may mention. */
export const maxMentions = 50

/** The fields of a message that hold its content, each present if the message has it. */
export const contentFields = {
  location: Type.Optional(Location),
  contacts: Type.Optional(
    Type.Array(ContactCard, {
      maxItems: maxContactCards,
      description: 'The people that a `contacts` shows.',
    }),
  ),
  interactive: Type.Optional(Interactive),
  poll: Type.Optional(Poll),
  poll_vote: Type.Optional(PollVote),
  button_reply: Type.Optional(ChoiceReply),
  list_reply: Type.Optional(ChoiceReply),
  flow_reply: Type.Optional(FlowReply),
  order: Type.Optional(Order),
  referral: Type.Optional(Referral),
  topic: Type.Optional(GroupTopic),
  sender: Type.Optional(WriterNames),
  mentions: Type.Optional(
    Type.Array(Type.String({ description: 'A normalized address.' }), {
      maxItems: maxMentions,
      description: 'The people whom the text mentions. Present if there are any.',
    }),
  ),
}

/** The content of a message besides its text and its file: the fields that it has. */
const MessageContent = Type.Object(contentFields)
export type MessageContent = Static<typeof MessageContent>
