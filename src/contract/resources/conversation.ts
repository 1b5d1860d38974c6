import type { Static } from 'typebox'
import { InstanceName, page, record } from '../scalars.ts'
import Type from '../type.ts'
import { Message } from './message.ts'

export const Conversation = record(
  'Conversation',
  {
    instance: InstanceName,
    conversation: Type.String({
      description: 'The address of the conversation, as in its messages.',
      examples: ['ana@delivers.sandbox'],
    }),
    aliases: Type.Array(Type.String(), {
      description: 'Other addresses of the same person, as far as the network has given them.',
    }),
    last_message: Message,
  },
  'The messages of one instance with one address, in both directions.',
)
export type Conversation = Static<typeof Conversation>

export const ConversationPage = page('ConversationPage', Conversation)
