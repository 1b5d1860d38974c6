import { AssertionError } from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type Client, type ClientOptions, createClient } from '../../../src/contract/client/client.ts'
import type { HeaderName } from '../../../src/contract/headers.ts'
import { problemHeaders, responseHeaders } from '../../../src/contract/headers.ts'
import {
  anyMediaType,
  headersOf,
  type Operation,
  problemsOf,
  problemsOutsideOperations,
} from '../../../src/contract/operation.ts'
import { operations } from '../../../src/contract/operations.ts'
import { ProblemBody } from '../../../src/contract/problem-body.ts'
import { type ProblemCode, problems } from '../../../src/contract/problems.ts'
import { type Event, eventTypes, schemaOfEvent } from '../../../src/contract/resources/event.ts'

/** A reply as it came, documented or not. */
export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as it came. */
  readonly bytes: Buffer
  /** The parsed body, if its type is JSON or a problem. */
  readonly json: unknown
}

export interface RawOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface CheckedClient extends Client {
  /**
   * Sends exactly this, even what the typed client would never send. No key is added. `path` is used as it is, with its
   * query. The reply is checked like any other; if no operation matches method and path, only those problems pass
   * that do not belong to operations.
   */
  rawRequest(method: string, path: string, options?: RawOptions): Promise<RawReply>
}

/** A client for tests. Every reply that passes through it must be one that the contract documents. */
export function createCheckedClient(options: ClientOptions): CheckedClient {
  const send = options.fetch ?? fetch
  const base = options.baseUrl.replace(/\/+$/, '')
  const client = createClient({ ...options, fetch: checkedFetch(base, send) })
  return {
    call: client.call,
    async *stream(operation, ...given) {
      for await (const event of client.stream(operation, ...given)) {
        checkEvent(operation, event.event, event.data)
        yield event
      }
    },
    async rawRequest(method, path, given = {}) {
      const reply = await exchange(method, base + path, given)
      checkReply(method, path, reply)
      const isJson = /^application\/(problem\+)?json/.test(reply.headers['content-type'] ?? '')
      return { ...reply, json: isJson ? JSON.parse(reply.text) : undefined }
    },
  }
}

function checkedFetch(base: string, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await sendTwice(send, input, init)
    const path = String(input).slice(base.length)
    const headers = Object.fromEntries(response.headers)
    // A stream never ends by itself, so its events are checked one by one as they come.
    const text = mediaTypeOf(headers) === eventStream ? '' : await response.clone().text()
    checkReply(init?.method ?? 'GET', path, { status: response.status, headers, text })
    return response
  }
}

/**
 * The server may give up a connection, which was opened and never used, in the moment in which it is first used: a client repeats
 * the request then (RFC 9110, section 15.5.9).
 */
async function sendTwice(send: typeof fetch, ...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const response = await send(input, init)
  if (response.status !== 408 || init?.body instanceof ReadableStream) return response
  await response.body?.cancel()
  return send(input, init)
}

const eventStream = 'text/event-stream'

type PlainReply = Pick<RawReply, 'status' | 'headers' | 'text'>

/** Throws an AssertionError unless the contract documents this reply to this request. */
export function checkReply(method: string, path: string, reply: PlainReply): void {
  const operation = operationAt(method, path)
  const subject = operation?.id ?? `${method} ${path} (no operation)`
  const fail: Fail = (what) => {
    const message = `${subject} was answered ${reply.status}: ${what}\n${reply.text.slice(0, 500)}`
    throw new AssertionError({ message, stackStartFn: checkReply })
  }
  if (!reply.headers['request-id']) fail('the header Request-Id is missing')
  const hasLimit = 'ratelimit' in reply.headers
  if (hasLimit !== 'ratelimit-policy' in reply.headers) fail('RateLimit and RateLimit-Policy go together')
  if (mediaTypeOf(reply.headers) === 'application/problem+json') {
    checkProblem(operation ? problemsOf(operation) : problemsOutsideOperations, reply, fail)
  } else if (operation) {
    checkSuccess(operation, reply, fail)
  } else {
    fail('only a problem can be the answer where there is no operation')
  }
}

type Fail = (what: string) => never

function checkSuccess(operation: Operation, { status, headers, text }: PlainReply, fail: Fail): void {
  const documented = operation.responses[status]
  if (!documented) fail('the status is not documented')
  checkHeaders(headers, headersOf(operation, documented), fail)
  const mediaType = mediaTypeOf(headers)
  if (!documented.body && !documented.media) {
    if (text !== '' || mediaType !== undefined) fail('no body is documented')
  } else if (documented.body && mediaType === 'application/json') {
    assertFits(documented.body, parsed(text, fail), fail)
  } else if (
    mediaType === undefined ||
    !(documented.media?.[anyMediaType] ?? documented.media?.[mediaType])
  ) {
    fail(`the media type ${mediaType ?? '(none)'} is not documented`)
  }
}

