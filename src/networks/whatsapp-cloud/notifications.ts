import { UnreadableCallback } from '../callbacks.ts'
import { integerIn, type Json, objectIn, objectsIn, parseObject, textIn } from '../json.ts'

/** One thing that a callback says, and about what. */
export interface Change {
  readonly field: string
  readonly value: Json
  /** The id of the business account. */
  readonly account: string | null
  /** The id of the phone number; null if it is about the account as a whole. */
  readonly number: string | null
  /** When it happened, as far as the callback says, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Everything that a callback says, in its order. `now` is in milliseconds since the epoch. Source: Webhooks, Payload examples. Throws
 * an UnreadableCallback if it is none.
 */
export function changesIn(body: Buffer, now: number): Change[] {
  const json = parseObject(body)
  if (json === null || !Array.isArray(json.entry))
    throw new UnreadableCallback('the callback is not one of the Cloud API')
  return objectsIn(json, 'entry').flatMap((entry) => {
    const account = textIn(entry, 'id')
    const at = timeIn(entry, 'time', now)
    return objectsIn(entry, 'changes').map((change): Change => {
      const value = objectIn(change, 'value') ?? {}
      const number = textIn(objectIn(value, 'metadata') ?? {}, 'phone_number_id')
      return { field: textIn(change, 'field') ?? '', value, account, number, at }
    })
  })
}

/** The time of something, in milliseconds since the epoch: the network says it in seconds, as text. Null if it says none. */
export function timeOf(json: Json, name: string): number | null {
  const seconds = integerIn(json, name) ?? Number(/^\d{1,11}$/.exec(textIn(json, name) ?? '')?.[0])
  return seconds > 0 ? seconds * 1000 : null
}

/** The same, or `now` if it is none or in the future. */
export function timeIn(json: Json, name: string, now: number): number {
  return Math.min(now, timeOf(json, name) ?? now)
}

/** When something ends: the network says it in seconds, or as a date and time. Null if it says neither. */
export function expiryIn(json: Json, name: string): number | null {
  const written = textIn(json, name) ?? ''
  const at = /^\d{4}-\d\d-\d\dT[\d:+.Z-]{1,30}$/.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(at) ? timeOf(json, name) : at
}
