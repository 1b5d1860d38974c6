/*
 * The fields of a form, made from the JSON schema that a network has for its settings or credentials. What no field can show is
 * entered as JSON.
 */

/** As much of a JSON schema as is understood here. */
interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

export interface SchemaField {
  readonly name: string
  /** Its position in the body, as a JSON pointer. */
  readonly pointer: string
  readonly kind: 'text' | 'secret' | 'number' | 'boolean' | 'choice' | 'group' | 'json'
  readonly isRequired: boolean
  readonly description: string | undefined
  /** The value that counts if nothing is entered. */
  readonly standard: string | undefined
  readonly example: string | undefined
  /** Of a choice. */
  readonly options: readonly string[]
  /** Of a group. */
  readonly fields: readonly SchemaField[]
}

/** Entered text of each field, by its name. An empty one is left out of the value. */
export interface Draft {
  readonly [name: string]: string | Draft
}

/**
 * Returns the fields of an object. `pointer` is its position; `areSecret` hides the entered text from a person who looks
 * over one's shoulder.
 */
export function fieldsOf(schema: unknown, pointer: string, areSecret: boolean): readonly SchemaField[] {
  const { properties = {}, required = [] } = schema as Schema
  return Object.entries(properties).map(([name, part]) => {
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const kind = kindOf(name, part, areSecret)
    return {
      name,
      pointer: at,
      kind,
      isRequired: required.includes(name),
      description: part.description,
      standard: part.default === undefined ? undefined : textOf(part.default),
      example: part.examples?.[0] === undefined ? undefined : textOf(part.examples[0]),
      options: kind === 'choice' ? (part.enum as readonly string[]) : [],
      fields: kind === 'group' ? fieldsOf(part, at, areSecret) : [],
    }
  })
}

function kindOf(name: string, schema: Schema, areSecret: boolean): SchemaField['kind'] {
  if (schema.enum?.every((word) => typeof word === 'string')) return 'choice'
  if (schema.type === 'boolean') return 'boolean'
  if (schema.type === 'number' || schema.type === 'integer') return 'number'
  // A person who logs in to a network must see the name that they enter.
  if (schema.type === 'string') return areSecret && !name.endsWith('username') ? 'secret' : 'text'
  return schema.type === 'object' && schema.properties ? 'group' : 'json'
}

/** The text of a value, as it is entered and shown. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value that was entered; undefined if nothing was. Pointers of texts that are no JSON are added to `broken`. */
export function valueFrom(
  fields: readonly SchemaField[],
  draft: Draft,
  broken: string[],
): Readonly<Record<string, unknown>> | undefined {
  const entries = fields.flatMap((field) => {
    const entered = draft[field.name]
    if (entered === undefined || entered === '') return []
    const value =
      typeof entered === 'string'
        ? readText(field, entered, broken)
        : valueFrom(field.fields, entered, broken)
    return value === undefined ? [] : [[field.name, value] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function readText({ kind, pointer }: SchemaField, text: string, broken: string[]): unknown {
  if (kind === 'boolean') return text === 'true'
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    broken.push(pointer)
    return undefined
  }
}

/** The same value with every secret replaced by the name of its field, to be shown. */
export function withoutSecrets(
  fields: readonly SchemaField[],
  value: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined) return undefined
  const secrets = fields.filter(({ kind, name }) => kind === 'secret' && name in value)
  return { ...value, ...Object.fromEntries(secrets.map(({ name }) => [name, `<${name}>`])) }
}

/** Returns the pointers at which the fields show their faults. */
export function pointersOf(fields: readonly SchemaField[]): string[] {
  return fields.flatMap(({ pointer, fields }) => [pointer, ...pointersOf(fields)])
}
