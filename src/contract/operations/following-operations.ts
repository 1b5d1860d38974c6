import { operation } from '../operation.ts'
import { canceledMessage, deliveredMessage, queuedMessage } from '../resources/examples.ts'
import { Message } from '../resources/message.ts'
import { EditMessage, RetractMessage, SendReaction } from '../resources/sending.ts'
import { acceptedMessage, messagePath, sending, sendingProblems } from './message-operations.ts'

/** Messages that change another one, or react to it. */
const following = {
  ...sending,
  filtered: true,
  params: messagePath,
} as const

const problems = [
  ...sendingProblems,
  'not_supported_by_network',
  'outside_reply_window',
  'target_not_sent',
  'message_not_editable',
] as const

const waits =
  'It is a message of its own, with a status of its own: it is stored before the response. If the other message is still ' +
  'being sent, this one waits for it, and by default expires no earlier; if that is never sent, this one fails with `target_not_sent`.'

const target = {
  message_id: deliveredMessage.id,
  network_message_id: deliveredMessage.network_message_id,
}

export const reactToMessage = operation('POST /v1/messages/{id}/reaction', {
  id: 'reactToMessage',
  summary: 'React to a message',
  description:
    'Reacts with an emoji to a message that you sent or received, or takes your reaction back (`emoji: null`). The network must ' +
    `have reactions (\`abilities.sends\`). ${waits}`,
  ...following,
  body: SendReaction,
  responses: {
    202: {
      ...acceptedMessage,
      example: { ...queuedMessage, kind: 'reaction', text: '👍', relation: { type: 'reaction', ...target } },
    },
  },
  problems,
  examples: {
    thumb: { summary: 'A reaction', value: { emoji: '👍' } },
    none: { summary: 'Take it back', value: { emoji: null } },
  },
})

export const editMessage = operation('POST /v1/messages/{id}/edit', {
  id: 'editMessage',
  summary: 'Edit a message that you sent',
  description:
    'Replaces the text of a text that you sent, or the caption of a file. The network must be able to (`abilities.sends`), and ' +
    'may allow it only for some time (`limits.edit_seconds`). The edit is a message whose `relation` is a `correction`; ' +
    'the other message stays as you sent it. If that message is still waiting, it is sent with the newest text, and all its edits become ' +
    `\`sent\` with it, without attempts of their own, including older ones, whose texts the recipient never sees. ${waits}`,
  ...following,
  body: EditMessage,
  responses: {
    202: {
      ...acceptedMessage,
      example: {
        ...queuedMessage,
        text: 'Your order arrives on Monday.',
        relation: { type: 'correction', ...target },
      },
    },
  },
  problems: [...problems, 'not_your_message', 'edit_window_over'],
  examples: { text: { summary: 'Another text', value: { text: 'Your order arrives on Monday.' } } },
})

export const retractMessage = operation('POST /v1/messages/{id}/retract', {
  id: 'retractMessage',
  summary: 'Retract a message that you sent',
  description:
    'Asks the network to remove a message that you sent, for everyone. The network must be able to (`abilities.sends`), and may allow ' +
    'it only for some time (`limits.retract_seconds`). The recipient may have read it already. If the message is still waiting, it ' +
    `is canceled instead, on any network: the response is then 200 with that message. ${waits}`,
  ...following,
  body: RetractMessage,
  responses: {
    200: {
      description: 'The message had not left: it was canceled.',
      body: Message,
      example: canceledMessage,
    },
    202: {
      ...acceptedMessage,
      example: { ...queuedMessage, kind: 'retraction', relation: { type: 'retraction', ...target } },
    },
  },
  problems: [...problems, 'not_your_message', 'edit_window_over'],
  examples: { plain: { summary: 'Retract it', value: {} } },
})

export const followingOperations = [reactToMessage, editMessage, retractMessage] as const
