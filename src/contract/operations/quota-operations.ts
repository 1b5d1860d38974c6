import type { Static } from 'typebox'
import { operation } from '../operation.ts'
import { orNull, record } from '../scalars.ts'
import Type from '../type.ts'

const quota = (title: string, description: string) =>
  record(
    title,
    {
      used: Type.Integer({ minimum: 0, description: 'How much your organization currently uses.' }),
      limit: orNull(
        Type.Integer({
          minimum: 1,
          description: 'How much it may use, as set by the operator; null for no limit.',
        }),
      ),
      remaining: orNull(
        Type.Integer({ minimum: 0, description: 'How much is left; null if there is no limit.' }),
      ),
    },
    description,
  )

export const Quotas = record(
  'Quotas',
  {
    file_bytes: quota(
      'FileBytesQuota',
      'The bytes of all stored files, sent and received; identical files count once. A file counts until it is removed: ' +
        '`POSTHORN_MEDIA_RETENTION_HOURS` after it was received or its last message was sent or failed, and at once when its ' +
        'message is canceled or expires.',
    ),
    stored_bytes: quota(
      'StoredBytesQuota',
      'The bytes of your outgoing messages, in any status: for each, 1,024 bytes, and those of its text or caption, ' +
        '`metadata`, `client_ref` and recipient. Messages count until they are removed, `POSTHORN_MESSAGE_RETENTION_DAYS` ' +
        'after their last event. Files and incoming messages do not count here.',
    ),
    unsettled_messages: quota(
      'UnsettledMessagesQuota',
      'The messages of all instances that are `queued` or `sending`, including scheduled ones.',
    ),
    incoming_messages: quota(
      'IncomingMessagesQuota',
      'The stored incoming messages. A long text counts once for every 4,096 characters. Messages count ' +
        'until they are removed, `POSTHORN_MESSAGE_RETENTION_DAYS` after their last event.',
    ),
    waiting_callbacks: quota(
      'WaitingCallbacksQuota',
      'The callbacks of all instances that are not handled yet, for example because an instance is stopped. One instance may ' +
        'use a fifth of the limit. Requests that concern several instances may use twice the limit, so `used` may exceed ' +
        '`limit`.',
    ),
    waiting_callback_bytes: quota('WaitingCallbackBytesQuota', 'The bytes of these callbacks.'),
  },
  'The quotas of an organization, and their usage.',
)
export type Quotas = Static<typeof Quotas>

export const exampleQuotas: Quotas = {
  file_bytes: { used: 52_428_800, limit: 10_737_418_240, remaining: 10_684_989_440 },
  stored_bytes: { used: 41_984_204, limit: 21_474_836_480, remaining: 21_432_852_276 },
  unsettled_messages: { used: 12, limit: 100_000, remaining: 99_988 },
  incoming_messages: { used: 4711, limit: 1_000_000, remaining: 995_289 },
  waiting_callbacks: { used: 3, limit: 50_000, remaining: 49_997 },
  waiting_callback_bytes: { used: 2_154, limit: 335_544_320, remaining: 335_542_166 },
}

export const getQuotas = operation('GET /v1/quotas', {
  id: 'getQuotas',
  summary: 'Read the quotas of the organization',
  description:
    'Returns how much your organization uses of each quota that the operator set, and how much is left.',
  access: 'read',
  responses: {
    200: { description: 'The quotas.', body: Quotas, example: exampleQuotas },
  },
})

export const quotaOperations = [getQuotas] as const
