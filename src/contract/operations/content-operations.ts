import { operation } from '../operation.ts'
import { BatchResults } from '../problem-body.ts'
import { maxBatchBytes, SendBatch } from '../resources/batch.ts'
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
  summary: 'Send a location',
  description: `Accepts a location for one recipient. ${whoCan}`,
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
      summary: 'A location with its name and address',
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

const exampleBatch = {
  messages: [
    { type: 'text', instance: 'trial', to: 'ana@delivers.sandbox', text: 'Your order is on its way.' },
    { type: 'text', instance: 'trial', to: 'not an address', text: 'Your order is on its way.' },
  ],
}

const unfit = 'It is not an address of this network.'

const exampleBatchResults = {
  accepted: 1,
  refused: 1,
  data: [
    { status: 202, message: queuedMessage },
    {
      status: 400,
      problem: {
        type: '/problems/invalid_request',
        title: 'The request is not valid',
        status: 400,
        detail: `\`/to\`: ${unfit}`,
        code: 'invalid_request',
        retryable: false,
        errors: [{ pointer: '/to', code: 'recipient_invalid', detail: unfit }],
      },
    },
  ],
}

const { access, unaudited, idempotent, traced } = sending

export const sendMessageBatch = operation('POST /v1/messages/batch', {
  id: 'sendMessageBatch',
  summary: 'Send up to 100 messages',
  description:
    'Accepts up to 100 messages in one request, each with the body of the operation that its `type` names: texts, files by URL, templates, locations, contacts, questions and ' +
    'polls. The response has one result for each, in order: `status` 202 with the message, or the status and ' +
    'the `problem` that a request with this message alone would have got. The response itself is 200 if the list can be read, even if messages in ' +
    'it were refused: compare `refused` with 0. All accepted messages are stored together, and those to one recipient leave in ' +
    'the order of the list. With an `Idempotency-Key`, a repeated request gets the same results, including the refusals: to ' +
    'send what was refused, use a new key.\n\n' +
    'In the rate limit, a batch counts as the number of its messages: it is admitted if a single request would be, and the rest is charged against later requests. The body ' +
    'may have at most 512 KB.',
  access,
  unaudited,
  idempotent,
  traced,
  filtered: true,
  body: SendBatch,
  entries: 'messages',
  maxBodyBytes: maxBatchBytes,
  responses: {
    200: {
      description: 'Each message was accepted or refused.',
      body: BatchResults,
      example: exampleBatchResults,
    },
  },
  problems: ['too_many_batches'],
  examples: { two: { summary: 'A text, and one to a wrong address', value: exampleBatch } },
})

export const contentOperations = [
  sendLocationMessage,
  sendContactsMessage,
  sendInteractiveMessage,
  sendPollMessage,
  sendMessageBatch,
] as const
