import type { Static, TObject, TSchema } from 'typebox'
import type { HeaderName } from './headers.ts'
import type { ProblemCode } from './problems.ts'
import { type Role, roles } from './statuses.ts'

export { type Role, roles }

/** The least role of a key that may call an operation; `any` is for every key, and for the operator, too. */
export type KeyAccess = Role | 'any'

/** The right to call an operation: a key, nothing, the token for metrics, that of the operator, or that of a link page. */
export type Access = KeyAccess | 'open' | 'metrics' | 'operator' | 'link_page'

/** True when a key of the role `held` may call an operation that asks for `asked`. */
export function roleSuffices(held: Role, asked: KeyAccess): boolean {
  return asked === 'any' || roles.indexOf(held) >= roles.indexOf(asked)
}

/** True if keys of organizations may call an operation with this access. */
export function isForKeys(access: Access): access is KeyAccess {
  return access === 'any' || roles.some((role) => role === access)
}

/** True if a key that is limited to these instances (null: not limited) may know about the instance with this name, and its data. */
export function sees({ instances }: { readonly instances: readonly string[] | null }, name: string): boolean {
  return instances === null || instances.includes(name)
}

/** One documented response that is a success. */
export interface DocumentedResponse {
  readonly description: string
  /** The body in JSON; absent if there is none. */
  readonly body?: TSchema
  /** A body that fits the schema, shown in the reference. */
  readonly example?: unknown
  /** Bodies in other media types: text, HTML, an event stream. */
  readonly media?: Readonly<Record<string, OtherMedia>>
  /** Headers that only this response has; `headersOf` adds those that follow from the operation. */
  readonly headers?: readonly ResponseHeader[]
}

export interface OtherMedia {
  readonly description: string
  /** True for bytes that are not text. */
  readonly isBinary?: boolean
  readonly example?: string
  /** The data of each kind of event, by its name, if the body is an event stream. */
  readonly events?: Readonly<Record<string, TSchema>>
}

/** The media type under which files are described that can be of any. */
export const anyMediaType = '*/*'

/** The headers that responses document; headers.ts describes each of them once. */
export type ResponseHeader = Extract<
  HeaderName,
  | 'Location'
  | 'Preference-Applied'
  | 'Idempotency-Replayed'
  | 'Content-Disposition'
  | 'ETag'
  | 'Accept-Ranges'
  | 'Content-Range'
>

export type RequestExamples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** An operation as data. Server, types, OpenAPI, client and tests all read it here; nothing is described twice. */
export interface Operation {
  /** The operationId, for example `sendTextMessage`; its handler is in the file `send-text-message.ts`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces, for example `/v1/instances/{name}`. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly access: Access
  /** Open to every caller, without a rate limit, and under any host name. */
  readonly isHealthCheck?: boolean
  /**
   * Its handler shows a key that is limited to some instances only data of those. An operation with the instance in its path or body does not need this: the server checks the name. All other operations refuse limited keys.
   */
  readonly filtered?: true
  /** Its response is about the server, and the same for every key: keys that are limited to some instances may call it, too. */
  readonly isAboutServer?: true
  /** Its name in the audit log, if that is not its id: an order of the operator is named like the same order of a key. */
  readonly auditedAs?: string
  /** Why it is not in the audit log, although it changes something. Everything else that changes something is. */
  readonly unaudited?: string
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /**
   * The list in its body whose entries its handler checks one by one, so that one that does not fit stops none of the others. Each
   * counts as a request.
   */
  readonly entries?: string
  /** Bytes that its body may have, if not the usual number. */
  readonly maxBodyBytes?: number
  /** Fields that callers may expect in the body but that it does not have, each with the reason and the alternative. */
  readonly notHere?: Readonly<Record<string, string>>
  /** Without a body, it gets an empty object. */
  readonly isBodyOptional?: true
  /** A body as `multipart/form-data`, instead of JSON or as an alternative: as it is sent, for the reference. */
  readonly multipart?: TObject
  /** The values of the fields of the multipart body, without its file. */
  readonly form?: TObject
  /** Takes an Idempotency-Key. */
  readonly idempotent?: boolean
  /** Keeps the trace context of the request (W3C), and passes it on. */
  readonly traced?: boolean
  /** Responds with a file, of which callers can request parts (RFC 9110, sections 13 and 14). */
  readonly file?: boolean
  /** The event that `Prefer: wait=N` (RFC 7240) waits for, if it is used. */
  readonly waits?: string
  /** Its event stream can be resumed where it broke off: it uses `Last-Event-ID`. */
  readonly resumes?: boolean
  readonly responses: Readonly<Record<number, DocumentedResponse>>
  /** The problems that only this operation knows; `problemsOf` adds those that follow from the rest. */
  readonly problems?: readonly ProblemCode[]
  /** Request bodies that work, by name. */
  readonly examples?: RequestExamples
  /** The same for the multipart body; a text stands for the bytes of a file. */
  readonly multipartExamples?: RequestExamples
}

type Method = Operation['method']

/** Makes an operation of its method and path, and keeps its exact type: its handler and the client are typed by it. */
export function operation<const D extends Omit<Operation, 'method' | 'path'>>(
  route: `${Method} /${string}`,
  definition: D,
): D & Pick<Operation, 'method' | 'path'> {
  const [method, path] = route.split(' ') as [Method, string]
  return { method, path, ...definition }
}

/** The response of a list: a page, in the example the last one. */
export function pageResponse<S extends TSchema>(description: string, body: S, data: readonly unknown[]) {
  return { description, body, example: { data, next_cursor: null } }
}

/** True if callers choose between media types of a response. */
export function hasMediaChoice({ responses }: Operation): boolean {
  return Object.values(responses).some(({ body, media }) => body && media)
}

