import Type, { type Static } from 'typebox'
import { callerMoment, InstanceName, id, Metadata, moment, oneOf, orNull, record } from './scalars.ts'
import { mediaKinds, messageStatuses, messageStatusMeanings } from './statuses.ts'

export const MessageStatus = oneOf(messageStatuses, {
  title: 'MessageStatus',
  description: [
    'How far the message got. A status never moves backwards.',
    ...messageStatuses.map((status) => `- \`${status}\`: ${messageStatusMeanings[status]}`),
  ].join('\n'),
})
export type MessageStatus = Static<typeof MessageStatus>

export type MediaKind = (typeof mediaKinds)[number]

export const messageDirections = ['outbound', 'inbound'] as const
export type MessageDirection = (typeof messageDirections)[number]

/** What can be sent. */
export const sentKinds = ['text', ...mediaKinds] as const
export type SentKind = (typeof sentKinds)[number]

export const messageKinds = [...sentKinds, 'reaction', 'retraction', 'unsupported'] as const
export type MessageKind = (typeof messageKinds)[number]

/** How a message can refer to another one. */
export const relationTypes = ['correction', 'reply', 'reaction', 'retraction'] as const
export type RelationType = (typeof relationTypes)[number]

/** The largest file of each kind that is accepted at all, in bytes; networks may take less. */
export const largestFile: Readonly<Record<MediaKind, number>> = {
  document: 100 * 1024 * 1024,
  audio: 16 * 1024 * 1024,
  image: 16 * 1024 * 1024,
}

/** The longest text that any network may take, in characters; networks may allow less. */
export const longestText = 4096
const longestCaption = 1024

const MessageError = record(
  'MessageError',
  {
    code: Type.String({
      description:
        'Why, stable. The codes stand in the section of the network, and those of files that cannot be had under *Messages*.',
      examples: ['recipient_unknown'],
    }),
    detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
    permanent: Type.Boolean({
      description:
        'True where the same message would be refused again. Where it is false, Posthorn tries again by itself while the message is `queued` or `sending`.',
    }),
    network_code: orNull(Type.String({ description: "The network's own code, word for word." })),
  },
  'The last refusal of the network, or why the file could not be had. Null where nothing was refused, and where the last attempt ' +
    'ended without an answer. Of a message that was received, why its file is not there yet, or will not be.',
)

const Media = record(
  'Media',
  {
    filename: orNull(
      Type.String({
        description:
          'The name that the recipient sees: yours, made harmless. Of a file that was received, what its sender named it, shortened before its ending to 240 bytes of UTF-8.',
      }),
    ),
    mime_type: orNull(Type.String({ description: 'The type found from the bytes.' })),
    size: orNull(Type.Integer({ minimum: 0, description: 'In bytes.' })),
    sha256: orNull(Type.String({ description: 'The SHA-256 of the bytes, in hexadecimal.' })),
  },
  'The file of a message, as it is sent: a voice note as it was converted. What is not known before the file was fetched is null.',
)

const Relation = record(
  'Relation',
  {
    type: oneOf(relationTypes, {
      title: 'RelationType',
      description:
        '`correction`: its text stands in place of the text of the other one. `reply`: it answers the other one. `reaction`: its text ' +
        'is all the emojis that the sender now has on the other one, and empty if those were taken back. `retraction`: the sender ' +
        'takes the other one back.',
    }),
    message_id: orNull(
      id(
        'msg',
        'The other message, if Posthorn has it in the same conversation. Senders correct and retract what they wrote themselves, and ' +
          'nothing else.',
      ),
    ),
    network_message_id: orNull(
      Type.String({
        description:
          'The `network_message_id` of the other message, if Posthorn has it; otherwise the id by which the sender calls it, or null ' +
          'if that is none that can be shown.',
      }),
    ),
  },
  'Which message this one refers to, and how. Null if it refers to none, and for messages that you send.',
)
export type Relation = Static<typeof Relation>

const Unsupported = record(
  'Unsupported',
  {
    type: Type.String({
      description:
        'What it is, stable, for example `encrypted`: readable for other clients of the account alone.',
      examples: ['encrypted'],
    }),
    name: orNull(
      Type.String({ description: "The network's own word for it, as far as it tells.", examples: ['OMEMO'] }),
    ),
  },
  'Why nothing of the message can be shown, where the kind is `unsupported`. Null elsewhere.',
)
export type Unsupported = Static<typeof Unsupported>

