import { operation } from '../operation.ts'
import { queuedMessage } from '../resources/examples.ts'
import { SendContacts, SendInteractive, SendLocation, SendPoll } from '../resources/sending.ts'
import { acceptedMessage, relationProblems, sending, sendingProblems } from './message-operations.ts'

const recipient = { instance: 'trial', to: 'ana@delivers.sandbox' }

/** The sending of contents besides texts and files. */
const sendingContent = {
  ...sending,
  problems: [...sendingProblems, 'outside_reply_window', ...relationProblems],
} as const

const whoCan =
  'The network must be able to send it (`abilities.sends` of `GET /v1/networks`); if not, the request is refused.'

export const sendLocationMessage = operation('POST /v1/messages/location', {
  id: 'sendLocationMessage',
  summary: 'Send a place',
  description: `Accepts a place on the map for one recipient. ${whoCan}`,
  ...sendingContent,
  body: SendLocation,
  responses: {
    202: {
      ...acceptedMessage,
      example: {
        ...queuedMessage,
        kind: 'location',
        text: 'MASP, Av. Paulista 1578, São Paulo',
        location: {
          latitude: -23.5614,
          longitude: -46.6559,
          name: 'MASP',
          address: 'Av. Paulista 1578, São Paulo',
        },
      },
    },
  },
  examples: {
    place: {
      summary: 'A place with its name and address',
      value: {
        ...recipient,
        latitude: -23.5614,
        longitude: -46.6559,
        name: 'MASP',
        address: 'Av. Paulista 1578, São Paulo',
      },
    },
  },
})

const lima = { name: 'Dr. Lima', phones: ['+55 11 98765-4321'], emails: ['lima@example.org'] }

export const sendContactsMessage = operation('POST /v1/messages/contacts', {
  id: 'sendContactsMessage',
  summary: 'Send contact details',
  description: `Accepts the contact details of one or more people for one recipient. ${whoCan}`,
  ...sendingContent,
  body: SendContacts,
  responses: {
    202: {
      ...acceptedMessage,
      example: {
        ...queuedMessage,
        kind: 'contacts',
        text: 'Dr. Lima',
        contacts: [{ ...lima, company: null }],
      },
    },
  },
  examples: { person: { summary: 'One person', value: { ...recipient, contacts: [lima] } } },
})

const question = {
  body: 'Does tomorrow at ten suit you?',
  buttons: [
    { id: 'yes', title: 'Yes', payload: 'appointment-4711' },
    { id: 'no', title: 'No' },
  ],
}

export const sendInteractiveMessage = operation('POST /v1/messages/interactive', {
  id: 'sendInteractiveMessage',
  summary: 'Ask with buttons or a list',
  description:
    'Accepts a text with one of `buttons`, `list` and `url_button` for one recipient. When the recipient chooses a button or a row, ' +
    'you receive a message of the kind `button_reply` or `list_reply` with its `id` and `payload`. The limits of the network ' +
    `are in \`limits.interactive\` of \`GET /v1/networks\`. ${whoCan}`,
  ...sendingContent,
  body: SendInteractive,
  responses: {
    202: {
      ...acceptedMessage,
      example: { ...queuedMessage, kind: 'interactive', text: question.body, interactive: question },
    },
  },
  examples: {
    buttons: { summary: 'A question with two buttons', value: { ...recipient, ...question } },
    list: {
      summary: 'A list to choose from',
      value: {
        ...recipient,
        body: 'When does it suit you?',
        list: {
          button: 'Choose a time',
          sections: [
            {
              rows: [
                { id: '10', title: 'Tomorrow, 10:00' },
                { id: '15', title: 'Tomorrow, 15:00', description: 'With Dr. Lima' },
              ],
            },
          ],
        },
      },
    },
  },
})

const poll = { question: 'Which day suits you?', options: ['Monday', 'Tuesday'] }

export const sendPollMessage = operation('POST /v1/messages/poll', {
  id: 'sendPollMessage',
  summary: 'Send a poll',
  description:
    'Accepts a poll for one recipient, usually a group. Each vote comes as a message of the kind `poll_vote`. The limits of the ' +
    `network are in \`limits\` of \`GET /v1/networks\`. ${whoCan}`,
  ...sendingContent,
  body: SendPoll,
  responses: {
    202: {
      ...acceptedMessage,
      example: {
        ...queuedMessage,
        kind: 'poll',
        text: poll.question,
        poll: { ...poll, multiple_answers: false },
      },
    },
  },
  examples: { days: { summary: 'A poll with two answers', value: { ...recipient, ...poll } } },
})

export const contentOperations = [
  sendLocationMessage,
  sendContactsMessage,
  sendInteractiveMessage,
  sendPollMessage,
] as const
