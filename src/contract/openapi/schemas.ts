import type { TSchema } from 'typebox'
import { type JsonObject, type JsonValue, plain } from './document.ts'

const namesAComponent = /^[A-Z][A-Za-z0-9]*$/
const schemaLists = new Set(['anyOf', 'oneOf', 'allOf'])
const singleSchemas = new Set(['items', 'additionalProperties', 'propertyNames', 'not'])

/** The schemas of the document: those with a title in PascalCase are defined once and referred to everywhere. */
export interface SchemaBook {
  /** The schema as it is in the document; if it has a name, a reference to its definition. */
  refer(schema: TSchema): JsonObject
  /** Every definition so far, by name. */
  definitions(): Record<string, JsonObject>
}

/**
 * An empty book. Two different schemas under one title are a mistake in the contract, and thrown as one. `inPlace` has, by
 * title, what the document says instead of a schema that the contract leaves open.
 */
export function schemaBook(inPlace: Readonly<Record<string, JsonObject>> = {}): SchemaBook {
  const definitions = new Map<string, JsonObject>()

  function refer(schema: JsonObject): JsonObject {
    const title = schema.title
    const { description = null } = schema
    const instead = typeof title === 'string' ? inPlace[title] : undefined
    const told = instead ? { title: String(title), description, ...instead } : schema
    const copy = merged(
      Object.fromEntries(
        Object.entries(told).flatMap(([key, value]) =>
          isReadByAll(key, value) ? [[key, inner(key, value)]] : [],
        ),
      ),
    )
    if (typeof title !== 'string' || !namesAComponent.test(title)) return copy
    const known = definitions.get(title)
    if (known && JSON.stringify(known) !== JSON.stringify(copy)) {
      throw new Error(`two different schemas have the title ${title}`)
    }
    definitions.set(title, copy)
    return { $ref: `#/components/schemas/${title}` }
  }

  function inner(key: string, value: JsonValue): JsonValue {
    if (key === 'properties') {
      return Object.fromEntries(
        Object.entries(value as JsonObject).map(([name, of]) => [name, refer(of as JsonObject)]),
      )
    }
    if (schemaLists.has(key)) return (value as readonly JsonValue[]).map((of) => refer(of as JsonObject))
    if (singleSchemas.has(key) && typeof value === 'object') return refer(value as JsonObject)
    return value
  }

  return {
    refer: (schema) => refer(plain(schema) as JsonObject),
    definitions: () => Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/**
 * False for a pattern with classes of Unicode, at which readers of the document fail whose expressions have none, such as those of Python.
 * The server checks it all the same, and the description says it.
 */
function isReadByAll(key: string, value: JsonValue): boolean {
  return key !== 'pattern' || typeof value !== 'string' || !/\\p/i.test(value)
}

/** Writes "this type or null" as JSON Schema 2020-12 writes it shortest, which readers and generators show best. */
function merged(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second] = anyOf as [JsonObject, JsonObject]
  const canTakeNull = typeof first.type === 'string' && first.enum === undefined
  if (!canTakeNull || JSON.stringify(second) !== '{"type":"null"}') return schema
  return { ...rest, ...first, type: [first.type as string, 'null'] }
}
