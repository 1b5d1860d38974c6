import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { explainEncodedFile } from '../contract/encoded-file.ts'
import type { Caller, Handler, Idempotency, UnfitCall, Upload } from '../contract/handler.ts'
import { longestEventId, longestWait } from '../contract/headers.ts'
import { missingCode, type Operation, reachOf, sees } from '../contract/operation.ts'
import { type InvalidValue, invalid, Problem } from '../contract/problem.ts'
import { problems } from '../contract/problems.ts'
import { fieldsThatFit, type Validate, validator } from '../contract/validate.ts'
import { traceContext } from '../runtime/text/trace-context.ts'
import type { ReceivedForm } from './body/form-body.ts'
import { isFit, parseJsonBody } from './body/json-body.ts'
import { PathHints } from './paths/path-hints.ts'

/** Reads what an operation takes from a request; compiled once for each operation. */
export interface CallReader {
  /** The validated parts; throws the problem that names everything that does not fit. */
  read(request: RequestParts, form?: ReceivedForm): CallParts
}

/** The parts of a request that say what is asked. */
export type RequestParts = Pick<FastifyRequest, 'method' | 'url' | 'params' | 'query' | 'body' | 'headers'>

export interface CallParts {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly upload: Upload | undefined
  readonly idempotency: Idempotency | undefined
  readonly waitMs: number
  readonly trace: string | null
  readonly lastEventId: string | undefined
}

/** The body, without the parts that its handler checks. */
function shapeOf(body: TObject, entries: string | undefined): TObject {
  if (entries === undefined) return body
  const list = { ...body.properties[entries], items: {} }
  return { ...body, properties: { ...body.properties, [entries]: list } } as TObject
}

export type Fingerprint = (text: string) => string

/** `fingerprint` identifies a text that must not be stored. */
export function callReader(
  operation: Operation,
  fingerprint: Fingerprint,
  hints = new PathHints([operation]),
): CallReader {
  const params = operation.params && validator(operation.params, 'path')
  const query = operation.query && validator(operation.query, 'query')
  const body = operation.body && validator(shapeOf(operation.body, operation.entries))
  const form = operation.form && validator(operation.form)
  const readQuery = queryReader(operation.query)
  const missing = missingCode(operation)
  const explained = (faults: InvalidValue[], { body: given }: RequestParts) =>
    operation.form ? explainEncodedFile(given, faults) : explainMissing(operation, faults)
  return {
    read(request, received) {
      if (params && params(request.params).length > 0) {
        throw Object.values(request.params as object).includes('')
          ? noSuchPath(hints, request)
          : (otherMethod(hints, request) ?? new Problem(missing))
      }
      if (operation.isBodyOptional) request.body ??= {}
      const asked = readQuery(request.query as Record<string, unknown>)
      const faults = [
        ...(query ? query(asked) : refuseAny(asked)),
        ...unfit(asked),
        ...explained(
          form && received ? checkForm(form, request, received) : checkBody(operation, body, request),
          request,
        ),
      ]
      if (faults.length > 0) throw invalid(...faults)
      return {
        params: request.params,
        query: asked,
        body: request.body,
        upload: received?.upload,
        idempotency: operation.idempotent
          ? readIdempotency(request, fingerprint, received?.upload?.file.sha256)
          : undefined,
        trace: operation.traced ? traceContext(request.headers) : null,
        waitMs: operation.waits ? readWait(request) : 0,
        lastEventId: operation.resumes ? lastEventId(request) : undefined,
      }
    },
  }
}

/** The problem of a path that is none, with the one that was probably meant. */
export function noSuchPath(
  hints: PathHints,
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
): Problem {
  const near = hints.near(method, pathOf(url))
  const { explanation } = problems.route_not_found
  return new Problem('route_not_found', near === undefined ? {} : { detail: `${near} ${explanation}` })
}

/** The problem of what looks like a parameter and is a path of its own, for other methods. */
function otherMethod(hints: PathHints, { url }: RequestParts): Problem | undefined {
  const methods = hints.methodsOf(pathOf(url))
  if (!methods) return undefined
  const allow = methods.join(', ')
  return new Problem('method_not_allowed', { detail: `The path supports ${allow}.`, headers: { allow } })
}

