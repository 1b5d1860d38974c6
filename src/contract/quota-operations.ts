import Type, { type Static } from 'typebox'
import { operation } from './operation.ts'
import { orNull, record } from './scalars.ts'

const quota = (title: string, description: string) =>
  record(
    title,
    {
      used: Type.Integer({ minimum: 0, description: 'How much your organization uses now.' }),
      limit: orNull(
        Type.Integer({
          minimum: 1,
          description: 'How much it may use, as the operator set it; null for no limit.',
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
      'The bytes of all files that are kept, sent and received: the same bytes count once. A file counts until it is removed: ' +
        '`POSTHORN_MEDIA_RETENTION_HOURS` after its last message was sent or failed or it was received, and at once when ' +
        'its message is canceled or expires.',
    ),
    unsettled_messages: quota(
      'UnsettledMessagesQuota',
      'The messages of all instances that are `queued` or `sending`, scheduled ones too.',
    ),
    incoming_messages: quota(
      'IncomingMessagesQuota',
      'The messages that came in and are kept. One with a long text counts once for each 4,096 characters of it. They count ' +
        'until they are removed, `POSTHORN_MESSAGE_RETENTION_DAYS` after their last event.',
    ),
  },
  'What your organization uses of what it may use.',
)
export type Quotas = Static<typeof Quotas>

export const getQuotas = operation({
  id: 'getQuotas',
  method: 'GET',
  path: '/v1/quotas',
  tag: 'Organization',
  summary: 'Read the quotas of the organization',
  description:
    'Returns how much your organization uses and how much is left of what the operator lets it use.',
  access: 'read',
  replies: {
    200: {
      description: 'The quotas.',
      body: Quotas,
      example: {
        file_bytes: { used: 52_428_800, limit: 10_737_418_240, remaining: 10_684_989_440 },
        unsettled_messages: { used: 12, limit: 100_000, remaining: 99_988 },
        incoming_messages: { used: 4711, limit: 1_000_000, remaining: 995_289 },
      },
    },
  },
  problems: [],
})

export const quotaOperations = [getQuotas] as const