function checkProblem(allowed: readonly ProblemCode[], reply: PlainReply, fail: Fail): void {
  const problem = parsed(reply.text, fail)
  assertFits(ProblemBody, problem, fail)
  const body = problem as ProblemBody
  const code = body.code as ProblemCode
  if (!allowed.includes(code)) fail(`the problem ${code} is not documented`)
  const { status, title, retryable } = problems[code]
  if (reply.status !== status) fail(`the problem ${code} belongs to the status ${status}`)
  const expected = { type: `/problems/${code}`, title, status, retryable }
  for (const [field, value] of Object.entries(expected)) {
    if (body[field as keyof typeof expected] !== value) fail(`${field} of the problem is not ${value}`)
  }
  if (body.request_id !== reply.headers['request-id']) fail('request_id is not the header Request-Id')
  if (body.errors && code !== 'invalid_request') fail('only invalid_request names invalid values')
  const always = problemHeaders[code] ?? []
  for (const name of always) if (!(name.toLowerCase() in reply.headers)) fail(`the header ${name} is missing`)
  checkHeaders(reply.headers, always, fail)
}

/** Headers that are on every reply, or that belong to HTTP and may be on any. */
const freeHeaders: ReadonlySet<HeaderName> = new Set(['Request-Id', 'RateLimit', 'RateLimit-Policy'])

function checkHeaders(
  headers: Readonly<Record<string, string>>,
  documented: readonly HeaderName[],
  fail: Fail,
): void {
  for (const [name, kind] of Object.entries(responseHeaders) as [
    HeaderName,
    (typeof responseHeaders)[HeaderName],
  ][]) {
    const value = headers[name.toLowerCase()]
    const isDocumented = documented.includes(name)
    if (value === undefined) {
      if (isDocumented && kind.required) fail(`the header ${name} is missing`)
      continue
    }
    if (!isDocumented && !freeHeaders.has(name)) fail(`the header ${name} is not documented`)
    if (!validatorOf(kind.schema).Check(value)) fail(`the header ${name} may not be ${JSON.stringify(value)}`)
  }
}

function checkEvent(operation: Operation, event: string, data: unknown): void {
  const fail: Fail = (what) => {
    const message = `${operation.id} streamed an event ${event}: ${what}\n${JSON.stringify(data)}`
    throw new AssertionError({ message, stackStartFn: checkEvent })
  }
  const schema = operation.responses[200]?.media?.[eventStream]?.events?.[event]
  if (!schema) fail('it is not documented')
  assertFits(schema, data, fail)
}

/** Throws if what was posted to a webhook is not the event that the contract promises. */
export function checkDelivered(event: Event): void {
  const fail: Fail = (what) => {
    const message = `a webhook was sent ${event.type}: ${what}\n${JSON.stringify(event)}`
    throw new AssertionError({ message, stackStartFn: checkDelivered })
  }
  if (!eventTypes.includes(event.type)) fail('it is not documented')
  assertFits(schemaOfEvent(event.type), event, fail)
}

/** The operation for a method and path; literal segments take precedence over parameters. */
function operationAt(method: string, path: string): Operation | undefined {
  const segments = path.split('?')[0]?.split('/') ?? []
  const matches = operations.filter((operation) => {
    const pattern = operation.path.split('/')
    return (
      operation.method === method &&
      pattern.length === segments.length &&
      pattern.every((part, index) =>
        part.startsWith('{') ? segments[index] !== '' : part === segments[index],
      )
    )
  })
  const parameters = (operation: Operation): number => operation.path.split('{').length
  return matches.sort((a, b) => parameters(a) - parameters(b))[0]
}

function assertFits(schema: TSchema, value: unknown, fail: Fail): void {
  const validator = validatorOf(schema)
  if (validator.Check(value)) return
  const faults = validator.Errors(value).map(({ instancePath, message, params }) => {
    return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`
  })
  fail(`the body does not fit its schema: ${faults.join('; ')}`)
}

const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const validator = Compile(schema) as unknown as Validator
  validators.set(schema, validator)
  return validator
}

function parsed(text: string, fail: Fail): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return fail('the body is not JSON')
  }
}

function mediaTypeOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase()
}

/** One request by Node's own client, which sends paths and bodies as they are given, while `fetch` would normalize them. */
export function exchange(
  method: string,
  url: string,
  { headers = {}, body }: RawOptions,
): Promise<Omit<RawReply, 'json'>> {
  const { hostname, port, origin } = new URL(url)
  return new Promise((resolve, reject) => {
    const path = url.slice(origin.length) || '/'
    const request = httpRequest({ method, hostname, port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
        const bytes = Buffer.concat(chunks)
        const status = response.statusCode ?? 0
        resolve({ status, headers: Object.fromEntries(received), text: bytes.toString(), bytes })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}