export function pathOf(url: string): string {
  return url.split('?')[0] as string
}

/** Says of fields that callers may expect in the body why they are not there. */
function explainMissing({ notHere = {} }: Operation, faults: InvalidValue[]): InvalidValue[] {
  return faults.map((fault) => {
    const name = fault.pointer.slice(1)
    const isKnown = fault.code === 'unknown_field' && Object.hasOwn(notHere, name)
    return isKnown ? { ...fault, code: 'not_changeable', detail: notHere[name] ?? fault.detail } : fault
  })
}

/** The parsed body; undefined if there is none. */
export function readBody({ headers, body }: FastifyRequest): unknown {
  if (!Buffer.isBuffer(body)) return body
  if (!isUtf8Json(headers['content-type'])) {
    throw new Problem('unsupported_media_type', {
      detail: 'JSON must be sent in UTF-8: do not declare another charset.',
    })
  }
  return parseJsonBody(body)
}

/** Adds to the problem of a request what else the feature finds wrong with the fields that fit the contract. */
export function collectDomainErrors({ operation, examine }: Handler) {
  const shape = operation.body ?? operation.form
  const fitting = shape && fieldsThatFit(shape)
  return async (problem: unknown, body: unknown, caller: Caller | undefined): Promise<unknown> => {
    if (!examine || !fitting || !caller || !(problem instanceof Problem) || !problem.errors) return problem
    const { instance, ...fields } = fitting(body)
    const seen = typeof instance === 'string' && sees(caller, instance) ? { instance } : {}
    const found = await examine({ caller, body: { ...fields, ...seen } } as unknown as UnfitCall<Operation>)
    const known = new Set(problem.errors.map(({ pointer }) => pointer))
    const rest = found.filter(({ pointer }) => !known.has(pointer))
    return rest.length > 0 ? invalid(...problem.errors, ...rest) : problem
  }
}

/**
 * Makes the check of an operation that names an instance: to a key that is limited to some instances, those beyond are as if
 * they were not there, whether they are or not.
 */
export function instanceAccess(operation: Operation): (caller: Caller, parts: CallParts) => void {
  const reach = reachOf(operation)
  if (reach !== 'path' && reach !== 'body') return () => {}
  return (caller, { params, body }) => {
    if (caller.instances === null) return
    const named =
      reach === 'path' ? (params as { name: string }).name : (body as { instance?: string })?.instance
    if (named === undefined || !sees(caller, named)) throw new Problem('instance_not_found')
  }
}

/** A form has its file with it. */
function checkForm(validate: Validate, request: RequestParts, { upload }: ReceivedForm): InvalidValue[] {
  const missing = {
    pointer: '/file',
    code: 'missing',
    detail: 'The part `file`, with the file itself, is required.',
  }
  return [...validate(request.body), ...(upload ? [] : [missing])]
}

function checkBody(
  operation: Operation,
  validate: Validate | undefined,
  request: RequestParts,
): InvalidValue[] {
  if (operation.form && !validate) throw unsupportedMediaType(operation)
  if (validate) {
    if (request.body === undefined)
      throw new Problem('malformed_body', { detail: 'The body is empty; send a JSON object.' })
    return validate(request.body)
  }
  const empty = request.body === undefined || JSON.stringify(request.body) === '{}'
  return empty ? [] : [{ pointer: '', code: 'unknown_field', detail: 'The operation takes no body.' }]
}

/** True for a form; names of media types are the same in any case (RFC 9110, section 8.3.1). */
export function isMultipart(request: FastifyRequest): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
}

/**
 * Query parameters are text. Those that are numbers or truth values in the contract become that if they look like one, and those
 * that are lists become lists at their commas.
 */
