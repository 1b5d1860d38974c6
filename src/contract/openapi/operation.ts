import type { TObject, TSchema } from 'typebox'
import { slugPattern } from '../../runtime/ids.ts'
import {
  fileRequestHeaders,
  type HeaderName,
  IdempotencyKey,
  LastEventId,
  longestWait,
  Prefer,
  problemHeaders,
  responseHeaders,
  TraceParent,
  TraceState,
} from '../headers.ts'
import {
  type DocumentedResponse,
  headersOf,
  isAudited,
  isForKeys,
  type Operation,
  problemsOf,
  reachOf,
  roleSuffices,
  roles,
} from '../operation.ts'
import { tagOf } from '../operations.ts'
import { invalid, Problem } from '../problem.ts'
import { ProblemBody } from '../problem-body.ts'
import { type ProblemCode, problems } from '../problems.ts'
import { exampleRequestId } from '../resources/examples.ts'
import {
  type HeaderObject,
  type JsonObject,
  type MediaType,
  type OperationObject,
  type Parameter,
  plain,
  type RequestBody,
  type ResponseObject,
  type SchemaReference,
} from './document.ts'
import type { SchemaBook } from './schemas.ts'

/** Collects the parts that several operations share. */
export interface ComponentRegistry extends SchemaBook {
  /** The part itself or, if several operations have it, a reference to its definition. */
  share<P>(kind: 'parameters' | 'responses', name: string, part: P): P | SchemaReference
  /** A reference to the part, which is defined once. */
  define(kind: 'headers' | 'examples', name: string, part: unknown): SchemaReference
}

/** The operation as OpenAPI describes it. */
export function operationObject(operation: Operation, registry: ComponentRegistry): OperationObject {
  const parameters = parametersOf(operation, registry)
  const requestBody = requestBodyOf(operation, registry)
  return {
    operationId: operation.id,
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: [operation.description, accessOf(operation), ...auditOf(operation)].join('\n\n'),
    security: securityOf(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: { ...successes(operation, registry), ...failures(operation, registry) },
  }
}

function accessOf(operation: Operation): string {
  const { access } = operation
  if (access === 'open') return 'Needs no key.'
  if (access === 'any') return "Needs any key, or the operator's token."
  if (access === 'metrics') return "Needs the token for metrics, or the operator's token."
  if (access === 'operator') return "Needs the operator's token."
  if (access === 'link_page') return 'Needs the token of a link page, which is the fragment of its URL.'
  const sufficient = roles.filter((role) => roleSuffices(role, access)).map((role) => `\`${role}\``)
  const limit = reachOf(operation) === 'refused' ? ' that is not limited to some instances' : ''
  return sufficient.length === 1
    ? `Needs a key with the role ${sufficient[0]}${limit && `,${limit}`}.`
    : `Needs a key with one of the roles ${sufficient.join(', ')}${limit && `,${limit}`}.`
}

function auditOf(operation: Operation): string[] {
  return isAudited(operation) ? ['This operation is recorded in the audit log.'] : []
}

function securityOf({ access }: Operation): OperationObject['security'] {
  if (access === 'open') return []
  if (access === 'metrics') return [{ metricsToken: [] }, { operatorToken: [] }]
  if (access === 'operator') return [{ operatorToken: [] }]
  if (access === 'any') return [{ apiKey: [] }, { operatorToken: [] }]
  if (access === 'link_page') return [{ linkPageToken: [] }]
  return [{ apiKey: [access] }]
}

function parametersOf(operation: Operation, registry: ComponentRegistry): (Parameter | SchemaReference)[] {
  const found = [
    ...fromObject('path', operation.params, registry),
    ...fromObject('query', operation.query, registry),
    ...requestHeaders(operation),
  ]
  return found.map((parameter) =>
    registry.share('parameters', componentOf(parameter, operation.path), parameter),
  )
}

/**
 * The name of a parameter among the components. Generators make a type of each, so it must not be the name of a schema: `InstanceName`
 * for `{name}` in `/v1/instances/{name}`, `WebhookId` for `{webhook}`, `LimitParameter`, `PreferHeader`.
 */
export function componentOf({ name, in: place, schema }: Parameter, path = ''): string {
  const words = name.split(/[-_]/)
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  if (place === 'header') return `${pascal}Header`
  if (place === 'query') return `${pascal}Parameter`
  const suffix = schema.pattern === slugPattern ? 'Name' : 'Id'
  if (name !== suffix.toLowerCase()) return `${pascal}${suffix}`
  const [, collection = ''] = path.split(`/{${name}}`)[0]?.match(/([a-z]+)s$/) ?? []
  return `${collection.charAt(0).toUpperCase()}${collection.slice(1)}${suffix}`
}

function fromObject(
  place: 'path' | 'query',
  object: TObject | undefined,
  registry: ComponentRegistry,
): Parameter[] {
  const required = new Set<string>(object?.required ?? [])
  return Object.entries(object?.properties ?? {}).map(([name, property]) => {
    const { description, examples, ...schema } = plain(property) as JsonObject
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      description: String(description),
      schema: registry.refer(schema.title ? (property as TSchema) : (schema as unknown as TSchema)),
      ...(Array.isArray(examples) ? { example: examples[0] } : {}),
      ...(schema.type === 'array' ? { explode: false as const } : {}),
    }
  })
}

