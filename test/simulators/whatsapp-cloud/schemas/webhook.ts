import Type, { type Static } from 'typebox'
import { checker, type SchemaFault } from './check.ts'
import { type GroupField, groupChanges } from './groups.ts'
import { callbackData, graphId, groupId, oneOf, strict, timestamp, userId, waId, wamid } from './scalars.ts'
import { context, type file, referral, written } from './written.ts'

/** The callbacks of the network. Written from the webhook reference (2026) and from recorded callbacks. */

const metadata = strict({ display_phone_number: waId, phone_number_id: graphId })

const contact = strict({
  profile: Type.Optional(
    strict({ name: Type.Optional(Type.String()), username: Type.Optional(Type.String()) }),
  ),
  wa_id: Type.Optional(waId),
  user_id: userId,
  parent_user_id: Type.Optional(userId),
  // Present if the business wants to know when a person's identity changes.
  identity_key_hash: Type.Optional(Type.String()),
})

const failure = strict({
  code: Type.Integer(),
  title: Type.String(),
  message: Type.String(),
  error_data: strict({ details: Type.String() }),
  href: Type.Optional(Type.String()),
})

const status = strict({
  id: wamid,
  status: oneOf('sent', 'delivered', 'read', 'played', 'failed'),
  timestamp,
  recipient_id: Type.Optional(Type.Union([waId, groupId])),
  recipient_type: Type.Optional(oneOf('individual', 'group')),
  recipient_participant_id: Type.Optional(waId),
  recipient_user_id: Type.Optional(userId),
  conversation: Type.Optional(
    strict({
      id: Type.String(),
      expiration_timestamp: Type.Optional(timestamp),
      origin: strict({ type: Type.String() }),
    }),
  ),
  pricing: Type.Optional(
    strict({
      billable: Type.Boolean(),
      pricing_model: oneOf('PMP', 'CBP'),
      category: Type.String(),
      type: Type.Optional(Type.String()),
    }),
  ),
  errors: Type.Optional(Type.Array(failure, { minItems: 1 })),
  biz_opaque_callback_data: Type.Optional(callbackData),
})

const changes = {
  edit: Type.Optional(
    strict({ original_message_id: wamid, message: strict({ type: Type.String(), ...written }) }),
  ),
  revoke: Type.Optional(strict({ original_message_id: wamid })),
}

const message = strict({
  from: Type.Optional(waId),
  from_user_id: Type.Optional(userId),
  from_parent_user_id: Type.Optional(userId),
  group_id: Type.Optional(groupId),
  id: wamid,
  timestamp,
  type: Type.String(),
  context: Type.Optional(context),
  referral: Type.Optional(referral),
  ...written,
  ...changes,
  system: Type.Optional(
    strict({
      body: Type.String(),
      wa_id: Type.Optional(waId),
      user_id: Type.Optional(userId),
      parent_user_id: Type.Optional(userId),
      previous_user_id: Type.Optional(userId),
      previous_parent_user_id: Type.Optional(userId),
      type: oneOf('user_changed_number', 'user_changed_user_id'),
    }),
  ),
  errors: Type.Optional(Type.Array(failure, { minItems: 1 })),
})

const echo = strict({
  from: waId,
  to: Type.Optional(waId),
  to_user_id: userId,
  id: wamid,
  timestamp,
  type: Type.String(),
  context: Type.Optional(context),
  ...written,
  ...changes,
})

const ofNumber = { messaging_product: Type.Literal('whatsapp'), metadata }
const contacts = Type.Optional(Type.Array(contact))

/** The user id of people who hide their phone stands in `contacts`; here, the reference has only `wa_id`. */
const preference = strict({
  wa_id: Type.Optional(waId),
  user_id: Type.Optional(userId),
  detail: Type.String(),
  category: oneOf('marketing_messages'),
  value: oneOf('stop', 'resume', 'signup'),
  timestamp: Type.Integer(),
})

