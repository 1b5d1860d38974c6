import { operation, pageResponse } from '../operation.ts'
import { attemptsOfMessage, stepsOfMessage } from '../resources/examples.ts'
import { MessageAttempt, MessageStep } from '../resources/message-history.ts'
import { page } from '../scalars.ts'
import { messagePath } from './message-operations.ts'

export const listAttempts = operation('GET /v1/messages/{id}/attempts', {
  id: 'listAttempts',
  summary: 'List the attempts of a message',
  description:
    'Lists the attempts to send the message to its network, oldest first, all on one page. Of more than a hundred attempts, the first ten and the last ninety are kept. A message that was received, or sent from another client, has none. Fetching the file of a message is not an attempt: if that fails, the `error` of the message says why.\n\n' +
    'A message can be `sent` without an `accepted` attempt if a receipt, or the network itself, showed later that it had arrived.',
  access: 'read',
  filtered: true,
  params: messagePath,
  responses: {
    200: pageResponse('The attempts.', page('MessageAttemptPage', MessageAttempt), attemptsOfMessage),
  },
})

export const listSteps = operation('GET /v1/messages/{id}/steps', {
  id: 'listSteps',
  summary: 'List the steps of a message',
  description:
    'Lists the statuses that the message has had, each with its time, oldest first, all on one page. They follow from the ' +
    'current state of the message: if a late confirmation turned `unknown` into `sent`, `delivered` or `read`, `unknown` is ' +
    'no longer among them.',
  access: 'read',
  filtered: true,
  params: messagePath,
  responses: {
    200: pageResponse('The steps.', page('MessageStepPage', MessageStep), stepsOfMessage),
  },
})

export const messageHistoryOperations = [listAttempts, listSteps] as const
