import type { JsonObject, JsonValue } from '../../../src/contract/openapi/document.ts'

/** Writes the TypeScript of a schema of the document. References become the names of the types. */
export function typeOf(schema: JsonObject, indent = ''): string {
  const { $ref, const: constant, enum: words, anyOf, oneOf, type, items, format } = schema
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (constant !== undefined) return literal(constant)
  if (Array.isArray(words)) return union(words.map(literal))
  const alternatives = anyOf ?? oneOf
  if (Array.isArray(alternatives)) {
    return union((alternatives as readonly JsonObject[]).map((each) => typeOf(each, indent)))
  }
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, indent)))
  if (type === 'array') return `${grouped(typeOf((items ?? {}) as JsonObject, indent))}[]`
  if (type === 'object') return objectType(schema, indent)
  if (format === 'binary') return 'Blob'
  return simpleTypes[String(type)] ?? 'unknown'
}

const simpleTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function objectType(schema: JsonObject, indent: string): string {
  const { properties, additionalProperties } = schema
  if (properties === undefined) {
    const values = isObject(additionalProperties) ? typeOf(additionalProperties, indent) : 'unknown'
    return `Record<string, ${values}>`
  }
  return fieldsOf(schema, indent)
}

/** Writes the fields of an object between braces, each with its description. */
export function fieldsOf({ properties = {}, required = [] }: JsonObject, indent = ''): string {
  const inside = `${indent}  `
  const needed = required as readonly string[]
  const fields = Object.entries(properties as Record<string, JsonObject>).map(([name, field]) => {
    const mark = needed.includes(name) ? '' : '?'
    return `${docOf(field.description, inside)}${inside}${propertyName(name)}${mark}: ${typeOf(field, inside)}\n`
  })
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}${indent}}`
}

/** Writes a description as a comment for editors; nothing if there is none. */
export function docOf(description: JsonValue | undefined, indent = ''): string {
  if (typeof description !== 'string' || description === '') return ''
  const lines = description.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** Writes the declaration of a schema under its name. */
export function declarationOf(name: string, schema: JsonObject): string {
  const doc = docOf(schema.description)
  if (schema.type === 'object' && schema.properties !== undefined) {
    return `${doc}export interface ${name} ${fieldsOf(schema)}\n`
  }
  return `${doc}export type ${name} = ${typeOf(schema)}\n`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function grouped(type: string): string {
  return type.includes(' | ') ? `(${type})` : type
}

function literal(value: JsonValue): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
