import { type Json, type JsonRecord, listOf, recordOf, resolved, type Versions } from './document.ts'

/** The place of a schema, and whether callers send or read what it describes. */
export interface SchemaPlace {
  readonly at: string
  readonly direction: 'request' | 'response'
  /** The pairs that are being compared around this one: schemas may contain themselves. */
  readonly within?: readonly string[]
}

/** Two schemas of the same thing, without references at their top. */
interface SchemaPair {
  readonly versions: Versions
  readonly old: JsonRecord
  readonly next: JsonRecord
  readonly place: SchemaPlace
}

/**
 * Returns the ways in which a schema became narrower for those who send, or promises less to those who read. What it does not
 * understand, such as a pattern that changed, counts as a break for those who send: a person decides.
 */
export function schemaBreaks(versions: Versions, before: Json, after: Json, place: SchemaPlace): string[] {
  const pair = JSON.stringify([recordOf(before).$ref ?? null, recordOf(after).$ref ?? null])
  const { within = [] } = place
  if (recordOf(before).$ref !== undefined && within.includes(pair)) return []
  const compared = {
    versions,
    old: resolved(versions.before, before),
    next: resolved(versions.after, after),
    place: { ...place, within: [...within, pair] },
  }
  return [
    ...typeBreaks(compared),
    ...valueBreaks(compared),
    ...(place.direction === 'request' ? boundBreaks(compared) : []),
    ...propertyBreaks(compared),
    ...partBreaks(compared),
    ...choiceBreaks(compared, 'anyOf'),
    ...choiceBreaks(compared, 'oneOf'),
  ]
}

function typeBreaks({ old, next, place: { at, direction } }: SchemaPair): string[] {
  const typesOf = ({ type }: JsonRecord) =>
    type === undefined ? null : typeof type === 'string' ? [type] : listOf(type)
  const [was, is] = [typesOf(old), typesOf(next)]
  const [given, taken] = direction === 'request' ? [was, is] : [is, was]
  if (taken === null) return []
  if (given === null) return [`${at}: its type is not told any more, or it is told now`]
  const allows = (type: Json) => taken.includes(type) || (type === 'integer' && taken.includes('number'))
  return given
    .filter((type) => !allows(type))
    .map((type) =>
      direction === 'request' ? `${at} may not be ${type} any more` : `${at} may be ${type} now`,
    )
}

/** Those who read ignore values that they do not know; those who send may go on sending all of them. */
function valueBreaks({ old, next, place: { at, direction } }: SchemaPair): string[] {
  const valuesOf = (schema: JsonRecord) =>
    'const' in schema ? [schema.const as Json] : 'enum' in schema ? listOf(schema.enum) : null
  const [was, is] = [valuesOf(old), valuesOf(next)]
  if (direction === 'response') return was !== null && is === null ? [`${at} may have any value now`] : []
  if (is === null) return []
  if (was === null) return [`${at} takes only some values now`]
  const left = is.map((value) => JSON.stringify(value))
  return was
    .map((value) => JSON.stringify(value))
    .filter((value) => !left.includes(value))
    .map((value) => `${at} does not take ${value} any more`)
}

const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const exact = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'not']

function boundBreaks({ old, next, place: { at } }: SchemaPair): string[] {
  const changed = (name: string, isNarrower: (was: number, is: number) => boolean) => {
    const is = next[name]
    if (typeof is !== 'number') return false
    const was = old[name]
    return typeof was !== 'number' || isNarrower(was, is)
  }
  return [
    ...upper.filter((name) => changed(name, (was, is) => is < was)),
    ...lower.filter((name) => changed(name, (was, is) => is > was)),
    ...exact.filter((name) => name in next && JSON.stringify(next[name]) !== JSON.stringify(old[name])),
  ].map((name) => `${at}: ${name} is narrower, or another`)
}

function propertyBreaks(pair: SchemaPair): string[] {
  const { versions, old, next, place } = pair
  const { at, direction } = place
  const [was, is] = [recordOf(old.properties), recordOf(next.properties)]
  const [needed, needs] = [listOf(old.required), listOf(next.required)]
  const kept = Object.entries(was).flatMap(([name, schema]) => {
    const own = `${at}.${name}`
    if (is[name] === undefined)
      return direction === 'response' || next.additionalProperties === false ? [`${own} is gone`] : []
    return schemaBreaks(versions, schema, is[name], { ...place, at: own })
  })
  const demanded =
    direction === 'request'
      ? needs.filter((name) => !needed.includes(name)).map((name) => `${at}.${name} is required now`)
      : needed
          .filter((name) => !needs.includes(name) && is[String(name)] !== undefined)
          .map((name) => `${at}.${name} may be missing now`)
  const closed =
    direction === 'request' && old.additionalProperties !== false && next.additionalProperties === false
  return [...kept, ...demanded, ...(closed && 'type' in old ? [`${at} takes no other fields any more`] : [])]
}

/** Compares the items of lists, the values of maps, and what all of several schemas ask for. */
function partBreaks({ versions, old, next, place }: SchemaPair): string[] {
  const parts = [
    ['items', '[]'],
    ['additionalProperties', '.*'],
  ] as const
  const same = parts.flatMap(([name, suffix]) =>
    typeof old[name] === 'object' && typeof next[name] === 'object'
      ? schemaBreaks(versions, old[name], next[name], { ...place, at: `${place.at}${suffix}` })
      : [],
  )
  const [was, is] = [listOf(old.allOf), listOf(next.allOf)]
  const all = was.flatMap((schema, index) =>
    is[index] === undefined ? [] : schemaBreaks(versions, schema, is[index], place),
  )
  const differs = was.length !== is.length ? [`${place.at}: allOf has other parts`] : []
  return [...same, ...all, ...differs]
}

/** Compares choices by the schema that each names, or by what makes it differ. */
function choiceBreaks({ versions, old, next, place }: SchemaPair, keyword: 'anyOf' | 'oneOf'): string[] {
  const named = (given: readonly Json[], document: Versions['before']) =>
    new Map(given.map((schema, index) => [nameOf(schema, resolved(document, schema), index), schema]))
  const was = named(listOf(old[keyword]), versions.before)
  const is = named(listOf(next[keyword]), versions.after)
  const { at, direction } = place
  if (was.size === 0 && is.size === 0) return []
  if (was.size === 0 || is.size === 0) return [`${at}: ${keyword} is new or gone`]
  const kept = [...was].flatMap(([name, schema]) => {
    const other = is.get(name)
    if (other !== undefined) return schemaBreaks(versions, schema, other, { ...place, at: `${at}(${name})` })
    return direction === 'request' ? [`${at}: the choice ${name} is gone`] : []
  })
  // A choice that tells which it is can be ignored, as a value that is new.
  const added =
    direction === 'request' ? [] : [...is].filter(([name]) => !was.has(name) && !name.includes('='))
  return [...kept, ...added.map(([name]) => `${at} may be ${name} now`)]
}

/** The name of a choice: a property that is always the same value, the schema that it names, or its type. */
function nameOf(schema: Json, { properties, type, title, const: value }: JsonRecord, index: number): string {
  for (const [name, property] of Object.entries(recordOf(properties)))
    if (recordOf(property).const !== undefined) return `${name}=${JSON.stringify(recordOf(property).const)}`
  if (value !== undefined) return `=${JSON.stringify(value)}`
  const { $ref } = recordOf(schema)
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? $ref
  return typeof title === 'string' ? title : typeof type === 'string' ? type : String(index)
}
