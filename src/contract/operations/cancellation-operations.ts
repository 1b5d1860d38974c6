import Type from 'typebox'
import { operation } from '../operation.ts'
import { Cursor, InstanceName, oneOf, orNull, record } from '../scalars.ts'
import { messageFilters } from './message-operations.ts'

const MessagesCanceled = record(
  'MessagesCanceled',
  {
    canceled: Type.Integer({ minimum: 0, description: 'How many messages were canceled by this call.' }),
    next_cursor: orNull(
      Type.String({
        description:
          'To go on, send the same request with this as `cursor`; null when everything was looked through.',
      }),
    ),
  },
  'What a call to cancel messages has done so far.',
)

export const cancelMessages = operation('POST /v1/messages/cancel', {
  id: 'cancelMessages',
  summary: 'Cancel messages by filter',
  description:
    'Cancels every message that is `queued` and matches, as `POST /v1/messages/{id}/cancel` does for one. A message must match all filters; give ' +
    'at least one, or `all`. One call cancels a part: call again with `next_cursor` until it is null. Each message is canceled for good or not ' +
    'at all, so after an error you can repeat the request, with the cursor or without. A message that is being sent is left ' +
    'alone; one that is accepted meanwhile may be, too. Messages held since a backup was restored become `unknown`, and count as canceled.',
  access: 'send',
  filtered: true,
  body: record('CancelMessages', {
    instance: Type.Optional(InstanceName),
    ...messageFilters,
    status: Type.Optional(
      oneOf(['queued'], { title: 'CancelableStatus', description: 'Messages that are `queued`, as always.' }),
    ),
    all: Type.Optional(
      Type.Boolean({ description: 'True to cancel everything that is queued, if no filter says otherwise.' }),
    ),
    cursor: Type.Optional(Cursor),
  }),
  replies: {
    200: {
      description: 'How many messages were canceled.',
      body: MessagesCanceled,
      example: { canceled: 212, next_cursor: null },
    },
  },
  problems: ['instance_not_found'],
  examples: {
    campaign: {
      summary: 'The unsent messages of a campaign',
      value: { instance: 'trial', text: 'Summer sale', created_after: '2026-11-20T08:00:00Z' },
    },
    everything: { summary: 'Everything that is queued', value: { all: true } },
  },
})

export const cancellationOperations = [cancelMessages] as const
