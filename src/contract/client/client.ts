import type { TObject } from 'typebox'
import type { StreamEvent } from '../handler.ts'
import {
  anyMediaType,
  type BodyOf,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '../operation.ts'
import type { ProblemBody } from '../problem.ts'
import type { ProblemCode } from '../problems.ts'
import { readEventStream } from './event-stream.ts'

export interface ClientOptions {
  /** The URL of the server, for example `http://127.0.0.1:8080`; it may have a path. */
  readonly baseUrl: string
  /** An API key or a token of the operator; without it, only open operations work. */
  readonly key?: string
  readonly fetch?: typeof fetch
}

type Field<K extends string, S, T> = S extends TObject
  ? { readonly [P in K]: T }
  : { readonly [P in K]?: undefined }

type BodyField<O extends Operation> = O['multipart'] extends TObject
  ? { readonly body: O['body'] extends TObject ? BodyOf<O> | FormData : FormData }
  : O['isBodyOptional'] extends true
    ? Partial<Field<'body', O['body'], BodyOf<O>>>
    : Field<'body', O['body'], BodyOf<O>>

/** Options of a call: the input of the operation, and a signal to give up by. */
export type CallOptions<O extends Operation> = Field<'params', O['params'], ParamsOf<O>> &
  Partial<Field<'query', O['query'], QueryOf<O>>> &
  BodyField<O> & {
    readonly idempotencyKey?: O['idempotent'] extends true ? string : undefined
    /** Seconds for which the server may hold the response (`Prefer: wait=N`). */
    readonly waitSeconds?: O['waits'] extends string ? number : undefined
    /** The `id` of the last event of a stream that broke off: the stream goes on behind it. */
    readonly lastEventId?: O['resumes'] extends true ? string : undefined
    /** The media type to request, if the operation has others than JSON. */
    readonly accept?: string | undefined
    readonly signal?: AbortSignal | undefined
  }

type OptionsArgument<O extends Operation> =
  Record<never, never> extends CallOptions<O> ? [options?: CallOptions<O>] : [options: CallOptions<O>]

/** A documented success. If the response is not JSON, it is in `text`, or in `bytes` for a file. */
export type ClientResponse<O extends Operation> = ResponseOf<O> & {
  readonly headers: Readonly<Record<string, string>>
  readonly text?: string
  readonly bytes?: Uint8Array
}

export interface ClientEvent extends StreamEvent {
  /** The id under which the stream may be taken up again, or an empty text. */
  readonly id: string
}

export interface Client {
  /** Calls the operation. Anything but a documented success is thrown: a `ProblemError` or an `UnexpectedResponseError`. */
  call<O extends Operation>(operation: O, ...options: OptionsArgument<O>): Promise<ClientResponse<O>>
  /** Follows the operation as an event stream, until the server ends it or `signal` aborts. */
  stream<O extends Operation>(operation: O, ...options: OptionsArgument<O>): AsyncGenerator<ClientEvent, void>
}

/** A problem with which the server responded. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly operation: string
  readonly problem: ProblemBody
  readonly headers: Readonly<Record<string, string>>

  constructor(operation: string, problem: ProblemBody, headers: Readonly<Record<string, string>>) {
    super(`${problem.title}: ${problem.detail} (${problem.code}, ${problem.request_id})`)
    this.operation = operation
    this.problem = problem
    this.headers = headers
  }

  get status(): number {
    return this.problem.status
  }

  get code(): ProblemCode {
    return this.problem.code as ProblemCode
  }
}

/** A response that the contract does not know, for example from a proxy in between. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError'
  readonly status: number

  constructor(operation: Operation, response: Response, what: string) {
    const type = response.headers.get('content-type') ?? 'no content type'
    super(`${operation.method} ${operation.path} was answered ${response.status} with ${type}: ${what}`)
    this.status = response.status
  }
}

/** A client of the server at `baseUrl`. Its methods are typed by the operations that are passed to them. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch
  return {
    async call<O extends Operation>(
      operation: O,
      ...[given]: OptionsArgument<O>
    ): Promise<ClientResponse<O>> {
      const response = await send(...requestOf(options, operation, given as LooseOptions))
      return (await readResponse(operation, response)) as unknown as ClientResponse<O>
    },
    async *stream(operation, ...[given]) {
      const [url, init] = requestOf(options, operation, given as LooseOptions, eventStream)
      const response = await send(url, init)
      if (!response.ok) await readResponse(operation, response)
      if (mediaTypeOf(response) !== eventStream || !response.body) {
        throw new UnexpectedResponseError(operation, response, 'an event stream was expected.')
      }
      for await (const { event, data, id } of readEventStream(response.body)) {
        yield { event, data: parsed(data, operation, response), id }
      }
    },
  }
}

const eventStream = 'text/event-stream'

/** The options of any operation, after the types of the specific one were checked. */
interface LooseOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly waitSeconds?: number
  readonly lastEventId?: string
  readonly accept?: string
  readonly signal?: AbortSignal
}

