import type { Static } from 'typebox'
import { InstanceName, id, Metadata, moment, oneOf, orNull, record } from '../scalars.ts'
import {
  type mediaKinds,
  messageStatuses,
  messageStatusMeanings,
  receivedKinds,
  relationTypes,
  sentKinds,
} from '../statuses.ts'
import Type from '../type.ts'
import { contentFields } from './content.ts'
import { MessageTemplate } from './template.ts'
import { WaitsFor } from './waits-for.ts'

export const MessageStatus = oneOf(messageStatuses, {
  title: 'MessageStatus',
  description: [
    'The progress of the message. A status never moves backwards.',
    ...messageStatuses.map((status) => `- \`${status}\`: ${messageStatusMeanings[status]}`),
  ].join('\n'),
})
export type MessageStatus = Static<typeof MessageStatus>

export type MediaKind = (typeof mediaKinds)[number]

export const messageDirections = ['outbound', 'inbound'] as const
export const messageOrigins = ['posthorn', 'elsewhere'] as const
export type MessageDirection = (typeof messageDirections)[number]

export const messageKinds = [...sentKinds, ...receivedKinds] as const
export type MessageKind = (typeof messageKinds)[number]

/** The largest file of each kind that is accepted at all, in bytes; networks may take less. */
export const largestFile: Readonly<Record<MediaKind, number>> = {
  document: 100 * 1024 * 1024,
  audio: 16 * 1024 * 1024,
  image: 16 * 1024 * 1024,
  video: 100 * 1024 * 1024,
  sticker: 1024 * 1024,
}

/** The longest text that any network may accept, in characters; networks may allow less. */
export const longestText = 4096
export const longestCaption = 1024

export const MessageError = record(
  'MessageError',
  {
    code: Type.String({
      description:
        'The reason, as a stable code. The codes are listed in the section of the network, and those for files under *Messages*.',
      examples: ['recipient_unknown'],
    }),
    detail: Type.String({ description: 'What happened and what to do next, for a person.' }),
    permanent: Type.Boolean({
      description:
        'True if the network would reject the same message again. If false, Posthorn tries again by itself while the message ' +
        'is `queued` or `sending`.',
    }),
    network_code: orNull(Type.String({ description: "The network's own code, word for word." })),
  },
  "The network's last rejection, or the reason why the file could not be fetched. Null if there was none, or if the last " +
    'attempt was uncertain. For a received message, the reason why its file is not available.',
)
export type MessageError = Static<typeof MessageError>

const Notice = record(
  'MessageNotice',
  {
    code: Type.String({
      description: 'The notice, as a stable code. The codes are listed in the section of the network.',
      examples: ['sent_as_document'],
    }),
    detail: Type.String({ description: 'What happened and what it means, for a person.' }),
  },
  'A difference between the message that you sent and the one that the recipient got.',
)
export type MessageNotice = Static<typeof Notice>

const Media = record(
  'Media',
  {
    filename: orNull(
      Type.String({
        description:
          'The name that the recipient sees: yours, with unsafe characters removed. For a received file, the name that its ' +
          'sender gave it, shortened to 240 bytes of UTF-8 before its extension.',
      }),
    ),
    mime_type: orNull(Type.String({ description: 'The type detected from the bytes.' })),
    size: orNull(Type.Integer({ minimum: 0, description: 'In bytes.' })),
    sha256: orNull(Type.String({ description: 'The SHA-256 of the bytes, in hexadecimal.' })),
  },
  'The file of a message as it is sent, which for a voice note is after conversion. Values that are unknown until the file is fetched are null.',
)

const Relation = record(
  'Relation',
  {
    type: oneOf(relationTypes, {
      title: 'RelationType',
      description:
        '`correction`: its text replaces the text of the other message. `reply`: it replies to the other message. ' +
        '`reaction`: its text lists all current reactions of the sender to the other message, and is empty if they were ' +
        'removed. `retraction`: the sender retracts the other message. A reply by a button, a form or a poll is a `reply`, too.',
    }),
    message_id: orNull(
      id(
        'msg',
        'The other message, if Posthorn has it in the same conversation. Senders can correct and retract ' +
          'only their own messages.',
      ),
    ),
    network_message_id: orNull(
      Type.String({
        description:
          'The `network_message_id` of the other message, if Posthorn has it; otherwise the id that the sender used for it, or null ' +
          'if that id cannot be shown.',
      }),
    ),
  },
  'The relation of this message to another one. Null if there is none.',
)
export type Relation = Static<typeof Relation>

const Unsupported = record(
  'Unsupported',
  {
    type: Type.String({
      description:
        'The type of content, as a stable code. For example, `encrypted`: only other clients of the account can read it. ' +
        '`undecryptable`: it could not be decrypted, and Posthorn asked the sender to send it again. If a readable copy ' +
        'arrives, its content replaces this, under the same `id`, and the event follows once more.',
      examples: ['encrypted'],
    }),
    name: orNull(
      Type.String({ description: "The network's own name for it, if it gives one.", examples: ['OMEMO'] }),
    ),
  },
  'The reason why the content of the message cannot be shown, if the kind is `unsupported`. Null otherwise.',
)
export type Unsupported = Static<typeof Unsupported>

