import { operation, pageResponse } from '../operation.ts'
import { Contact, ContactPage } from '../resources/contact.ts'
import { ConversationPage } from '../resources/conversation.ts'
import { deliveredMessage } from '../resources/examples.ts'
import { InstanceName, oneOf, paging, record } from '../scalars.ts'
import { pictureTypes } from '../statuses.ts'
import Type from '../type.ts'
import { instancePath } from './instance-operations.ts'

const { instance, conversation } = deliveredMessage
const picture_url = `/v1/instances/${instance}/contacts/${encodeURIComponent(conversation)}/picture`

export const listConversations = operation('GET /v1/conversations', {
  id: 'listConversations',
  summary: 'List the conversations',
  description:
    'Lists the conversations of your organization with their last messages, newest first. A person with several known ' +
    'addresses (`aliases`) is listed once, under the address of the last message. `GET ' +
    '/v1/messages?instance=…&conversation=…` lists the messages of a conversation. A conversation that gets a message ' +
    'while you read page after page moves to the front, so it may be missing from the pages that follow. A conversation is ' +
    'removed with its last message. With `search`, `kind` or `unread`, a page may be short, or empty, although `next_cursor` leads to more.',
  access: 'read',
  filtered: true,
  query: record('ListConversationsQuery', {
    instance: Type.Optional(InstanceName),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only those with people or groups whose name, username or address contains this. Case is ignored.',
        examples: ['ana'],
      }),
    ),
    kind: Type.Optional(
      oneOf(['person', 'group'], {
        title: 'ListedConversationKind',
        description: 'Only those with one person, or only those in groups.',
      }),
    ),
    unread: Type.Optional(Type.Boolean({ description: 'True for only those with unread messages.' })),
    ...paging,
  }),
  responses: {
    200: {
      description: 'A page of conversations.',
      body: ConversationPage,
      example: {
        data: [
          {
            ...{ instance, conversation, aliases: [], kind: 'person', name: 'Ana' },
            ...{ username: null, picture_url, unread: 0 },
            last_message: deliveredMessage,
          },
        ],
        next_cursor: null,
      },
    },
  },
})

const contact = {
  ...{ address: conversation, aliases: [], name: 'Ana', username: null, picture_url },
  ...{ marketing: null, marketing_changed_at: null },
  ...{ last_message_at: deliveredMessage.created_at, being_forgotten: false },
}

const contactPath = record('ContactPath', {
  name: InstanceName,
  address: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'An address of the person, in any spelling in which you may send to it.',
  }),
})

export const listContacts = operation('GET /v1/instances/{name}/contacts', {
  id: 'listContacts',
  summary: 'List the contacts',
  description:
    'Lists the people who have written to the instance, or about whom the network has told it, ordered by address. They stay for as ' +
    'long as messages do. A page may be short, or empty, although `next_cursor` leads to more.',
  access: 'read',
  params: instancePath,
  query: record('ListContactsQuery', {
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only people whose name, username or address contains this. Case is ignored.',
        examples: ['ana'],
      }),
    ),
    ...paging,
  }),
  responses: { 200: pageResponse('A page of contacts.', ContactPage, [contact]) },
})

export const getContact = operation('GET /v1/instances/{name}/contacts/{address}', {
  id: 'getContact',
  summary: 'Show a contact',
  description: 'Shows what is known of the person at an address.',
  access: 'read',
  params: contactPath,
  responses: { 200: { description: 'The contact.', body: Contact, example: contact } },
  problems: ['instance_not_found'],
})

const picture = {
  media: Object.fromEntries(
    pictureTypes.map((type) => [type, { description: 'The bytes of the picture.', isBinary: true } as const]),
  ),
} as const

export const getContactPicture = operation('GET /v1/instances/{name}/contacts/{address}/picture', {
  id: 'getContactPicture',
  summary: 'Show the picture of a contact',
  description:
    'Returns the picture that a person, or a group, shows at the network, if the network has pictures (`abilities.pictures`): a JPEG, PNG or ' +
    'WebP of at most 1 MB. Posthorn asks the network when you ask, and keeps a picture in memory ' +
    'for a day, or for an hour the fact that there is none. It asks only as often as networks tolerate; further ' +
    'requests are refused with `too_many_pictures`. You may keep ' +
    'the picture for an hour (`Cache-Control`); after that, send its `ETag` as `If-None-Match`.',
  access: 'read',
  params: contactPath,
  file: true,
  responses: {
    200: {
      description: 'The picture.',
      ...picture,
      headers: ['Content-Disposition', 'ETag', 'Accept-Ranges'],
    },
    206: {
      description: 'The requested range.',
      ...picture,
      headers: ['Content-Disposition', 'ETag', 'Accept-Ranges', 'Content-Range'],
    },
    304: { description: 'You have the picture already.', headers: ['ETag'] },
  },
  problems: [
    'instance_not_found',
    'instance_unreachable',
    'instance_deleting',
    'not_supported_by_network',
    'picture_not_found',
    'instance_not_connected',
    'network_refused',
    'too_many_pictures',
  ],
})

export const forgetContact = operation('DELETE /v1/instances/{name}/contacts/{address}', {
  id: 'forgetContact',
  summary: 'Forget a person',
  description:
    'Removes the contact, and empties the messages of the conversation with that person in this instance: texts, captions, subjects, ' +
    'names, files and `metadata` go, also from the events of these messages and from deliveries that are still to be sent. Ids, ' +
    'addresses, times and statuses stay, and the messages say `forgotten`. What is still queued for the person is canceled. This is done ' +
    'in parts: the contact shows `being_forgotten` until it is gone, and then its path returns `contact_not_found`. What stays is ' +
    'in backups, in responses that are kept for an `Idempotency-Key`, and what the person wrote in groups; and, if the person said so, that ' +
    'they want no marketing, with a digest of each address. The address of a group is refused with `contact_not_found`.',
  access: 'admin',
  params: contactPath,
  responses: {
    202: {
      description: 'The person is being forgotten.',
      body: Contact,
      example: { ...contact, name: null, being_forgotten: true },
    },
  },
  problems: ['instance_not_found'],
})

export const conversationOperations = [
  listConversations,
  listContacts,
  getContact,
  getContactPicture,
  forgetContact,
] as const
