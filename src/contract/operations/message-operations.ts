import { idPattern } from '../../runtime/ids.ts'
import { anyMediaType, operation, pageResponse } from '../operation.ts'
import {
  canceledMessage,
  deliveredMessage,
  queuedMedia,
  queuedMessage,
  queuedTemplate,
  queuedUpload,
} from '../resources/examples.ts'
import { Message, messageDirections, messageKinds } from '../resources/message.ts'
import { SendMedia, SendTemplate, SendText, UploadFields, UploadMedia } from '../resources/sending.ts'
import { callerMoment, InstanceName, oneOf, page, paging, record } from '../scalars.ts'
import { messageStatuses } from '../statuses.ts'
import Type from '../type.ts'

/** Filters of messages, for listing and for canceling them. */
export const messageFilters = {
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'Only messages that you sent to this address, in any spelling in which you may send to it, or to another address of the same ' +
        'person. Without `instance`, it is read as each network reads it.',
    }),
  ),
  conversation: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description:
        'Only messages of this conversation, in both directions: its address, in any spelling in which you may send to it. If the person is known ' +
        'to have other addresses (`aliases`), messages with those match, too.',
    }),
  ),
  client_ref: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only messages with this reference.' }),
  ),
  created_after: Type.Optional(callerMoment('Only messages created at or after this time.')),
  created_before: Type.Optional(callerMoment('Only messages created before this time.')),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only messages whose text or caption contains this. Case is ignored, as Unicode folds it: `ß` matches `SS`, and ' +
        '`i`, `I`, `İ` and `ı` match each other. Accents count: `e` does not match `é`. The contents of templates are not searched.',
      examples: ['order'],
    }),
  ),
} as const

export const messagePath = record('MessagePath', {
  id: Type.String({ pattern: idPattern('msg'), description: 'The id of the message.' }),
})

export const acceptedMessage = {
  description: 'The message was accepted: it is on disk and will not be lost.',
  body: Message,
  example: queuedMessage,
  headers: ['Location'],
} as const

/** The sending of messages, in each of its forms. */
export const sending = {
  access: 'send',
  unaudited: 'Messages and their events are the record of what was sent, and there are too many of them.',
  idempotent: true,
  traced: true,
  waits: 'the message has left `queued` and `sending`',
} as const

export const sendingProblems = [
  'instance_deleting',
  'queue_full',
  'unsettled_quota_exceeded',
  'stored_quota_exceeded',
] as const

/** Problems of a message that refers to another one. */
export const relationProblems = ['target_not_sent', 'message_not_editable'] as const

export const sendTextMessage = operation('POST /v1/messages/text', {
  id: 'sendTextMessage',
  summary: 'Send a text',
  description:
    'Accepts a text for one recipient. 202 means stored, not sent: `status` says how far the message has got, and only the ' +
    "network and the recipient's side advance it. Messages of one instance to one recipient leave in the order in which they " +
    'were accepted. Send an `Idempotency-Key`: then you can safely repeat the request if no response arrives.',
  ...sending,
  body: SendText,
  responses: { 202: acceptedMessage },
  problems: [...sendingProblems, 'outside_reply_window', ...relationProblems],
  examples: {
    plain: {
      summary: 'A text',
      value: { instance: 'trial', to: 'ana@delivers.sandbox', text: 'Your order is on its way.' },
    },
    scheduled: {
      summary: 'A text for tomorrow morning, with your own reference',
      value: {
        instance: 'trial',
        to: 'ana@delivers.sandbox',
        text: 'See you at ten.',
        client_ref: 'appointment-4711',
        send_at: '2026-11-21T08:00:00Z',
        expires_at: '2026-11-21T10:00:00Z',
      },
    },
  },
})

