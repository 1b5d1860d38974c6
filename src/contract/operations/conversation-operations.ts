import { operation } from '../operation.ts'
import { ConversationPage } from '../resources/conversation.ts'
import { deliveredMessage } from '../resources/examples.ts'
import { InstanceName, paging, record } from '../scalars.ts'
import Type from '../type.ts'

const { instance, conversation } = deliveredMessage

export const listConversations = operation('GET /v1/conversations', {
  id: 'listConversations',
  summary: 'List the conversations',
  description:
    'Lists the conversations of your organization with their last messages, newest first. A person with several known ' +
    'addresses (`aliases`) is listed once, under the address of the last message. `GET ' +
    '/v1/messages?instance=…&conversation=…` lists the messages of a conversation. A conversation that gets a message ' +
    'while you read page after page moves to the front, so it may be missing from the pages that follow. A conversation is ' +
    'removed with its last message.',
  access: 'read',
  filtered: true,
  query: record('ListConversationsQuery', { instance: Type.Optional(InstanceName), ...paging }),
  responses: {
    200: {
      description: 'A page of conversations.',
      body: ConversationPage,
      example: {
        data: [
          {
            ...{ instance, conversation, aliases: [], name: 'Ana', username: null, unread: 0 },
            last_message: deliveredMessage,
          },
        ],
        next_cursor: null,
      },
    },
  },
})

export const conversationOperations = [listConversations] as const
