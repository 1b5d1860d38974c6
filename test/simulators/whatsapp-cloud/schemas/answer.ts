import Type, { type Static } from 'typebox'
import { checker } from './check.ts'
import { graphId, groupId, oneOf, strict, userId, waId, wamid } from './scalars.ts'

/** The answers of the Graph API. Written from the references of messages, media, numbers and errors (v26.0). */

const errorSchema = strict({
  error: strict({
    message: Type.String({ minLength: 1 }),
    type: oneOf('OAuthException', 'GraphMethodException'),
    code: Type.Integer({ minimum: 0 }),
    error_subcode: Type.Optional(Type.Integer()),
    is_transient: Type.Optional(Type.Boolean()),
    error_data: Type.Optional(
      strict({ messaging_product: Type.Literal('whatsapp'), details: Type.String() }),
    ),
    fbtrace_id: Type.String({ minLength: 1 }),
  }),
})

const sendSchema = strict({
  messaging_product: Type.Literal('whatsapp'),
  contacts: Type.Array(
    strict({
      input: Type.String(),
      wa_id: Type.Optional(Type.Union([waId, groupId])),
      user_id: Type.Optional(userId),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  messages: Type.Array(
    strict({
      id: wamid,
      message_status: Type.Optional(oneOf('accepted', 'held_for_quality_assessment', 'paused')),
    }),
    { minItems: 1, maxItems: 1 },
  ),
})

const mediaSchema = strict({
  messaging_product: Type.Literal('whatsapp'),
  url: Type.String({ pattern: '^https?://' }),
  mime_type: Type.String(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  file_size: Type.Integer({ minimum: 0 }),
  id: graphId,
})

export type ErrorAnswer = Static<typeof errorSchema>
export type SendAnswer = Static<typeof sendSchema>
export type MediaAnswer = Static<typeof mediaSchema>

export const faultsOfError = checker(errorSchema)
export const faultsOfSendAnswer = checker(sendSchema)
export const faultsOfMediaAnswer = checker(mediaSchema)
export const faultsOfUploadAnswer = checker(strict({ id: graphId }))