export const sendTemplateMessage = operation('POST /v1/messages/template', {
  id: 'sendTemplateMessage',
  summary: 'Send a message from a template',
  description:
    'Accepts a message that is made from a template of the account, for one recipient. The network has already approved the ' +
    'wording, so such a message may also begin a conversation, or continue one in which you may no longer reply freely ' +
    '(`reply_window_seconds`). `GET /v1/instances/{name}/templates` lists the templates. Only the network knows whether a ' +
    'template exists, may be sent and fits its parameters: if not, the message becomes `failed`. For an instance of a ' +
    'network without templates, the request is refused with `templates_not_supported`. To a person who opted out of marketing, no ' +
    'template for marketing is sent: the request is refused with `recipient_opted_out`, and so is one whose category neither the ' +
    'network nor the request names.',
  ...sending,
  body: SendTemplate,
  responses: { 202: { ...acceptedMessage, example: queuedTemplate } },
  problems: [...sendingProblems, 'templates_not_supported', 'recipient_opted_out', ...relationProblems],
  examples: {
    parameters: {
      summary: 'A template with parameters in its body',
      value: {
        instance: 'trial',
        to: 'ana@delivers.sandbox',
        name: 'order_update',
        language: 'en_US',
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ana' },
              { type: 'text', text: '4711' },
            ],
          },
        ],
      },
    },
    plain: {
      summary: 'A template without parameters',
      value: { instance: 'trial', to: 'ana@delivers.sandbox', name: 'welcome', language: 'en_US' },
    },
  },
})

const voiceNote = {
  voice: {
    summary: 'A voice note as an upload',
    value: {
      instance: 'trial',
      to: 'ana@delivers.sandbox',
      kind: 'audio',
      voice: 'true',
      metadata: '{"ticket": "4711"}',
      file: '(the bytes of the file)',
    },
  },
} as const

/** The sending of a file as an upload. */
const uploading = {
  ...sending,
  multipart: UploadMedia,
  form: UploadFields,
  problems: [
    ...sendingProblems,
    'outside_reply_window',
    'files_quota_exceeded',
    'voice_queue_full',
    ...relationProblems,
  ],
  multipartExamples: voiceNote,
} as const

export const sendMediaMessage = operation('POST /v1/messages/media', {
  id: 'sendMediaMessage',
  summary: 'Send a document, audio, image, video or sticker',
  description:
    'Accepts a file for one recipient, given as a URL in a JSON body or as an upload in a multipart body. An upload is on ' +
    'disk before the response. Posthorn fetches a URL afterwards, with retries until the message expires, and then fills in ' +
    '`media`; if it cannot fetch the file, the message becomes `failed`. The type of a file is detected from its bytes: all ' +
    'kinds but documents must have a format that messaging clients show or play; a document can be anything. Files are kept for ' +
    'some time after they were sent, and then removed.',
  ...uploading,
  body: SendMedia,
  responses: { 202: { ...acceptedMessage, example: queuedMedia } },
  examples: {
    url: {
      summary: 'A document by URL',
      value: {
        instance: 'trial',
        to: 'ana@delivers.sandbox',
        kind: 'document',
        url: 'https://example.org/invoice.pdf',
        filename: 'invoice.pdf',
        caption: 'Your invoice',
      },
    },
  },
})

export const uploadMediaMessage = operation('POST /v1/messages/media/upload', {
  id: 'uploadMediaMessage',
  summary: 'Upload a document, audio, image, video or sticker',
  description:
    'Accepts a file for one recipient as an upload. It works like `POST /v1/messages/media` with a multipart body, but its ' +
    'path takes nothing else, so generated clients have a type for each kind of body. An `Idempotency-Key` applies to one ' +
    'path only.',
  ...uploading,
  responses: { 202: { ...acceptedMessage, example: queuedUpload } },
})