function requestHeaders(operation: Operation): Parameter[] {
  const found: Parameter[] = []
  const of = (...header: Parameters<typeof headerParameter>) => found.push(headerParameter(...header))
  if (operation.idempotent) {
    of(
      'Idempotency-Key',
      'Makes it safe to repeat the request: a repeated request with the same key gets the same response as the first. ' +
        '1 to 255 visible ASCII characters, bare or in double quotes; kept for 72 hours, unless the operator chose otherwise.',
      IdempotencyKey,
    )
  }
  if (operation.traced) {
    of(
      'traceparent',
      'The trace that the request belongs to (W3C Trace Context). It is kept with the message: the deliveries of its events to webhooks carry it ' +
        'unchanged, and the log names it. A value that does not fit the specification is ignored.',
      TraceParent,
    )
    of(
      'tracestate',
      'Goes with `traceparent`, and is passed on unchanged if it has at most 512 characters; ignored otherwise.',
      TraceState,
    )
  }
  if (operation.waits) {
    of(
      'Prefer',
      `\`wait=N\` holds the response until ${operation.waits}, or until N seconds have passed (RFC 7240). A wait of more than ` +
        `${longestWait} seconds is shortened to ${longestWait}; \`Preference-Applied\` repeats the preference that was followed.`,
      Prefer,
    )
  }
  if (operation.file) {
    const schema = { type: 'string' }
    for (const header of fileRequestHeaders) found.push({ in: 'header', required: false, schema, ...header })
  }
  if (operation.resumes) {
    of(
      'Last-Event-ID',
      'For an event stream: the `id` of the last event that reached you. The stream continues after it. It overrides the ' +
        'query, because browsers repeat the first URL when they reconnect.',
      LastEventId,
    )
  }
  return found
}

/** A header of requests, whose schema has an example. */
export function headerParameter(
  name: string,
  description: string,
  schema: TSchema,
  required = false,
): Parameter {
  const { examples, ...rest } = plain(schema) as JsonObject
  const example = (examples as readonly string[])[0] as string
  return { name, in: 'header', required, description, schema: rest, example }
}

function requestBodyOf(operation: Operation, registry: ComponentRegistry): RequestBody | undefined {
  const { body, multipart, examples, multipartExamples } = operation
  if (!body && !multipart) return undefined
  const shown = (of: Operation['examples']) => plain(of ?? {}) as unknown as MediaType['examples'] & object
  const content: Record<string, MediaType> = {}
  if (body) content['application/json'] = { schema: registry.refer(body), examples: shown(examples) }
  if (multipart) {
    content['multipart/form-data'] = {
      schema: registry.refer(multipart),
      encoding: encodingOf(multipart),
      examples: shown(multipartExamples),
    }
  }
  return { required: !operation.isBodyOptional, content }
}

/** The parts of a multipart body that are not plain text say so in their schema. */
function encodingOf(multipart: TObject): Record<string, { contentType: string }> {
  const parts = Object.entries(plain(multipart.properties) as Record<string, JsonObject>)
  const typed = parts.filter(([, schema]) => typeof schema.contentMediaType === 'string')
  return Object.fromEntries(
    typed.map(([name, schema]) => [name, { contentType: schema.contentMediaType as string }]),
  )
}

