import type { TObject, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { slugPattern } from '../runtime/ids.ts'
import { nearest } from '../runtime/text/suggest.ts'
import { elsewhere, otherNames } from './other-names.ts'
import type { InvalidValue } from './problem.ts'
import { cursorPattern } from './scalars.ts'

/** Checks a value and names everything in it that does not fit; an empty list means that it fits. */
export type Validate = (value: unknown) => InvalidValue[]

interface SchemaError {
  readonly keyword: string
  /** The path of the schema that refused it: `#/properties/send_at`. */
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: Params
}

type Params = Readonly<Record<string, unknown>>

/** Returns a function that checks by a schema. `prefix` is put before every pointer, for example `query` or `/settings`. */
export function validator(schema: TSchema, prefix = ''): Validate {
  const compiled = compiledOnce(schema)
  return (value) => {
    if (compiled().Check(value)) return []
    const [, errors] = compiled().Errors(value) as unknown as [boolean, readonly SchemaError[]]
    const meant = ofMeantBranches(errors, { schema, value })
    const faults = withoutRepeats(meant.flatMap((error) => describe(error, { schema, value, prefix })))
    return faults.length > 0 ? faults : [invalidValue(prefix, ...wrongShape)]
  }
}

/** Compiles a schema when it is first needed: a server has hundreds, and callers use a few. */
function compiledOnce(schema: TSchema): () => Validator {
  let compiled: Validator | undefined
  return () => {
    compiled ??= Compile(schema)
    return compiled
  }
}

/** Returns a function that picks the valid fields of an object, and ignores the others. */
export function fieldsThatFit(schema: TObject): (value: unknown) => Record<string, unknown> {
  const checks = Object.entries(schema.properties).map(
    ([name, field]) => [name, compiledOnce(field)] as const,
  )
  return (value) => {
    const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    const fitting = checks.filter(([name, field]) => Object.hasOwn(given, name) && field().Check(given[name]))
    return Object.fromEntries(fitting.map(([name]) => [name, given[name]]))
  }
}

type Words = readonly [code: string, detail: string]

const wrongShape: Words = ['invalid', 'The value is invalid.']

/** Wanted values in words, by the keyword of the schema that refused a value. */
const words: Readonly<Record<string, (params: Params, example: string | undefined) => Words>> = {
  boolean: () => ['unknown_field', 'There is no such field here.'],
  type: ({ type }) => ['wrong_type', `The value must be ${types[String(type)] ?? 'of the documented type'}.`],
  pattern: ({ pattern }, example) => ['wrong_form', form(patterns[String(pattern)], example)],
  format: ({ format }, example) => ['wrong_form', form(formats[String(format)], example)],
  enum: ({ allowedValues }) => ['not_allowed', `The value must be one of ${listed(allowedValues)}.`],
  const: ({ allowedValue }) => ['not_allowed', `The value must be ${listed([allowedValue])}.`],
  anyOf: () => ['not_allowed', 'The value matches none of the documented forms.'],
  minLength: ({ limit }) => ['too_short', `The text must have at least ${count(limit, 'character')}.`],
  maxLength: ({ limit }) => ['too_long', `The text may have at most ${count(limit, 'character')}.`],
  minimum: ({ limit }) => ['out_of_range', `The number must be at least ${limit}.`],
  maximum: ({ limit }) => ['out_of_range', `The number may be at most ${limit}.`],
  minItems: ({ limit }) => ['too_few', `The list must have at least ${count(limit, 'entry', 'entries')}.`],
  maxItems: ({ limit }) => ['too_many', `The list may have at most ${count(limit, 'entry', 'entries')}.`],
  uniqueItems: () => ['repeated', 'The list may not contain an entry twice.'],
  maxProperties: ({ limit }) => ['too_many', `There may be at most ${count(limit, 'entry', 'entries')}.`],
  propertyNames: () => ['wrong_form', 'The name of an entry does not have the documented form.'],
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: '`true` or `false`',
  object: 'an object',
  array: 'an array',
  null: '`null`',
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'an RFC 3339 time with its offset from UTC',
  uri: 'a URL',
}

const patterns: Readonly<Record<string, string>> = {
  [slugPattern]:
    '1 to 63 characters: lower-case letters, digits, `-` and `_`, starting with a letter or digit',
  [cursorPattern]: 'the `next_cursor` of a page',
}

function form(wanted: string | undefined, example: string | undefined): string {
  const such = example === undefined ? '' : `, such as \`${example}\``
  if (wanted !== undefined) return `The value must be ${wanted}${such}.`
  return `The value must have the documented form${such}.`
}

function listed(values: unknown): string {
  return (values as readonly unknown[]).map((value) => `\`${String(value)}\``).join(', ')
}

function count(limit: unknown, one: string, more = `${one}s`): string {
  return `${limit} ${limit === 1 ? one : more}`
}

interface Checked {
  readonly schema: TSchema
  readonly value: unknown
  readonly prefix: string
}

function describe(
  { keyword, schemaPath, instancePath, params }: SchemaError,
  { schema, value, prefix }: Checked,
): InvalidValue[] {
  const at = (name: string) => `${prefix}${instancePath}/${escapePointer(name)}`
  if (keyword === 'required') {
    const { requiredProperties } = params as { requiredProperties: string[] }
    return requiredProperties.map((name) => invalidValue(at(name), 'missing', 'The value is required.'))
  }
  // Unknown fields are reported one by one, as values that fit nothing, and then all together; the list may end between.
  if (keyword === 'additionalProperties') return []
  const part = partAt(schema, schemaPath, 1)
  const [code, detail] =
    numberOfFields(keyword, params, part) ??
    words[keyword]?.(params, exampleAt(schema, schemaPath)) ??
    wrongShape
  const hint = hintFor(keyword, params, { path: instancePath, value, part })
  return [invalidValue(`${prefix}${instancePath}`, code, `${detail}${hint}`)]
}

/** Returns what is wrong with the number of fields of an object whose fields are known. */
function numberOfFields(keyword: string, { limit }: Params, part: unknown): Words | undefined {
  const names = Object.keys((part as { properties?: object } | undefined)?.properties ?? {})
  if (names.length === 0) return undefined
  if (keyword === 'minProperties') return ['missing', `Give ${limit} or more of ${listed(names)}.`]
  if (keyword !== 'maxProperties') return undefined
  return [
    'too_many',
    `Give only ${limit} of ${listed(names)} in a request, and the others in requests of their own.`,
  ]
}

/** A value in which something was refused, its path, and the part of the schema around what refused it. */
interface Given {
  readonly path: string
  readonly value: unknown
  readonly part: unknown
}

/** A sentence about an unknown name or word, with a space before it; empty if there is none to say. */
function hintFor(keyword: string, params: Params, given: Given): string {
  const word = keyword === 'enum' ? valueAt(given) : undefined
  if (typeof word === 'string' && Object.hasOwn(elsewhere, word))
    return ` ${elsewhere[word as keyof typeof elsewhere]}`
  const meant = meantBy(keyword, params, given)
  return meant === undefined ? '' : ` Did you mean \`${meant}\`?`
}

function stepsOf(path: string): string[] {
  return path.split('/').slice(1).map(unescapePointer)
}

function valueAt({ path, value }: Given): unknown {
  return stepsOf(path).reduce<unknown>((from, step) => (from as Params | null | undefined)?.[step], value)
}

/** The known name or word that was probably meant by an unknown one. */
function meantBy(keyword: string, { allowedValues }: Params, place: Given): string | undefined {
  if (keyword === 'boolean') {
    const fields = Object.keys((place.part as { properties?: object } | undefined)?.properties ?? {})
    const name = stepsOf(place.path).at(-1) ?? ''
    return nearest(name, fields) ?? fields.find((field) => otherNames[field]?.includes(plainName(name)))
  }
  if (keyword !== 'enum') return undefined
  const given = valueAt(place)
  const words = (allowedValues as readonly unknown[]).filter((word) => typeof word === 'string')
  return typeof given === 'string' ? nearest(given, words) : undefined
}

function plainName(name: string): string {
  return name.length > 100 ? '' : name.toLowerCase().replace(/[-_]/g, '')
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** A union that the path of an error leads through, or ends at. */
interface Crossing {
  /** The path of the value that it refused. */
  readonly place: string
  readonly branches: readonly unknown[]
  /** The branch that the path goes on in; undefined if the union itself refused the value. */
  readonly branch: number | undefined
}

/**
 * A value that fits no branch of a union has errors of all of them. Those of a branch that takes no value of its type are left out, if another
 * does: to be told that a text is too long says nothing to do with `null`.
 */
function ofMeantBranches(
  errors: readonly SchemaError[],
  { schema, value }: Omit<Checked, 'prefix'>,
): readonly SchemaError[] {
  return errors.filter((error) =>
    crossingsOf(error, schema).every(({ place, branches, branch }) => {
      const given = valueAt({ path: place, value, part: schema })
      const meant = branches.map((each) => takesTypeOf(each, given))
      const isClear = meant.includes(true) && meant.includes(false)
      return !isClear || (branch !== undefined && meant[branch] === true)
    }),
  )
}

/** Returns the unions on the way to an error, the outermost first. */
function crossingsOf({ keyword, schemaPath, instancePath }: SchemaError, schema: TSchema): Crossing[] {
  const steps = stepsOf(schemaPath)
  const places = instancePath.split('/').slice(1)
  const found: Crossing[] = []
  let part: unknown = schema
  let depth = 0
  const cross = (branch: number | undefined) => {
    const { anyOf: branches } = part as { anyOf?: unknown }
    const place = places.slice(0, depth).map((step) => `/${step}`)
    if (Array.isArray(branches)) found.push({ place: place.join(''), branches, branch })
  }
  for (let at = 0; at < steps.length && typeof part === 'object' && part !== null; at++) {
    const step = steps[at] as string
    if (step === 'anyOf') cross(Number(steps[at + 1]))
    // The name of a property, or the number of a branch, follows.
    const isNamed = /^(properties|patternProperties|anyOf|allOf|prefixItems)$/.test(step)
    if (!/^(anyOf|allOf)$/.test(step)) depth++
    part = (part as Params)[step]
    if (isNamed) part = (part as Params | undefined)?.[steps[++at] as string]
  }
  if (keyword === 'anyOf' && typeof part === 'object' && part !== null) cross(undefined)
  return found
}

/** True if a schema takes some values of the type that a value has. */
function takesTypeOf(schema: unknown, value: unknown): boolean {
  const { type, anyOf } = schema as { type?: unknown; anyOf?: readonly unknown[] }
  if (anyOf) return anyOf.some((branch) => takesTypeOf(branch, value))
  if (type === undefined) return true
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return type === own || (type === 'integer' && own === 'number')
}

/** The part of a schema at a path, or so many steps above it. */
function partAt(schema: TSchema, path: string, above: number): unknown {
  const steps = path.split('/').slice(1)
  return steps
    .slice(0, steps.length - above)
    .reduce<unknown>((from, step) => (from as Params | undefined)?.[step], schema)
}

/** The example that the refusing part of the schema has of a text. */
function exampleAt(schema: TSchema, path: string): string | undefined {
  const part = partAt(schema, path, 0)
  const example = (part as { examples?: readonly unknown[] } | undefined)?.examples?.[0]
  return typeof example === 'string' ? example : undefined
}

function invalidValue(pointer: string, code: string, detail: string): InvalidValue {
  // Cut so that a long name is not sent back whole, and never into half a character.
  return { pointer: pointer.slice(0, 200).toWellFormed(), code, detail }
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The first fault of each value; a failed alternative reports one for every branch. */
function withoutRepeats(errors: InvalidValue[]): InvalidValue[] {
  const places = new Map(errors.toReversed().map((error) => [error.pointer, error]))
  return [...places.values()].reverse().slice(0, 50)
}
