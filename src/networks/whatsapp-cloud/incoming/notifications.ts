import { isMoment } from '../../../runtime/clock.ts'
import { type CallbackPart, longestClaim, UnreadableCallback } from '../../driver/abilities/callbacks.ts'
import {
  eachObjectIn,
  integerIn,
  type Json,
  type JsonLimits,
  looksWithin,
  objectIn,
  parseObject,
  textIn,
} from '../../kit/json.ts'

/** One thing that a callback says, and about what. */
export interface NotifiedChange {
  readonly field: string
  readonly value: Json
  /** The id of the business account. */
  readonly account: string | null
  /** The id of the phone number; null if it is about the account as a whole. */
  readonly number: string | null
  /** When it happened, as far as the callback says, in milliseconds since the epoch. */
  readonly at: number
}

/** Meta's name for callbacks of this API. */
const objectName = 'whatsapp_business_account'

/** Meta puts at most 1,000 updates into a callback (Webhooks, Getting started), each of some sixty characters of structure. */
const limits: JsonLimits = { structure: 100_000, depth: 50 }
const maxChanges = 5_000

/**
 * Everything that a callback says, in its order, and null after every little work. `now` is in milliseconds since the epoch.
 * Source: Webhooks, Payload examples. Throws an UnreadableCallback if it is none.
 */
export function* changesIn(body: Buffer, now: number): Generator<NotifiedChange | null, void, undefined> {
  for (const raw of rawChangesIn(body)) {
    if (raw === null) {
      yield null
      continue
    }
    const { entry, change, account, number } = raw
    yield {
      field: textIn(change, 'field') ?? '',
      value: objectIn(change, 'value') ?? {},
      account,
      number,
      at: timeIn(entry, 'time', now),
    }
  }
}

interface RawChange extends Pick<NotifiedChange, 'account' | 'number'> {
  readonly entry: Json
  readonly change: Json
}

function* rawChangesIn(body: Buffer): Generator<RawChange | null, void, undefined> {
  if (!(yield* looksWithin(body, limits)))
    throw new UnreadableCallback('the callback has more parts than Meta ever sends')
  const json = parseObject(body)
  if (json === null || !Array.isArray(json.entry))
    throw new UnreadableCallback('the callback is not one of the Cloud API')
  let count = 0
  for (const entry of eachObjectIn(json, 'entry')) {
    yield null
    const account = textIn(entry, 'id')
    for (const change of eachObjectIn(entry, 'changes')) {
      if (++count > maxChanges)
        throw new UnreadableCallback('the callback has more changes than Meta ever sends')
      const value = objectIn(change, 'value') ?? {}
      const number = textIn(objectIn(value, 'metadata') ?? {}, 'phone_number_id')
      // The entry may be about the business of a partner's customer.
      const named = textIn(objectIn(value, 'waba_info') ?? {}, 'waba_id')
      yield { entry, change, account: named ?? account, number }
    }
  }
}

/**
 * A callback, taken apart by what it is about: each part is a callback with the changes of one phone number, or with those of one business
 * account as a whole, in their order. Throws if it is no callback. What is about nothing that has a name is left out.
 */
export function partsOf(body: Buffer): CallbackPart[] {
  const parts = new Map<string, Part>()
  for (const raw of rawChangesIn(body)) {
    if (raw === null) continue
    const { entry, change, account, number } = raw
    const about = number === null ? 'group' : 'account'
    const name = number ?? account
    if (name === null || name.length > longestClaim) continue
    const key = `${about} ${name}`
    const part: Part = parts.get(key) ?? { about, name, entries: new Map() }
    parts.set(key, part)
    const entries = part.entries.get(entry) ?? []
    part.entries.set(entry, entries)
    entries.push(change)
  }
  return [...parts.values()].map(({ about, name, entries }) => {
    const entry = [...entries].map(([{ id, time }, changes]) => ({ id, time, changes }))
    return { about, name, body: Buffer.from(JSON.stringify({ object: objectName, entry })) }
  })
}

/** The part of a callback about one number or account, entry by entry. */
interface Part extends Pick<CallbackPart, 'about' | 'name'> {
  readonly entries: Map<Json, Json[]>
}

/**
 * The time of something, in milliseconds since the epoch: the network says it in seconds, as text. Null if it says none, or one that
 * makes no sense.
 */
export function timeOf(json: Json, name: string): number | null {
  const seconds = integerIn(json, name) ?? Number(/^\d{1,11}$/.exec(textIn(json, name) ?? '')?.[0])
  return isMoment(seconds * 1000) ? seconds * 1000 : null
}

/** The same, or `now` if it is none or in the future. */
export function timeIn(json: Json, name: string, now: number): number {
  return Math.min(now, timeOf(json, name) ?? now)
}

/** When something ends: the network says it in seconds, or as a date and time. Null if it says neither, or makes no sense. */
export function expiryIn(json: Json, name: string): number | null {
  const written = textIn(json, name) ?? ''
  const at = /^\d{4}-\d\d-\d\dT[\d:+.Z-]{1,30}$/.test(written) ? Date.parse(written) : Number.NaN
  return isMoment(at) ? at : timeOf(json, name)
}