const category = oneOf('MARKETING', 'UTILITY', 'AUTHENTICATION')
const ofTemplate = {
  message_template_id: Type.Integer(),
  message_template_name: Type.String(),
  message_template_language: Type.String(),
}

const values = {
  messages: Type.Union([
    strict({ ...ofNumber, contacts, messages: Type.Array(message, { minItems: 1 }) }),
    strict({ ...ofNumber, contacts, statuses: Type.Array(status, { minItems: 1 }) }),
    strict({ ...ofNumber, errors: Type.Array(failure, { minItems: 1 }) }),
  ]),
  smb_message_echoes: strict({ ...ofNumber, contacts, message_echoes: Type.Array(echo, { minItems: 1 }) }),
  account_update: Type.Object({ event: Type.String({ pattern: '^[A-Z_]+$' }) }),
  phone_number_quality_update: strict({
    display_phone_number: waId,
    event: Type.String({ pattern: '^[A-Z_]+$' }),
    old_limit: Type.Optional(Type.String()),
    current_limit: Type.Optional(Type.String()),
    max_daily_conversations_per_business: Type.Optional(Type.String()),
  }),
  user_preferences: strict({
    ...ofNumber,
    contacts,
    user_preferences: Type.Array(preference, { minItems: 1 }),
  }),
  message_template_status_update: strict({
    event: Type.String({ pattern: '^[A-Z_]+$' }),
    ...ofTemplate,
    reason: Type.Union([Type.String(), Type.Null()]),
    message_template_category: Type.Optional(category),
    disable_info: Type.Optional(strict({ disable_date: Type.Integer() })),
    other_info: Type.Optional(strict({ title: Type.String(), description: Type.String() })),
    rejection_info: Type.Optional(strict({ reason: Type.String(), recommendation: Type.String() })),
  }),
  template_category_update: strict({
    ...ofTemplate,
    previous_category: Type.Optional(category),
    new_category: category,
    correct_category: Type.Optional(category),
    category_update_timestamp: Type.Optional(Type.Integer()),
  }),
  ...ofGroups(),
  account_review_update: strict({ decision: oneOf('APPROVED', 'REJECTED', 'PENDING', 'DEFERRED') }),
}

function ofGroups() {
  const value = (field: GroupField) =>
    strict({ ...ofNumber, groups: Type.Array(groupChanges[field], { minItems: 1 }) })
  return {
    group_lifecycle_update: value('group_lifecycle_update'),
    group_participants_update: value('group_participants_update'),
    group_settings_update: value('group_settings_update'),
    group_status_update: value('group_status_update'),
  }
}

export type Field = keyof typeof values
export type Contact = Static<typeof contact>
export type Failure = Static<typeof failure>
export type FileContent = Static<typeof file>
export type Status = Static<typeof status>
export type StatusName = Status['status']
export type Message = Static<typeof message>
export type Echo = Static<typeof echo>
export interface Webhook {
  readonly object: 'whatsapp_business_account'
  readonly entry: readonly Entry[]
}
export interface Entry {
  readonly id: string
  readonly time?: number
  readonly changes: readonly Change[]
}
export interface Change {
  readonly field: Field
  readonly value: Readonly<Record<string, unknown>>
}

const checkEnvelope = checker(
  strict({
    object: Type.Literal('whatsapp_business_account'),
    entry: Type.Array(
      strict({
        id: graphId,
        time: Type.Optional(Type.Integer()),
        changes: Type.Array(strict({ field: oneOf(...Object.keys(values)), value: Type.Object({}) }), {
          minItems: 1,
        }),
      }),
      { minItems: 1 },
    ),
  }),
)
const checkValue = new Map(Object.entries(values).map(([field, value]) => [field, checker(value)]))

/** Everything that does not fit in the body of a callback. */
export function faultsOfWebhook(body: unknown): SchemaFault[] {
  const faults = checkEnvelope(body)
  if (faults.length > 0) return faults
  const changes = (body as Webhook).entry.flatMap(({ changes }) => changes)
  return changes.flatMap(({ field, value }) => checkValue.get(field)?.(value) ?? [])
}