function successes(operation: Operation, registry: ComponentRegistry): Record<string, ResponseObject> {
  const isLimited = isForKeys(operation.access) || operation.access === 'link_page'
  const limits: HeaderName[] = isLimited ? ['RateLimit', 'RateLimit-Policy'] : []
  return Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const content = contentOf(operation, status, response, registry)
      const headers = references(['Request-Id', ...headersOf(operation, response), ...limits], registry)
      return [status, { description: response.description, headers, ...(content ? { content } : {}) }]
    }),
  )
}

function contentOf(
  operation: Operation,
  status: string,
  response: DocumentedResponse,
  registry: ComponentRegistry,
): Record<string, MediaType> | undefined {
  const content: Record<string, MediaType> = {}
  if (response.body) {
    if (response.example === undefined)
      throw new Error(`the response ${status} of ${operation.id} has no example`)
    content['application/json'] = { schema: registry.refer(response.body), example: plain(response.example) }
  }
  for (const [mediaType, { description, isBinary, example, events }] of Object.entries(
    response.media ?? {},
  )) {
    const binary = isBinary ? { contentMediaType: 'application/octet-stream' } : {}
    content[mediaType] = {
      schema: { type: 'string', ...binary, description },
      ...(example === undefined ? {} : { example }),
      ...(events ? { 'x-events': eventsOf(events, registry) } : {}),
    }
  }
  return Object.keys(content).length > 0 ? content : undefined
}

/** OpenAPI 3.1 cannot say what the events of a stream hold; this extension does, by the name of the event. */
function eventsOf(
  events: Readonly<Record<string, TSchema>>,
  registry: ComponentRegistry,
): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(events).map(([name, schema]) => [name, registry.refer(schema)]))
}

function references(
  names: readonly HeaderName[],
  registry: ComponentRegistry,
): Record<string, SchemaReference> {
  return Object.fromEntries(names.map((name) => [name, registry.define('headers', name, headerObject(name))]))
}

function headerObject(name: HeaderName): HeaderObject {
  const { description, required, schema, example } = responseHeaders[name]
  return { description, required, schema: plain(schema) as JsonObject, example }
}

/** The headers of a response that may be any of these problems; those that only some of them carry are not required. */
function problemHeadersOf(
  codes: readonly ProblemCode[],
  registry: ComponentRegistry,
): Record<string, HeaderObject | SchemaReference> {
  const headers: Record<string, HeaderObject | SchemaReference> = references(['Request-Id'], registry)
  for (const name of new Set(codes.flatMap((code) => problemHeaders[code] ?? []))) {
    const isOnAll = codes.every((code) => problemHeaders[code]?.includes(name))
    const header = headerObject(name)
    headers[name] =
      isOnAll || !header.required ? registry.define('headers', name, header) : { ...header, required: false }
  }
  return headers
}

function failures(
  operation: Operation,
  registry: ComponentRegistry,
): Record<string, ResponseObject | SchemaReference> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of problemsOf(operation)) {
    const { status } = problems[code]
    if (operation.responses[status])
      throw new Error(`${operation.id} has a response and a problem of status ${status}`)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort())
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.map(pascalCase).join('Or')
      return [String(status), registry.share('responses', name, problemResponseOf(codes, registry))]
    }),
  )
}

function problemResponseOf(codes: readonly ProblemCode[], registry: ComponentRegistry): ResponseObject {
  const lines = codes.map((code) => `\`${code}\`: ${problems[code].title}. ${problems[code].explanation}`)
  return {
    description: lines.length === 1 ? String(lines[0]) : lines.map((line) => `- ${line}`).join('\n'),
    headers: problemHeadersOf(codes, registry),
    content: {
      'application/problem+json': {
        schema: registry.refer(ProblemBody),
        examples: Object.fromEntries(codes.map((code) => [code, problemExample(code, registry)])),
      },
    },
  }
}

function problemExample(code: ProblemCode, registry: ComponentRegistry): SchemaReference {
  const fault = { pointer: '/to', code: 'missing', detail: 'The value is required.' }
  const problem = code === 'invalid_request' ? invalid(fault) : new Problem(code)
  const value = plain(problem.body(exampleRequestId))
  return registry.define('examples', code, { summary: problems[code].title, value })
}

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