export const listMessages = operation('GET /v1/messages', {
  id: 'listMessages',
  summary: 'List the messages',
  description:
    'Lists the messages of your organization, sent and received, newest first. A message must match all filters. One call ' +
    'examines a part of the messages: if few of them match, its page is short or empty, and the next page continues. Only ' +
    '`next_cursor: null` means the end.',
  access: 'read',
  filtered: true,
  query: record('ListMessagesQuery', {
    instance: Type.Optional(InstanceName),
    status: Type.Optional(
      oneOf(messageStatuses, { description: 'Only messages that have this status now.' }),
    ),
    direction: Type.Optional(
      oneOf(messageDirections, {
        description: 'Only messages that you sent, or only those that you received.',
      }),
    ),
    kind: Type.Optional(
      oneOf(messageKinds, {
        description: 'Only messages of this kind. A received file is a `document` until it is fetched.',
      }),
    ),
    ...messageFilters,
    ...paging,
  }),
  responses: {
    200: pageResponse('A page of messages.', page('MessagePage', Message), [deliveredMessage]),
  },
})

export const getMessage = operation('GET /v1/messages/{id}', {
  id: 'getMessage',
  summary: 'Read a message',
  description: 'Returns the message with everything that is known about its delivery.',
  access: 'read',
  filtered: true,
  params: messagePath,
  responses: { 200: { description: 'The message.', body: Message, example: deliveredMessage } },
  // Such as `GET /v1/messages/text`.
  problems: ['method_not_allowed'],
})

const file = {
  media: {
    [anyMediaType]: { description: 'The bytes, with the type that was detected from them.', isBinary: true },
  },
} as const

export const getMessageMedia = operation('GET /v1/messages/{id}/media', {
  id: 'getMessageMedia',
  summary: 'Read the file of a message',
  description:
    'Returns the file of a message that was sent or received, for as long as it is kept: until the message is settled, and ' +
    'for 24 hours after that, unless the operator chose otherwise. Save the file instead of opening it, because its sender ' +
    'chose the content. You can request ranges of it (`Range`) to resume an interrupted download.',
  access: 'read',
  filtered: true,
  params: messagePath,
  file: true,
  responses: {
    200: {
      description: 'The whole file.',
      ...file,
      headers: ['Content-Disposition', 'ETag', 'Accept-Ranges'],
    },
    206: {
      description: 'The requested range.',
      ...file,
      headers: ['Content-Disposition', 'ETag', 'Accept-Ranges', 'Content-Range'],
    },
    304: { description: 'You have the file already.', headers: ['ETag'] },
  },
  problems: ['media_not_found', 'media_pending'],
})

export const cancelMessage = operation('POST /v1/messages/{id}/cancel', {
  id: 'cancelMessage',
  summary: 'Cancel a message',
  description:
    'Cancels a waiting message: one that is `queued`, or that the network rejected temporarily. While an attempt is in ' +
    'progress, and after an uncertain one, the message may have arrived, and the request is refused with ' +
    '`message_not_cancelable`; so is that of an edit that leaves in the message that it edits. Canceling a message that is already canceled changes nothing and gets the same response.',
  access: 'send',
  filtered: true,
  params: messagePath,
  responses: { 200: { description: 'The message was canceled.', body: Message, example: canceledMessage } },
  problems: ['message_not_cancelable'],
})

export const markMessageRead = operation('POST /v1/messages/{id}/read', {
  id: 'markMessageRead',
  summary: 'Mark a received message as read',
  description:
    'Sends a read receipt for a received message, if the network can do that (`abilities.marks_read`). The response comes ' +
    'once the network has confirmed; marking a message twice does no harm. The conversation then counts as read up to this message ' +
    '(`unread` of `GET /v1/conversations`), even if the network has no read receipts and the response says so.',
  access: 'send',
  unaudited: 'It changes nothing but the number of unread messages.',
  filtered: true,
  params: messagePath,
  responses: { 204: { description: 'The network knows that the message was read.' } },
  problems: [
    'message_not_received',
    'instance_unreachable',
    'not_supported_by_network',
    'instance_not_connected',
    'network_refused',
  ],
})

export const messageOperations = [
  sendTextMessage,
  sendMediaMessage,
  uploadMediaMessage,
  sendTemplateMessage,
  listMessages,
  getMessage,
  getMessageMedia,
  cancelMessage,
  markMessageRead,
] as const
