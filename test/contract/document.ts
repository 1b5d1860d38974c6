/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type JsonRecord = { readonly [name: string]: Json }

/** A document of OpenAPI 3.1, as far as it is compared. */
export interface ContractDocument {
  readonly paths: JsonRecord
  readonly webhooks?: JsonRecord
  readonly components?: JsonRecord
}

/** Two documents that are compared, each with its own components. */
export interface Versions {
  readonly before: ContractDocument
  readonly after: ContractDocument
}

export function recordOf(value: Json | undefined): JsonRecord {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonRecord) : {}
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** Returns a part of a document in place of a reference to it. Throws if there is none. */
export function resolved(document: ContractDocument, value: Json): JsonRecord {
  const part = recordOf(value)
  const { $ref } = part
  if (typeof $ref !== 'string') return part
  const target = $ref
    .slice('#/'.length)
    .split('/')
    .reduce<Json | undefined>(
      (at, name) => recordOf(at)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
      document as unknown as JsonRecord,
    )
  if (target === undefined) throw new Error(`${$ref} refers to nothing`)
  return resolved(document, target)
}
