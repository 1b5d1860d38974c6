import type { INodeProperties } from 'n8n-workflow'
import { contentFields } from './content-fields'
import { fileFields } from './file-fields'
import { instanceChoice, listFields } from './instance-choice'

const operation: INodeProperties = {
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: ['message'] } },
  options: [
    {
      name: 'Cancel',
      value: 'cancel',
      action: 'Cancel a message',
      description: 'Cancel a message that still waits',
    },
    {
      name: 'Edit',
      value: 'edit',
      action: 'Edit a message',
      description: 'Replace the text of a message that was sent, where the network can do that',
    },
    {
      name: 'Get',
      value: 'get',
      action: 'Get a message',
      description: 'Get a message and how far it has got',
    },
    {
      name: 'Get File',
      value: 'getFile',
      action: 'Get the file of a message',
      description: 'Get a message with the file that was sent or received with it',
    },
    {
      name: 'Get Many',
      value: 'getAll',
      action: 'Get many messages',
      description: 'List messages that were sent or received, newest first',
    },
    {
      name: 'Mark as Read',
      value: 'markRead',
      action: 'Mark a message as read',
      description:
        'Tell the sender that a message was read, where the network can, and count its conversation as read',
    },
    {
      name: 'React',
      value: 'react',
      action: 'React to a message',
      description: 'Add an emoji to a message, or take it back',
    },
    {
      name: 'Retract',
      value: 'retract',
      action: 'Retract a message',
      description: 'Ask the network to remove a message that was sent, for everyone',
    },
    {
      name: 'Send Buttons',
      value: 'sendButtons',
      action: 'Send buttons',
      description: 'Send a question with buttons to reply with',
    },
    {
      name: 'Send Contact',
      value: 'sendContact',
      action: 'Send a contact',
      description: 'Send the contact details of a person',
    },
    {
      name: 'Send File',
      value: 'sendFile',
      action: 'Send a file',
      description: 'Send a document, an image, audio, a video or a sticker',
    },
    {
      name: 'Send List',
      value: 'sendList',
      action: 'Send a list',
      description: 'Send a question with a list to choose from',
    },
    {
      name: 'Send Location',
      value: 'sendLocation',
      action: 'Send a location',
      description: 'Send a location on a map',
    },
    {
      name: 'Send Poll',
      value: 'sendPoll',
      action: 'Send a poll',
      description: 'Send a question with answers',
    },
    {
      name: 'Send Template',
      value: 'sendTemplate',
      action: 'Send a template',
      description: 'Send a template that the network approved, also if the time to answer is over',
    },
    { name: 'Send Text', value: 'sendText', action: 'Send a text', description: 'Send a text message' },
  ],
  default: 'sendText',
}

const withRecipient = [
  ...['sendText', 'sendFile', 'sendLocation', 'sendContact', 'sendButtons', 'sendList'],
  ...['sendPoll', 'sendTemplate'],
]
const following = ['react', 'edit', 'retract']
const withMentions = ['sendText', 'sendFile']
const sending = { show: { resource: ['message'], operation: withRecipient } }

const options: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add option',
  default: {},
  displayOptions: { show: { resource: ['message'], operation: [...withRecipient, ...following] } },
  options: [
    {
      displayName: 'Client Reference',
      name: 'clientRef',
      type: 'string',
      default: '',
      description: 'A reference of your own, by which messages can be listed',
    },
    {
      displayName: 'Expires At',
      name: 'expiresAt',
      type: 'dateTime',
      default: '',
      description: 'When to give up; by default, 24 hours after it is to be sent',
    },
    {
      displayName: 'Idempotency Key',
      name: 'idempotencyKey',
      type: 'string',
      default: '',
      placeholder: 'order-4711-shipped',
      description:
        'Two messages with the same key are sent once. By default, each item of each execution has a key, which Retry On Fail keeps. Set one of your own if executions may be repeated.',
    },
    {
      displayName: 'Labels',
      name: 'metadata',
      type: 'fixedCollection',
      typeOptions: { multipleValues: true },
      default: {},
      description: 'Labels of your own, which come back with the message and in its events',
      options: [
        {
          displayName: 'Label',
          name: 'label',
          values: [
            { displayName: 'Name', name: 'name', type: 'string', default: '' },
            { displayName: 'Value', name: 'value', type: 'string', default: '' },
          ],
        },
      ],
    },
    {
      displayName: 'Mentions',
      name: 'mentions',
      type: 'string',
      default: '',
      placeholder: '+4915112345678, +4915187654321',
      displayOptions: { show: { '/operation': withMentions } },
      description:
        'The addresses of those whom the text mentions in a group, separated by commas. Write each in the text as @ with the address.',
    },
    {
      displayName: 'Reply To',
      name: 'replyTo',
      type: 'string',
      default: '',
      placeholder: 'msg_…',
      displayOptions: { show: { '/operation': withRecipient } },
      description: 'The ID of the message that this one answers, where the network shows that',
    },
    {
      displayName: 'Send At',
      name: 'sendAt',
      type: 'dateTime',
      default: '',
      description: 'When to send it, at most 30 days ahead; by default, at once',
    },
    {
      displayName: 'Topic',
      name: 'topic',
      type: 'string',
      default: '',
      placeholder: '42',
      displayOptions: { show: { '/operation': withRecipient } },
      description:
        'The ID of the topic, as messages in it have it; by default, the topic of the message that this one answers',
    },
    {
      displayName: 'Wait',
      name: 'wait',
      type: 'number',
      typeOptions: { minValue: 0, maxValue: 60 },
      default: 20,
      description:
        'Seconds to wait until the message was sent. Without it, the result is the accepted message.',
    },
  ],
}

const filters: INodeProperties = {
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  displayOptions: { show: { resource: ['message'], operation: ['getAll'] } },
  options: [
    { displayName: 'Client Reference', name: 'client_ref', type: 'string', default: '' },
    { displayName: 'Conversation', name: 'conversation', type: 'string', default: '' },
    { displayName: 'Created After', name: 'created_after', type: 'dateTime', default: '' },
    { displayName: 'Created Before', name: 'created_before', type: 'dateTime', default: '' },
    {
      displayName: 'Direction',
      name: 'direction',
      type: 'options',
      options: [
        { name: 'Received', value: 'inbound' },
        { name: 'Sent', value: 'outbound' },
      ],
      default: 'inbound',
    },
    {
      ...instanceChoice,
      required: false,
    },
    { displayName: 'Status', name: 'status', type: 'string', default: '', placeholder: 'failed' },
    { displayName: 'Text Contains', name: 'text', type: 'string', default: '' },
  ],
}

export const messageFields: INodeProperties[] = [
  operation,
  { ...instanceChoice, displayOptions: sending },
  {
    displayName: 'To',
    name: 'to',
    type: 'string',
    default: '',
    required: true,
    placeholder: '+4915112345678',
    displayOptions: sending,
    description:
      'The address of the recipient in the form of the network, or the conversation of a message that was received',
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 3 },
    default: '',
    required: true,
    displayOptions: { show: { resource: ['message'], operation: ['sendText', 'edit'] } },
    description: 'The plain text, of at most 4,096 characters',
  },
  ...fileFields,
  ...contentFields,
  {
    displayName: 'Message ID',
    name: 'messageId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'msg_…',
    displayOptions: {
      show: { resource: ['message'], operation: ['cancel', 'get', 'getFile', 'markRead', ...following] },
    },
    description: 'The ID that sending or an event gave',
  },
  ...listFields('message'),
  filters,
  options,
]
