import type { Network } from '../resources/network.ts'

// The shapes of an OpenAPI 3.1 document, as far as Posthorn writes one.

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }
export type JsonObject = { readonly [key: string]: JsonValue }

export interface SchemaReference {
  readonly $ref: string
}

export interface MediaType {
  readonly schema: JsonObject
  readonly example?: JsonValue
  readonly examples?: Readonly<Record<string, Example | SchemaReference>>
  readonly 'x-events'?: Readonly<Record<string, JsonObject>>
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}

export interface Example {
  readonly summary: string
  readonly value: JsonValue
}

export interface HeaderObject {
  readonly description: string
  readonly required: boolean
  readonly schema: JsonObject
  readonly example: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonObject
  readonly example?: JsonValue
  /** False if the entries of a list are one value, separated by commas. */
  readonly explode?: false
}

export interface ResponseObject {
  readonly description: string
  readonly headers: Readonly<Record<string, HeaderObject | SchemaReference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface RequestBody {
  readonly required: boolean
  readonly content: Readonly<Record<string, MediaType>>
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | SchemaReference)[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, ResponseObject | SchemaReference>>
}

/** A request that Posthorn sends to a receiver, with its responses. */
export interface WebhookObject extends Omit<OperationObject, 'responses'> {
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

export interface Components {
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly headers: Readonly<Record<string, HeaderObject>>
  readonly examples: Readonly<Record<string, Example>>
  readonly responses: Readonly<Record<string, ResponseObject>>
  readonly securitySchemes: Readonly<Record<string, JsonObject>>
}

/** A section of the reference, with operations or with nothing but its text. */
export interface Tag {
  readonly name: string
  readonly description: string
}

export interface TagGroup {
  readonly name: string
  readonly tags: readonly string[]
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: JsonObject
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly Tag[]
  /** Groups of sections for readers; tools that do not know the extension show one list. */
  readonly 'x-tagGroups': readonly TagGroup[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookObject }>>
  readonly components: Components
  readonly 'x-networks': readonly Network[]
}

/** A plain copy of data that holds nothing but JSON. */
export function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue
}
