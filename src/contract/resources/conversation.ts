import type { Static } from 'typebox'
import { InstanceName, oneOf, orNull, PictureUrl, page, record } from '../scalars.ts'
import Type from '../type.ts'
import { maxMentions } from './content.ts'
import { Message } from './message.ts'

/** Unread messages are counted up to this number. */
export const maxUnread = 1_000

const MentionedPerson = record(
  'MentionedPerson',
  {
    address: Type.String({ description: 'As in `mentions`.', examples: ['ana@delivers.sandbox'] }),
    name: Type.String({ description: 'The name of the person, as they or the network last gave it.' }),
  },
  'A person whom a message mentions.',
)

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
    kind: Type.Optional(
      orNull(
        oneOf(['person', 'group'], {
          title: 'ConversationKind',
          description:
            'Whether it is with one person or in a group; null if the instance was removed, so that nothing is sent there any more.',
        }),
      ),
    ),
    name: Type.Optional(
      orNull(
        Type.String({
          description:
            'The name of the person, as they or the network last gave it; of a group its subject. Null if it is not known.',
          examples: ['Ana Lima'],
        }),
      ),
    ),
    username: Type.Optional(
      orNull(
        Type.String({
          description: 'Their public name on the network, if it is known.',
          examples: ['ana_lima'],
        }),
      ),
    ),
    picture_url: Type.Optional(PictureUrl),
    unread: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxUnread,
        description:
          'The number of messages received since the account last read here, without reactions and retractions; ' +
          `${maxUnread} stands for that many or more. \`POST /v1/messages/{id}/read\` marks the messages up to that one as ` +
          'read, and so does another client of the account, if the network says so.',
      }),
    ),
    mentioned: Type.Optional(
      Type.Array(MentionedPerson, {
        maxItems: maxMentions,
        description:
          'The people whom `last_message` mentions and whose names are known. Present if there are any.',
      }),
    ),
    last_message: Message,
  },
  'The messages of one instance with one address, in both directions.',
)
export type Conversation = Static<typeof Conversation>

export const ConversationPage = page('ConversationPage', Conversation)
