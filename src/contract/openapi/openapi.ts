import type { TSchema } from 'typebox'
import { type NetworkDescription, networkOf } from '../network-description.ts'
import type { Operation } from '../operation.ts'
import { operations } from '../operations.ts'
import type {
  Components,
  Example,
  HeaderObject,
  JsonObject,
  OpenApiDocument,
  OperationObject,
  Parameter,
  ResponseObject,
  SchemaReference,
} from './document.ts'
import { shapesByNetwork } from './networks.ts'
import { type ComponentRegistry, operationObject } from './operation.ts'
import { type SchemaBook, schemaBook } from './schemas.ts'
import { tagGroupsOf, tagsOf } from './tags.ts'
import { introduction } from './text.ts'
import { webhooksOf } from './webhooks.ts'

export type { OpenApiDocument } from './document.ts'

export interface OpenApiInput {
  /** The version of the server, which is also that of the document. */
  readonly version: string
  /** The URL at which callers reach the server; by default, the host that serves the document. */
  readonly baseUrl?: string
  /** The networks that the server speaks, in the order in which they are shown. */
  readonly networks: readonly NetworkDescription[]
  /** The operations to describe: the contract, except in tests. */
  readonly operations?: readonly Operation[]
}

/** Derives the OpenAPI 3.1 document from the contract. Pure: equal input gives an equal document. */
export function openapi(input: OpenApiInput): OpenApiDocument {
  const networks = input.networks.map(networkOf)
  const described = input.operations ?? operations
  const baseUrl = input.baseUrl?.replace(/\/+$/, '') || undefined
  const parts = new PartsOfTheDocument(shapesByNetwork(input.networks))
  // Only the second pass knows which parts several operations have.
  for (const operation of described) operationObject(operation, parts)
  webhooksOf(parts)
  const registry = parts.counted()
  const paths = pathsOf(described, registry)
  const webhooks = webhooksOf(registry)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Posthorn',
      version: input.version,
      summary: 'A self-hosted messaging gateway with one honest contract.',
      description: introduction(baseUrl),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl ?? '/', description: 'This server.' }],
    tags: tagsOf(networks),
    'x-tagGroups': tagGroupsOf(networks),
    paths,
    webhooks,
    components: { ...parts.components(), securitySchemes },
    'x-networks': networks,
  }
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'phk_…',
    description:
      'A key of your organization, sent as `Authorization: Bearer phk_…`. Its role is `read`, `send` or `admin`.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token of the operator, for operations that concern all organizations. It is in `operator.token` in the data folder.',
  },
  metricsToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token for the metrics, which opens nothing else. It is in `metrics.token` in the data folder.',
  },
  linkPageToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'phl_…',
    description:
      'The token of a link page: the fragment of its URL, without the `#`. It allows only the operations that the page needs ' +
      'to link one account.',
  },
} as const

function pathsOf(described: readonly Operation[], registry: ComponentRegistry): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const operation of described) {
    const path = paths[operation.path] ?? {}
    const method = operation.method.toLowerCase()
    if (path[method]) throw new Error(`two operations answer ${operation.method} ${operation.path}`)
    path[method] = operationObject(operation, registry)
    paths[operation.path] = path
  }
  return paths
}

/** Collects what is defined once. The first pass over the operations counts, the second one refers to what repeats. */
class PartsOfTheDocument implements ComponentRegistry {
  readonly #book: SchemaBook
  readonly #uses = new Map<string, number>()
  readonly #parts = new Map<string, { json: string; part: unknown }>()
  #counting = true

  constructor(inPlace: Readonly<Record<string, JsonObject>>) {
    this.#book = schemaBook(inPlace)
  }

  refer(schema: TSchema): JsonObject {
    return this.#book.refer(schema)
  }

  definitions(): Record<string, JsonObject> {
    return this.#book.definitions()
  }

  /** Ends the first pass. */
  counted(): ComponentRegistry {
    this.#counting = false
    return this
  }

  share<P>(kind: 'parameters' | 'responses', name: string, part: P): P | SchemaReference {
    const json = JSON.stringify(part)
    const place = `${kind}/${name}`
    const use = `${place} ${json}`
    if (this.#counting) {
      this.#uses.set(use, (this.#uses.get(use) ?? 0) + 1)
      return part
    }
    if ((this.#uses.get(use) ?? 0) < 2) return part
    // Parameters with one name may mean different things; then the first gets the name, and the others are inlined.
    const known = this.#parts.get(place)
    if (known && known.json !== json) return part
    this.#parts.set(place, { json, part })
    return { $ref: `#/components/${place}` }
  }

  define(kind: 'headers' | 'examples', name: string, part: unknown): SchemaReference {
    const place = `${kind}/${name}`
    this.#parts.set(place, { json: '', part })
    return { $ref: `#/components/${place}` }
  }

  components(): Omit<Components, 'securitySchemes'> {
    return {
      schemas: this.#book.definitions(),
      parameters: this.#of<Parameter>('parameters'),
      headers: this.#of<HeaderObject>('headers'),
      examples: this.#of<Example>('examples'),
      responses: this.#of<ResponseObject>('responses'),
    }
  }

  #of<P>(kind: keyof Components): Record<string, P> {
    const names = [...this.#parts.keys()].filter((place) => place.startsWith(`${kind}/`)).sort()
    return Object.fromEntries(
      names.map((place) => [place.slice(kind.length + 1), this.#parts.get(place)?.part as P]),
    )
  }
}