function requestOf(
  { baseUrl, key }: ClientOptions,
  operation: Operation,
  options: LooseOptions = {},
  accept?: string,
): [url: string, init: RequestInit] {
  const headers: Record<string, string> = { accept: accept ?? acceptedOf(operation, options.accept) }
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey
  if (options.waitSeconds !== undefined) headers.prefer = `wait=${options.waitSeconds}`
  if (options.lastEventId !== undefined) headers['last-event-id'] = options.lastEventId
  const init: RequestInit = { method: operation.method, headers, redirect: 'manual' }
  if (options.body instanceof FormData) {
    init.body = options.body
  } else if (options.body !== undefined) {
    headers['content-type'] = 'application/json'
    init.body = JSON.stringify(options.body)
  }
  if (options.signal) init.signal = options.signal
  const path = pathOf(operation, options.params ?? {}) + searchOf(options.query ?? {})
  return [baseUrl.replace(/\/+$/, '') + path, init]
}

/** JSON if the operation has it, because some operations respond differently to a client that accepts anything. */
function acceptedOf(operation: Operation, wanted: string | undefined): string {
  if (wanted !== undefined) return `${wanted}, application/problem+json`
  const documented = Object.values(operation.responses)
  const hasJson = documented.some((each) => each.body)
  const others = documented.flatMap((each) => Object.keys(each.media ?? {}))
  return [...(hasJson ? ['application/json'] : others), 'application/problem+json'].join(', ')
}

function pathOf(operation: Operation, params: Readonly<Record<string, unknown>>): string {
  return operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`${operation.id} needs the parameter ${name}`)
    // URLs swallow these segments, encoded or not, and the request would reach another operation.
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`the parameter ${name} of ${operation.id} cannot be "${value}"`)
    }
    return encodeURIComponent(String(value))
  })
}

function searchOf(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}

interface LooseResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly text?: string
  readonly bytes?: Uint8Array
}

async function readResponse(operation: Operation, response: Response): Promise<LooseResponse> {
  const headers = Object.fromEntries(response.headers)
  const mediaType = mediaTypeOf(response)
  if (mediaType === 'application/problem+json') {
    const problem = parsed(await response.text(), operation, response)
    if (isProblem(problem)) throw new ProblemError(operation.id, problem, headers)
    throw new UnexpectedResponseError(operation, response, 'the problem is not one of the contract.')
  }
  const { status } = response
  const documented = operation.responses[status]
  if (!documented) {
    await response.body?.cancel()
    throw new UnexpectedResponseError(operation, response, 'the contract documents no such response.')
  }
  if (!documented.body && !documented.media) return { status, headers }
  if (documented.media?.[anyMediaType]) return { status, headers, bytes: await response.bytes() }
  if (mediaType !== undefined && documented.media?.[mediaType]?.isBinary)
    return { status, headers, bytes: await response.bytes() }
  const text = await response.text()
  if (documented.body && mediaType === 'application/json') {
    return { status, headers, body: parsed(text, operation, response) }
  }
  if (mediaType !== undefined && documented.media?.[mediaType]) return { status, headers, text }
  throw new UnexpectedResponseError(operation, response, 'the contract knows no such media type here.')
}

/** Asks for no more than is used here: a newer server may know more codes and fields. */
function isProblem(value: unknown): value is ProblemBody {
  if (typeof value !== 'object' || value === null) return false
  const { code, title, detail, status } = value as Record<string, unknown>
  return [code, title, detail].every((text) => typeof text === 'string') && typeof status === 'number'
}

function mediaTypeOf(response: Response): string | undefined {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

function parsed(text: string, operation: Operation, response: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnexpectedResponseError(operation, response, 'the body is not JSON.')
  }
}
