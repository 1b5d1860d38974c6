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
    'Lists the attempts to hand the message to its network, oldest first, all on one page. If a message has had more than a hundred ' +
    'attempts, the first ten and the last ninety are kept. A message that was received, or sent from another client, has none. Fetching the ' +
    'file of a message is not an attempt: if that fails, the `error` of the message says why.\n\n' +
    'A message can be `sent` without an `accepted` attempt if a receipt, or the network itself, showed later that it had arrived.',
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
    'Lists the statuses that the message has had and when it reached them, oldest first, all on one page. They follow from what is known of the ' +
    'message now: if a late confirmation turned `unknown` into `sent`, `delivered` or `read`, `unknown` is no longer among them.',
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
