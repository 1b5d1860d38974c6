import { operation } from '../operation.ts'
import { attemptsOfMessage, stepsOfMessage } from '../resources/examples.ts'
import { MessageAttempt, MessageStep } from '../resources/message-history.ts'
import { page } from '../scalars.ts'
import { messagePath } from './message-operations.ts'

export const listAttempts = operation({
  id: 'listAttempts',
  method: 'GET',
  path: '/v1/messages/{id}/attempts',
  tag: 'Messages',
  summary: 'List the attempts of a message',
  description:
    'Lists the attempts to hand the message to its network, the first one first, all on one page. Of a message with more than ' +
    'a hundred attempts, the first ten and the last ninety are kept. A message that was received, or sent elsewhere, has none. Fetching its file ' +
    'is no attempt: if that fails, the `error` of the message says why.\n\n' +
    'A message can be `sent` without an `accepted` attempt: if a receipt, or the network itself, showed later that it had arrived.',
  access: 'read',
  filtered: true,
  params: messagePath,
  replies: {
    200: {
      description: 'The attempts.',
      body: page('MessageAttemptPage', MessageAttempt),
      example: { data: attemptsOfMessage, next_cursor: null },
    },
  },
  problems: ['message_not_found'],
})

export const listSteps = operation({
  id: 'listSteps',
  method: 'GET',
  path: '/v1/messages/{id}/steps',
  tag: 'Messages',
  summary: 'List the steps of a message',
  description:
    'Lists the statuses that the message has had and when it reached them, the first one first, all on one page. They follow from what is known of the ' +
    'message now: an `unknown` that a late confirmation made `sent`, `delivered` or `read` is not among them.',
  access: 'read',
  filtered: true,
  params: messagePath,
  replies: {
    200: {
      description: 'The steps.',
      body: page('MessageStepPage', MessageStep),
      example: { data: stepsOfMessage, next_cursor: null },
    },
  },
  problems: ['message_not_found'],
})

export const messageHistoryOperations = [listAttempts, listSteps] as const
