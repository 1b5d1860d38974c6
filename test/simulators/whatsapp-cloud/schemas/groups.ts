import Type, { type Static } from 'typebox'
import { checker } from './check.ts'
import { groupId, oneOf, strict, timestamp, userId, waId } from './scalars.ts'

/*
 * Requests and callbacks of the Groups API. Written from its reference: Group management, and Webhooks for Groups API (May 2026), with what the
 * documents of resellers (Gupshup, YCloud, 360dialog) show of Meta's answers.
 */

const product = Type.Literal('whatsapp')
const subject = Type.String({ minLength: 1, maxLength: 128 })
const description = Type.String({ maxLength: 2048 })
const approval = oneOf('approval_required', 'auto_approve')

const newGroup = strict({
  messaging_product: product,
  subject,
  description: Type.Optional(description),
  join_approval_mode: Type.Optional(approval),
})
const settings = strict({
  messaging_product: product,
  subject: Type.Optional(subject),
  description: Type.Optional(description),
})
const removal = strict({
  messaging_product: product,
  participants: Type.Array(strict({ user: Type.String({ minLength: 7, maxLength: 140 }) }), {
    minItems: 1,
    maxItems: 8,
  }),
})

const requestsAnswer = strict({
  messaging_product: product,
  join_requests: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
})

export type RequestsAnswer = Static<typeof requestsAnswer>
export const faultsOfRequestsAnswer = checker(requestsAnswer)
export type NewGroupRequest = Static<typeof newGroup>
export type SettingsRequest = Static<typeof settings>
export type RemovalRequest = Static<typeof removal>

export const faultsOfNewGroup = checker(newGroup)
export const faultsOfSettings = checker(settings)
export const faultsOfRemoval = checker(removal)
export const faultsOfLinkRequest = checker(strict({ messaging_product: product }))

/** Meta's documents have a placeholder for codes, in quotes. */
const failure = strict({
  code: Type.Union([Type.Integer(), Type.String({ pattern: '^[0-9]+$' })]),
  title: Type.String(),
  message: Type.String(),
  error_data: strict({ details: Type.String() }),
  href: Type.Optional(Type.String()),
})
const errors = Type.Optional(Type.Array(failure, { minItems: 1 }))
const requestId = Type.String({ minLength: 1, maxLength: 256 })
/** Fields that the documents do not name may come, too. */
const surprise = { surprise: Type.Optional(Type.Unknown()) }
const setting = Type.Optional(strict({ text: Type.String(), update_successful: Type.Boolean(), errors }))
const participant = strict({
  wa_id: Type.Optional(waId),
  user_id: Type.Optional(userId),
  input: Type.Optional(Type.String()),
  errors,
})
const participants = Type.Optional(Type.Array(participant, { minItems: 1 }))

export const groupChanges = {
  group_lifecycle_update: strict({
    timestamp,
    type: oneOf('group_create', 'group_delete'),
    group_id: Type.Optional(groupId),
    request_id: requestId,
    subject: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    invite_link: Type.Optional(Type.String({ pattern: '^https://chat\\.whatsapp\\.com/' })),
    join_approval_mode: Type.Optional(approval),
    errors,
    ...surprise,
  }),
  group_participants_update: strict({
    timestamp,
    type: oneOf(
      'group_participants_add',
      'group_participants_remove',
      'group_join_request_created',
      'group_join_request_revoked',
    ),
    join_request_id: Type.Optional(Type.String()),
    wa_id: Type.Optional(waId),
    user_id: Type.Optional(userId),
    group_id: groupId,
    request_id: Type.Optional(requestId),
    reason: Type.Optional(oneOf('invite_link')),
    initiated_by: Type.Optional(oneOf('business', 'participant')),
    added_participants: participants,
    removed_participants: participants,
    failed_participants: participants,
    errors,
    ...surprise,
  }),
  group_settings_update: strict({
    timestamp,
    type: Type.Literal('group_settings_update'),
    group_id: groupId,
    request_id: requestId,
    group_subject: setting,
    group_description: setting,
    errors,
    ...surprise,
  }),
  group_status_update: strict({
    timestamp,
    type: oneOf('group_suspend', 'group_suspend_cleared'),
    group_id: groupId,
  }),
}

export type GroupField = keyof typeof groupChanges