/** True if callers can follow it as an event stream. */
export function streamsEvents({ responses }: Operation): boolean {
  return Object.values(responses).some(({ media }) => media && 'text/event-stream' in media)
}

/** Returns every header of a response that is documented for this operation alone. */
export function headersOf(
  { waits, idempotent }: Operation,
  { body, headers = [] }: DocumentedResponse,
): readonly ResponseHeader[] {
  if (!body) return headers
  const replayed: ResponseHeader[] = idempotent ? ['Idempotency-Replayed'] : []
  return [...headers, ...(waits ? ['Preference-Applied' as const] : []), ...replayed]
}

type StaticOf<S> = S extends TSchema ? Static<S> : Record<never, never>
export type ParamsOf<O extends Operation> = StaticOf<O['params']>
export type QueryOf<O extends Operation> = StaticOf<O['query']>
export type BodyOf<O extends Operation> = O['body'] extends TObject
  ? O['form'] extends TObject
    ? Static<O['body']> | Static<O['form']>
    : Static<O['body']>
  : StaticForm<O>
type StaticForm<O extends Operation> = O['form'] extends TObject ? Static<O['form']> : undefined

/** The status and the body of each documented success. */
export type ResponseOf<O extends Operation> = {
  [S in keyof O['responses'] & number]: O['responses'][S] extends { readonly body: infer B extends TSchema }
    ? { readonly status: S; readonly body: Static<B>; readonly headers?: Readonly<Record<string, string>> }
    : { readonly status: S; readonly body?: undefined; readonly headers?: Readonly<Record<string, string>> }
}[keyof O['responses'] & number]

/**
 * Returns the way in which a key that is limited to some instances meets an operation: by the name of an instance, filtered,
 * as every other key, or not at all.
 */
export function reachOf(operation: Operation): 'path' | 'body' | 'filtered' | 'every_key' | 'refused' {
  if (operation.isAboutServer || operation.access === 'any') return 'every_key'
  if (operation.filtered) return 'filtered'
  if (/\/instances\/\{name\}/.test(operation.path)) return 'path'
  const body = operation.body ?? operation.form
  return body && 'instance' in body.properties ? 'body' : 'refused'
}

/** True if it changes something and is recorded in the audit log, under its id. */
export function isAudited({ method, access, unaudited }: Operation): boolean {
  return method !== 'GET' && access !== 'open' && unaudited === undefined
}

/** By the collection in the path: the problem of a resource in it that does not exist. */
const missingCodes: Readonly<Record<string, ProblemCode>> = {
  instances: 'instance_not_found',
  messages: 'message_not_found',
  contacts: 'contact_not_found',
  groups: 'group_not_found',
  webhooks: 'webhook_not_found',
  deliveries: 'delivery_not_found',
  events: 'event_not_found',
  keys: 'key_not_found',
  organizations: 'organization_not_found',
  problems: 'problem_not_found',
}

/** The problem of a path that names nothing that exists, or could exist: that of its last resource. */
export function missingCode({ path }: Pick<Operation, 'path'>): ProblemCode {
  const [, collection = ''] = path.match(/.*\/(\w+)\/\{/) ?? []
  return missingCodes[collection] ?? 'route_not_found'
}

/** Every problem that the operation may respond with: its own, and those that follow from its inputs and responses. */
export function problemsOf(operation: Operation): readonly ProblemCode[] {
  const codes = new Set<ProblemCode>(operation.problems)
  if (operation.path.includes('{')) codes.add(missingCode(operation))
  if (reachOf(operation) === 'body') codes.add('instance_not_found')
  if (hasMediaChoice(operation)) codes.add('not_acceptable')
  if (streamsEvents(operation)) codes.add('too_many_streams')
  if (operation.file) codes.add('range_not_satisfiable')
  codes.add('invalid_request').add('internal_error').add('request_timeout').add('headers_too_large')
  if (!operation.isHealthCheck) codes.add('rate_limited').add('misdirected_request').add('answers_not_read')
  if (operation.access === 'open') return [...codes]
  codes.add('unauthenticated').add('store_unavailable').add('shutting_down').add('too_many_connections')
  const { access, method } = operation
  if (isForKeys(access)) codes.add('key_expired')
  // The operator's token for what is for keys, a key for what is the operator's, and keys with too low a role.
  if (access !== 'any' && access !== 'link_page') codes.add('forbidden')
  if (access === 'send' || access === 'admin') codes.add('storage_full')
  if (isForKeys(access) && reachOf(operation) === 'refused') codes.add('forbidden')
  if ((access === 'operator' || access === 'link_page') && method !== 'GET') codes.add('storage_full')
  if (access === 'link_page') codes.add('link_page_not_found')
  // Even if the operation has no body, because a caller may send one.
  if (operation.method !== 'GET') {
    codes.add('malformed_body').add('body_too_large').add('unsupported_media_type')
  }
  if (operation.waits) codes.add('too_many_waits')
  if (operation.idempotent) codes.add('idempotency_mismatch').add('idempotency_in_progress')
  return [...codes]
}

/** The problems of requests that reach no operation: unknown paths and methods, and invalid HTTP. */
export const problemsOutsideOperations = [
  'route_not_found',
  'method_not_allowed',
  'misdirected_request',
  'unauthenticated',
  'key_expired',
  'forbidden',
  'cross_origin',
  'session_changed',
  'invalid_request',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'rate_limited',
  'answers_not_read',
  'store_unavailable',
  'shutting_down',
  'too_many_connections',
  'callback_not_accepted',
  'body_too_large',
  'unsupported_media_type',
  'storage_full',
] as const satisfies readonly ProblemCode[]
