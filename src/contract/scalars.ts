import type { TProperties, TSchema } from 'typebox'
import { type IdPrefix, idPattern, slugPattern } from '../runtime/ids.ts'
import Type from './type.ts'

/** An object that refuses unknown fields. Its title names it in the published contract, where it is defined once. */
export function record<P extends TProperties>(title: string, properties: P, description?: string) {
  return Type.Object(properties, {
    additionalProperties: false,
    title,
    ...(description ? { description } : {}),
  })
}

/** An object that takes any field. It says so, because generators read silence as an object without fields. */
export function openObject(title: string, description: string) {
  const schema = { type: 'object', title, description, additionalProperties: true }
  return Type.Unsafe<Record<string, unknown>>(schema)
}

/** One of a closed list of words. */
export function oneOf<const W extends readonly string[]>(
  words: W,
  options: { title?: string; description: string },
) {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options })
}

/** A value, or null if there is none (yet). The field is always present. */
export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

export function id(prefix: IdPrefix, description: string) {
  return Type.String({
    pattern: idPattern(prefix),
    description,
    examples: [`${prefix}_06fdw2n1k7xg8qs3h5vbtc9m4r`],
  })
}

/** A moment in UTC as Posthorn writes it. */
export function moment(description: string) {
  return Type.String({ format: 'date-time', description, examples: ['2026-11-20T09:30:00.000Z'] })
}

/** A moment as callers may write it: RFC 3339 with any offset. */
export const callerMoment = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, description, examples: ['2026-11-20T09:30:00Z'] })

export const InstanceName = Type.String({
  pattern: slugPattern,
  description:
    'The name of the instance: at most 63 characters, unique in your organization. Case and spaces are not normalized.',
  examples: ['support'],
})

/** The path of a picture that Posthorn fetches when it is asked for. */
export const PictureUrl = orNull(
  Type.String({
    description:
      'The path of the picture on this server: `GET` it with your key. It may still say that there is none. Null if the network shows no ' +
      'pictures, or the instance is gone.',
    examples: ['/v1/instances/support/contacts/ana%40delivers.sandbox/picture'],
  }),
)

/** At most 20 short strings; what callers attach comes back unchanged. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  title: 'Metadata',
  description:
    'Your own labels: at most 20, each a string of at most 500 characters. Returned unchanged, never interpreted.',
  maxProperties: 20,
  propertyNames: { type: 'string', minLength: 1, maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 500 },
  examples: [{ ticket: '4711' }],
})

export const cursorPattern = '^[A-Za-z0-9_-]+$'

export const Cursor = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: cursorPattern,
  description: 'Where to continue: the `next_cursor` of the previous page. Opaque.',
})

/** The longest cursor of a list that a network keeps; it holds the network's own. */
export const longestNetworkCursor = 2000

/** A cursor of a list that a network keeps. */
export const NetworkCursor = Type.String({
  minLength: 1,
  maxLength: longestNetworkCursor,
  pattern: cursorPattern,
  description: 'Where to continue: the `next_cursor` of the previous page. Opaque.',
})

/** The paging parameters that every list takes. */
export const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description:
        'The maximum number of entries on a page. A page also ends after about 1 MB: then it holds fewer, and `next_cursor` leads to the rest.',
    }),
  ),
  cursor: Type.Optional(Cursor),
}

/** A page of a list. */
export function page<S extends TSchema>(title: string, entry: S) {
  return record(title, {
    data: Type.Array(entry),
    next_cursor: orNull(
      Type.String({
        description:
          'Pass it as `cursor` to get the next page; null on the last page. A page may hold fewer entries than `limit`: only ' +
          'null means the end.',
      }),
    ),
  })
}
