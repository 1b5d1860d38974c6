import type { JsonObject, JsonValue } from '../../src/contract/openapi/document.ts'

/** A text in the cell of a table. */
export const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n+\s*/g, ' ')

const code = (value: JsonValue) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null

/** The name in a reference such as `#/components/schemas/Message`. */
export const nameIn = (reference: string) => reference.split('/').at(-1) ?? ''

/** A type in a few words, with links to those that have a name. */
export function typeOf(schema: JsonValue | undefined): string {
  if (!isObject(schema)) return 'any value'
  const { $ref, type, items } = schema
  if (typeof $ref === 'string') return `[${nameIn($ref)}](/reference/types.md#${nameIn($ref).toLowerCase()})`
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices))
    return [...new Set(choices.map((choice: JsonValue) => typeOf(choice)))].join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  if (type === 'array') return `list of ${typeOf(items)}`
  return (Array.isArray(type) ? type : [type ?? 'any value']).join(' or ')
}

const limits: readonly (readonly [key: string, words: string])[] = [
  ['minLength', 'At least this many characters'],
  ['maxLength', 'At most this many characters'],
  ['minimum', 'At least'],
  ['maximum', 'At most'],
  ['minItems', 'At least this many entries'],
  ['maxItems', 'At most this many entries'],
  ['default', 'Default'],
]

function limitsOf(schema: JsonObject): string {
  return limits
    .flatMap(([key, words]) =>
      schema[key] === undefined ? [] : [`${words}: ${code(schema[key] as JsonValue)}.`],
    )
    .join(' ')
}

/** A table of the fields of an object; empty if it has none. */
export function fieldsOf(schema: JsonObject): string {
  const { properties, required } = schema
  if (!isObject(properties)) return ''
  const needed = new Set(Array.isArray(required) ? required : [])
  const rows = Object.entries(properties).map(([name, field]) => {
    const told = isObject(field) ? [field.description, limitsOf(field)].filter(Boolean).join(' ') : ''
    return `| \`${name}\` | ${cell(typeOf(field))} | ${needed.has(name) ? 'yes' : 'no'} | ${cell(String(told))} |`
  })
  return ['| field | type | always there | |', '|---|---|---|---|', ...rows].join('\n')
}

/** A page with every type that the operations and events refer to. */
export function typesPage(schemas: Readonly<Record<string, JsonObject>>): string {
  const parts = Object.entries(schemas).map(([name, schema]) => {
    const fields = fieldsOf(schema)
    const description = typeof schema.description === 'string' ? schema.description : ''
    return [`## ${name}`, description, fields === '' ? `${cell(typeOf(schema))}.` : fields]
      .filter(Boolean)
      .join('\n\n')
  })
  return `# Types\n\nThe objects and values that requests, responses and events consist of.\n\n${parts.join('\n\n')}\n`
}
