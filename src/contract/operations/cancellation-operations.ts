import { operation } from '../operation.ts'
import { Cursor, InstanceName, oneOf, orNull, record } from '../scalars.ts'
import Type from '../type.ts'
import { messageFilters } from './message-operations.ts'

const MessagesCanceled = record(
  'MessagesCanceled',
  {
    canceled: Type.Integer({ minimum: 0, description: 'How many messages were canceled by this call.' }),
    next_cursor: orNull(
      Type.String({
        description:
          'To continue, send the same request with this as `cursor`; null once all messages were examined.',
      }),
    ),
  },
  'The result of one call to cancel messages.',
)

export const cancelMessages = operation('POST /v1/messages/cancel', {
  id: 'cancelMessages',
  summary: 'Cancel messages by filter',
  description:
    'Cancels every `queued` message that matches all filters, as `POST /v1/messages/{id}/cancel` does for one. Give at least ' +
    'one filter, or `all`. One call cancels a part: call again with `next_cursor` until it is null. Each message is either ' +
    'canceled permanently or not at all, so you can repeat the request after an error, with the cursor or without. The call ' +
    'skips messages that are being sent, and may skip those that are accepted meanwhile. Messages that are held since a ' +
    'restore become `unknown`, and count as canceled.',
  access: 'send',
  filtered: true,
  body: record('CancelMessages', {
    instance: Type.Optional(InstanceName),
    ...messageFilters,
    status: Type.Optional(
      oneOf(['queued'], {
        title: 'CancelableStatus',
        description: 'Only `queued` messages can be canceled.',
      }),
    ),
    all: Type.Optional(
      Type.Boolean({ description: 'True to cancel every queued message that the other filters match.' }),
    ),
    cursor: Type.Optional(Cursor),
  }),
  responses: {
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