export const Message = record(
  'Message',
  {
    id: id('msg', 'Identifies the message permanently.'),
    direction: oneOf(messageDirections, {
      title: 'MessageDirection',
      description: '`outbound`: you sent it. `inbound`: it was sent to the account of the instance.',
    }),
    origin: orNull(
      oneOf(messageOrigins, {
        title: 'MessageOrigin',
        description:
          '`posthorn`: it was sent through Posthorn. `elsewhere`: the account sent it from another client, such as a phone; it is ' +
          '`sent` from the beginning. Null for a received message.',
      }),
    ),
    instance: InstanceName,
    from: orNull(
      Type.String({
        description:
          'The normalized address of the sender; null if you sent it, through the account of the instance.',
        examples: ['ana@example.org'],
      }),
    ),
    to: orNull(
      Type.String({
        description:
          'The normalized address of the recipient. For a received message, the account of the instance, if it is known.',
        examples: ['ana@example.org'],
      }),
    ),
    conversation: Type.String({
      description:
        'The normalized address of the conversation: to reply, send a message to it. Between two people, it is the address of the other person.',
      examples: ['ana@example.org'],
    }),
    aliases: Type.Array(
      Type.String({ description: 'A normalized address.', examples: ['US.13491208655302741918'] }),
      {
        description:
          'Other addresses of the same person that the network gave with the message: of the sender, or of the recipient ' +
          'if the account sent it from elsewhere. Empty on most networks, and for messages that you sent. You can send to ' +
          'any of them, and list the conversation by any of them.',
      },
    ),
    kind: oneOf(messageKinds, {
      title: 'MessageKind',
      description:
        'The kind of message. For a received file, it is detected from the bytes, and is `document` until they are ' +
        'fetched. A `reaction` or `retraction` refers to the message that its `relation` names. Some kinds are only ' +
        'received: those that end in `_reply`, `order` and `poll_vote`, and `unsupported`, whose content cannot be shown.',
    }),
    status: MessageStatus,
    text: Type.Optional(
      Type.String({
        description:
          'The text of a `text`, or the emojis of a `reaction`, separated by spaces. For other kinds, a description in words of what their content field ' +
          'says. A received text may be longer than one ' +
          'that can be sent; it is cut after ' +
          '65,536 bytes of UTF-8, and U+FFFD replaces U+0000 and lone surrogates.',
      }),
    ),
    caption: Type.Optional(
      orNull(
        Type.String({ description: 'The caption of a media message, or of one that is `unsupported`.' }),
      ),
    ),
    media: Type.Optional(Media),
    template: Type.Optional(MessageTemplate),
    ...contentFields,
    subject: orNull(Type.String({ description: 'The subject of a received message, if it has one.' })),
    relation: orNull(Relation),
    unsupported: orNull(Unsupported),
    network_message_id: orNull(
      Type.String({
        description:
          'The id under which the network knows the message. If the network assigns ids, it is null until the network has assigned one; ' +
          'otherwise it is fixed when the message is accepted, and used by every attempt.',
      }),
    ),
    client_ref: orNull(Type.String({ description: 'Your own reference.' })),
    metadata: Metadata,
    error: orNull(MessageError),
    notices: Type.Array(Notice, {
      description:
        'Differences between the message that you sent and the one that the recipient got. Usually empty.',
    }),
    attempts: Type.Integer({
      minimum: 0,
      description: 'The number of attempts to send it that were started.',
    }),
    created_at: moment('When it was accepted, or received.'),
    send_at: orNull(moment('When to send it, if not at once.')),
    expires_at: orNull(
      moment(
        'No attempt starts after this time. The message then becomes `expired`, or `unknown` if an attempt was uncertain. Null ' +
          'for a received message, and for one that was sent elsewhere.',
      ),
    ),
    sent_at: orNull(
      moment(
        'When the network acknowledged it. For a received message, when it was sent, if the network says so.',
      ),
    ),
    delivered_at: orNull(moment("When the recipient's side confirmed that it arrived.")),
    read_at: orNull(moment("When the recipient's side confirmed that it was read.")),
    window_ends_at: orNull(
      moment(
        'The time until which the network lets you reply freely (`abilities.reply_window_seconds`). For a received message, ' +
          'it follows from this message. For one that you sent, it is the time that was known when the message was accepted; ' +
          'the window is longer if the recipient has written since. Null if it is not known, and on networks where you can ' +
          'reply at any time.',
      ),
    ),
    waits_for: Type.Optional(orNull(WaitsFor)),
    forgotten: Type.Optional(
      Type.Boolean({
        description:
          'True if its person was forgotten (`DELETE /v1/instances/{name}/contacts/{address}`): its texts, names and file ' +
          'are gone, and its ids remain. Absent otherwise.',
      }),
    ),
  },
  'A message and everything that is known about its delivery.',
)
export type Message = Static<typeof Message>
