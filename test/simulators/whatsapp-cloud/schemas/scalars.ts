import Type, { type TProperties } from 'typebox'

/** An object without other fields than these. */
export const strict = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

export const oneOf = <const T extends string[]>(...values: T) => Type.Enum(values)

export const wamid = Type.String({ pattern: '^wamid\\.[A-Za-z0-9+/=_-]+$', maxLength: 256 })
/** The id of an object of the Graph API. */
export const graphId = Type.String({ pattern: '^[0-9]{5,30}$' })
/** A phone number as webhooks have it: digits alone. */
export const waId = Type.String({ pattern: '^[1-9][0-9]{6,14}$' })
/** A business-scoped user id. Source: Business-scoped user IDs, 2026. */
export const userId = Type.String({ pattern: '^[A-Z]{2}\\.(ENT\\.)?[A-Za-z0-9]{1,128}$' })
/** The id of a group. Source: Groups API. */
export const groupId = Type.String({ pattern: '^[A-Za-z0-9+/=_-]{20,255}$' })
/** Seconds since the epoch, as text. */
export const timestamp = Type.String({ pattern: '^[0-9]{10}$' })
export const callbackData = Type.String({ maxLength: 512 })