function queryReader(schema: TObject | undefined) {
  const properties = Object.entries(schema?.properties ?? {}) as [string, { type?: string }][]
  const typed = properties.filter(([, { type }]) => type !== 'string')
  return (query: Record<string, unknown>): Record<string, unknown> => {
    const read = { ...query }
    for (const [name, { type }] of typed) {
      const value = read[name]
      if (typeof value !== 'string') continue
      if (type === 'array') read[name] = value.split(',')
      else if (type === 'boolean' && /^(?:true|false)$/.test(value)) read[name] = value === 'true'
      else if (type === 'integer' && /^-?\d{1,15}$/.test(value)) read[name] = Number(value)
    }
    return read
  }
}

function refuseAny(query: Record<string, unknown>): InvalidValue[] {
  return Object.keys(query).map((name) => ({
    pointer: `query/${name}`.slice(0, 200).toWellFormed(),
    code: 'unknown_field',
    detail: 'The operation has no such parameter.',
  }))
}

function unfit(query: Record<string, unknown>): InvalidValue[] {
  const names = Object.keys(query).filter((name) => typeof query[name] === 'string' && !isFit(query[name]))
  return names.map((name) => ({
    pointer: `query/${name}`.slice(0, 200).toWellFormed(),
    code: 'text_not_representable',
    detail: 'The text cannot be transmitted unchanged.',
  }))
}

/* A preference at the head of the list or after a comma; what follows a semicolon is a parameter of another one. */
const waitPreference = /^(?:[^"]|"[^"]*")*?(?<=^|,)\s*wait\s*=\s*(?:"(\d+)"|(\d+))\s*(?:$|[,;])/i

/**
 * Returns the milliseconds of `Prefer: wait=N` (RFC 7240), shortened to the maximum. A value that cannot be read is ignored,
 * as the RFC requires.
 */
function readWait(request: RequestParts): number {
  const { prefer } = request.headers
  if (prefer === undefined) return 0
  const match = waitPreference.exec(String(prefer))
  return match ? Math.min(longestWait, Number(match[1] ?? match[2])) * 1000 : 0
}

/** Tells a waiting caller to send the body (RFC 9110, section 10.1.1). */
export function askForBody({ headers, raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.httpVersion === '1.1' && /^100-continue$/i.test(headers.expect ?? '')) reply.raw.writeContinue()
}

/** Bodies are taken as they are: one that was compressed could be of any size. */
export function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Problem('unsupported_media_type', {
      detail: 'Send the body as it is, without `Content-Encoding`.',
    })
  }
}

/** The problem of a body in another media type than those that the operation takes. */
export function unsupportedMediaType(operation: Operation | undefined): Problem {
  const taken = [
    ...(operation?.body ? ['JSON, with the header `Content-Type: application/json`'] : []),
    ...(operation?.form ? ['a form of the type `multipart/form-data`'] : []),
  ]
  const detail =
    taken.length > 0 ? `Send the body as ${taken.join(', or as ')}.` : 'The operation takes no body.'
  return new Problem('unsupported_media_type', { detail })
}

/** True unless the content type names another character encoding than the one that JSON has. */
export function isUtf8Json(contentType: string | undefined): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType ?? '')?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/**
 * Returns the id of the last event that the caller saw. A caller that saw none yet has no id, and may say so by an empty
 * one.
 */
function lastEventId({ headers }: RequestParts): string | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (id.length > longestEventId) {
    const detail = `The id may have at most ${longestEventId} characters. Send the last \`id\` of the stream unchanged.`
    throw invalid({ pointer: 'header/Last-Event-ID', code: 'too_long', detail })
  }
  return String(id)
}

function readIdempotency(
  request: RequestParts,
  fingerprint: Fingerprint,
  file: string | undefined,
): Idempotency | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  const key = String(header).replace(/^"(.*)"$/, '$1')
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    const detail = 'The key must be 1 to 255 visible ASCII characters, quoted or bare.'
    throw invalid({ pointer: 'header/Idempotency-Key', code: 'wrong_form', detail })
  }
  return { key, fingerprint: fingerprint(canonical({ params: request.params, body: request.body, file })) }
}

/** Returns the same text for equal requests, with their fields in any order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${fields.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry)}`).join(',')}}`
}
