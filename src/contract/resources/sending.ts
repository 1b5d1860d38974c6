import type { Static } from 'typebox'
import { callerMoment, InstanceName, Metadata, oneOf, orNull, record } from '../scalars.ts'
import { mediaKinds } from '../statuses.ts'
import Type from '../type.ts'
import {
  ContactCardToSend,
  interactiveFields,
  maxContactCards,
  maxMentions,
  placeFields,
  pollToSend,
} from './content.ts'
import { longestCaption, longestText } from './message.ts'
import { givenCategory, templateFields } from './template.ts'

/** The fields of every request to send. */
const sending = {
  instance: InstanceName,
  to: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The address of the recipient, in the form of the network.',
    examples: ['ana@example.org'],
  }),
  client_ref: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Your own reference. You can list messages by it.',
    }),
  ),
  metadata: Type.Optional(Metadata),
  send_at: Type.Optional(
    callerMoment(
      'Do not send it before this time; at most 30 days ahead. A time of at most a minute ago means at once, because clocks ' +
        'differ; an earlier time is refused.',
    ),
  ),
  expires_at: Type.Optional(
    callerMoment(
      'Start no attempt after this time. By default 24 hours after the message is to be sent, and at most 30 days after that. A time ' +
        'in the past, or not after `send_at`, is refused.',
    ),
  ),
}

const referring = {
  reply_to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'The message that this one replies to, by its `id` or its `network_message_id`. It must be in the same conversation. If it is ' +
        'still being sent, the reply waits for it.',
      examples: ['msg_06fdw2n1k7xg8qs3h5vbtc9m4r'],
    }),
  ),
  topic: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'The topic in which it is to be shown, by the `topic.id` of a message there: groups have topics, and so have private chats with ' +
        'some bots of Telegram. By default that of the message that it replies to, or else the one that the network chooses.',
      examples: ['42'],
    }),
  ),
}

const mentions = {
  mentions: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1024, description: 'An address.' }), {
      maxItems: maxMentions,
      description:
        'The people whom the text mentions, by their addresses. Only messages to groups mention people. Write each in the text as `@` ' +
        'with their address, or with the part of it before another `@`.',
    }),
  ),
}

export const SendText = record('SendText', {
  ...sending,
  ...referring,
  ...mentions,
  text: Type.String({
    minLength: 1,
    maxLength: longestText,
    description: 'The plain text: at most 4,096 characters, or fewer if the network allows fewer.',
    examples: ['Your order is on its way.'],
  }),
})
export type SendText = Static<typeof SendText>

export const SendTemplate = record('SendTemplate', {
  ...sending,
  ...referring,
  ...templateFields,
  components: Type.Optional(templateFields.components),
  category: givenCategory,
})
export type SendTemplate = Static<typeof SendTemplate>

const mediaFields = {
  ...sending,
  ...referring,
  ...mentions,
  kind: oneOf(mediaKinds, { title: 'MediaKind', description: 'How the file is shown to the recipient.' }),
  caption: Type.Optional(
    Type.String({ maxLength: longestCaption, description: 'A text shown with the file.' }),
  ),
  filename: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The name that the recipient sees, instead of the one that comes with the file. Paths, invisible characters and characters that ' +
        'some system does not allow are removed, and an image or audio gets a matching extension. The result may have at ' +
        'most 230 bytes of UTF-8; a longer name is ' +
        'refused, and so is a longer name of an uploaded file without `filename`. Names that come from a server are shortened and ' +
        'keep their extensions.',
    }),
  ),
  voice: Type.Optional(
    Type.Boolean({
      description:
        'Send audio as a voice note, if the network has voice notes. Audio other than OGG with Opus is converted, if the server can.',
    }),
  ),
}

export const SendMedia = record('SendMedia', {
  ...mediaFields,
  url: Type.String({
    format: 'uri',
    maxLength: 2048,
    description:
      'The URL that Posthorn fetches the file from: over HTTPS, on port 443, at a public address. The operator may allow other addresses. ' +
      'A file as base64 or as a `data:` URL is refused: upload it instead.',
    examples: ['https://example.org/invoice.pdf'],
  }),
})
export type SendMedia = Static<typeof SendMedia>

/** The fields of an upload, once they were read. */
export const UploadFields = record('UploadFields', mediaFields)
export type UploadFields = Static<typeof UploadFields>

export const UploadMedia = record('UploadMedia', {
  ...mediaFields,
  voice: Type.Optional(
    oneOf(['true', 'false'], {
      title: 'TrueOrFalse',
      description:
        'Send audio as a voice note. Audio other than OGG with Opus is converted, if the server can.',
    }),
  ),
  metadata: Type.Optional(
    Type.String({
      maxLength: 20_000,
      contentMediaType: 'application/json',
      description: 'Your own labels, as a JSON object.',
    }),
  ),
  mentions: Type.Optional(
    Type.String({
      maxLength: 20_000,
      contentMediaType: 'application/json',
      description: 'The people whom the caption mentions, as a JSON array of addresses.',
    }),
  ),
  // JSON Schema 2020-12 says it by the media type; generators that come from OpenAPI 3.0 look for the format.
  file: Type.String({
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The file itself: its bytes, not base64 and not a `data:` URL.',
  }),
})

export const SendLocation = record('SendLocation', { ...sending, ...referring, ...placeFields })
export type SendLocation = Static<typeof SendLocation>

export const SendContacts = record('SendContacts', {
  ...sending,
  ...referring,
  contacts: Type.Array(ContactCardToSend, {
    minItems: 1,
    maxItems: maxContactCards,
    description: 'The people whose contact details are sent.',
  }),
})
export type SendContacts = Static<typeof SendContacts>

export const SendInteractive = record('SendInteractive', { ...sending, ...referring, ...interactiveFields })
export type SendInteractive = Static<typeof SendInteractive>

export const SendPoll = record('SendPoll', { ...sending, ...referring, ...pollToSend })
export type SendPoll = Static<typeof SendPoll>

/** The fields of a request that changes or answers another message: its instance and its recipient are those of that message. */
const { client_ref, metadata, expires_at } = sending
const following = { client_ref, metadata, expires_at }

export const SendReaction = record('SendReaction', {
  ...following,
  emoji: orNull(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One emoji. It replaces the one that you sent before; null takes that back.',
      examples: ['👍'],
    }),
  ),
})
export type SendReaction = Static<typeof SendReaction>

export const EditMessage = record('EditMessage', {
  ...following,
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: longestText, description: 'The new text of a text.' }),
  ),
  caption: Type.Optional(
    Type.String({ minLength: 1, maxLength: longestCaption, description: 'The new caption of a file.' }),
  ),
})
export type EditMessage = Static<typeof EditMessage>

export const RetractMessage = record('RetractMessage', following)
export type RetractMessage = Static<typeof RetractMessage>
