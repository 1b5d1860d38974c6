import type { Static } from 'typebox'
import { moment, oneOf, orNull, record } from '../scalars.ts'
import { attemptOutcomeMeanings, attemptOutcomes } from '../statuses.ts'
import Type from '../type.ts'
import { MessageError, MessageStatus } from './message.ts'

export const MessageAttempt = record(
  'MessageAttempt',
  {
    number: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
    started_at: orNull(moment('When it began; null if that is not known.')),
    ended_at: orNull(
      moment(
        'When its outcome was stored; null while it is in progress. If the server stopped during the attempt, when the server was back.',
      ),
    ),
    outcome: oneOf(attemptOutcomes, {
      title: 'AttemptOutcome',
      description: [
        'How it ended. New values may be added.',
        ...attemptOutcomes.map((outcome) => `- \`${outcome}\`: ${attemptOutcomeMeanings[outcome]}`),
      ].join('\n'),
    }),
    error: orNull(MessageError),
    next_attempt_at: orNull(
      moment(
        'The earliest time of the next attempt, as decided when this one ended; null if none was to follow.',
      ),
    ),
  },
  'One attempt to send a message to its network. `error` says why the network rejected this attempt, and is null if it did not.',
)
export type MessageAttempt = Static<typeof MessageAttempt>

export const MessageStep = record(
  'MessageStep',
  {
    status: MessageStatus,
    at: orNull(moment('When the message reached this status; null if that is not known.')),
    error: orNull(MessageError),
  },
  'A status that a message has had. The last step has the `error` of the message; in all others it is null.',
)
export type MessageStep = Static<typeof MessageStep>