export const Message = record(
  'Message',
  {
    id: id('msg', 'Identifies the message for good.'),
    direction: oneOf(messageDirections, {
      title: 'MessageDirection',
      description: '`outbound`: you sent it. `inbound`: it was sent to the account of the instance.',
    }),
    instance: InstanceName,
    from: orNull(
      Type.String({
        description:
          'The address of who wrote it, normalised; null where you did, through the account of the instance.',
        examples: ['ana@example.org'],
      }),
    ),
    to: orNull(
      Type.String({
        description:
          'The address of the recipient, normalised. Of a message that was received, the account of the instance, where it is known.',
        examples: ['ana@example.org'],
      }),
    ),
    conversation: Type.String({
      description:
        'The address of the conversation that it belongs to, normalised: where an answer is to be sent. Between two people it is the other one.',
      examples: ['ana@example.org'],
    }),
    kind: oneOf(messageKinds, {
      title: 'MessageKind',
      description:
        'What the message is. Of a file that was received it is found from the bytes, and `document` until they are there. ' +
        'Only received are: `reaction`, whose `relation` names what it is about; `retraction`, which has no text; and `unsupported`, ' +
        'of which nothing can be shown here but that it came.',
    }),
    status: MessageStatus,
    text: Type.Optional(
      Type.String({
        description:
          'The text, where the kind is `text`, and the emojis of a `reaction`, with a space between them. One that was received may be longer than any that can be sent; it is cut after ' +
          '65,536 bytes of UTF-8, and U+FFFD stands where it held U+0000 or a lone surrogate.',
      }),
    ),
    caption: Type.Optional(orNull(Type.String({ description: 'The caption of a media message.' }))),
    media: Type.Optional(Media),
    subject: orNull(
      Type.String({ description: 'The subject of a message that was received, where it has one.' }),
    ),
    relation: orNull(Relation),
    unsupported: orNull(Unsupported),
    network_message_id: Type.String({
      description:
        'The id under which the network knows the message: fixed when it was accepted, used by every attempt. Of a message ' +
        'that was received, the id that the network gave it.',
    }),
    client_ref: orNull(Type.String({ description: 'Your own reference.' })),
    metadata: Metadata,
    error: orNull(MessageError),
    attempts: Type.Integer({
      minimum: 0,
      description: 'How many attempts to hand it to the network were begun.',
    }),
    created_at: moment('When it was accepted, or received.'),
    send_at: orNull(moment('When it is to be sent, if not at once.')),
    expires_at: orNull(
      moment(
        'Until when attempts are begun. Then it becomes `expired`, or `unknown` where an attempt ended without an answer. Null ' +
          'for a message that was received.',
      ),
    ),
    sent_at: orNull(
      moment(
        'When the network acknowledged it. Of a message that was received, when it was sent, as far as the network tells.',
      ),
    ),
    delivered_at: orNull(moment("When the recipient's side confirmed that it arrived.")),
    read_at: orNull(moment("When the recipient's side confirmed that it was read.")),
  },
  'A message and everything that is known about its way.',
)
export type Message = Static<typeof Message>

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
      description: 'Your own reference; messages can be found by it.',
    }),
  ),
  metadata: Type.Optional(Metadata),
  send_at: Type.Optional(
    callerMoment(
      'Send it then, and not before; at most 30 days ahead. A time that is past means at once, and is no error.',
    ),
  ),
  expires_at: Type.Optional(
    callerMoment(
      'Begin no attempt after that: 24 hours after its time to be sent if left out, at most 30 days after it. A time that is past, ' +
        'or not after `send_at`, is refused.',
    ),
  ),
}

export const SendText = record('SendText', {
  ...sending,
  text: Type.String({
    minLength: 1,
    maxLength: longestText,
    description: 'The text: plain, of at most 4,096 characters or what the network allows.',
    examples: ['Your order is on its way.'],
  }),
})
export type SendText = Static<typeof SendText>

const mediaFields = {
  ...sending,
  kind: oneOf(mediaKinds, { title: 'MediaKind', description: 'As what the recipient is to see it.' }),
  caption: Type.Optional(Type.String({ maxLength: longestCaption, description: 'A text shown with it.' })),
  filename: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The name that the recipient sees, instead of the one that comes with the file. Paths, and characters that are not seen or ' +
        'that some system does not take, are left out of it, and an image or audio gets an ending that fits it. What is left may have 230 bytes of UTF-8; a longer name is ' +
        'refused, and so is a longer one of an uploaded file without `filename`. Names that servers give files are shortened, and ' +
        'keep their endings.',
    }),
  ),
  voice: Type.Optional(
    Type.Boolean({
      description:
        'Send audio as a voice note, where the network has such a thing. What is not OGG with Opus is converted, if the server can.',
    }),
  ),
}

export const SendMedia = record('SendMedia', {
  ...mediaFields,
  url: Type.String({
    format: 'uri',
    maxLength: 2048,
    description:
      'Where Posthorn fetches the file: by HTTPS, on port 443, at a public address. The operator may list others. A file as base64 or a ' +
      '`data:` URL is refused: upload it.',
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
      description: 'Send audio as a voice note, converted where it is not OGG with Opus and the server can.',
    }),
  ),
  metadata: Type.Optional(
    Type.String({
      maxLength: 20_000,
      contentMediaType: 'application/json',
      description: 'Your own labels, as a JSON object.',
    }),
  ),
  // JSON Schema 2020-12 says it by the media type; generators that come from OpenAPI 3.0 look for the format.
  file: Type.String({
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: 'The file itself: its bytes, not base64 and not a `data:` URL.',
  }),
})
