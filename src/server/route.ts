import type { FastifyReply, FastifyRequest } from 'fastify'
import type {
  AnyResponse,
  BytesResponse,
  DownloadResponse,
  Handler,
  StreamResponse,
} from '../contract/handler.ts'
import { hasMediaChoice, type Operation, streamsEvents } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import { largestFile, type MediaKind } from '../contract/resources/message.ts'
import { FileQuotaExceeded, recogniseFile } from '../media/file-quota.ts'
import type { AccessControl } from './access/access-control.ts'
import { type FormIntake, formValues, type ReceivedForm, receiveForm } from './body/form-body.ts'
import { type KnownRequest, knownFacts } from './known-request.ts'
import { checking, performing } from './perform.ts'
import { isMultipart, readBody } from './read-call.ts'
import { writeEventStream } from './responses/event-stream.ts'
import { fileResponse, openStoredFile, sendFile } from './responses/file-response.ts'
import { acceptsGzip, gzip } from './responses/gzip.ts'
import { offeredBy, preferred } from './responses/media-type.ts'
import type { ServerContext } from './server-context.ts'

/** The function that responses an operation over HTTP. */
export function route(handler: Handler, context: ServerContext) {
  const { operation } = handler
  const isChoosy = hasMediaChoice(operation)
  const streams = streamsEvents(operation)
  const offered = offeredBy(operation)
  const [usual = 'application/json'] = offered
  const respond = responding(handler, context)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wantsStream = streams && accepts(request, 'text/event-stream')
    const mediaType = isChoosy ? preferred(request.headers.accept, offered) : usual
    if (mediaType === undefined && !wantsStream) throw new Problem('not_acceptable')
    const form =
      operation.form && isMultipart(request) ? await receive(request as KnownRequest, context) : undefined
    try {
      return await respond(request as KnownRequest, reply, {
        form,
        wantsStream,
        mediaType: mediaType ?? usual,
      })
    } finally {
      await form?.upload?.file.discard()
    }
  }
}

interface Asked {
  readonly form: ReceivedForm | undefined
  readonly wantsStream: boolean
  readonly mediaType: string
}

function responding(handler: Handler, context: ServerContext) {
  const { operation } = handler
  const check = checking(handler, context)
  const perform = performing(handler, context)
  return async (request: KnownRequest, reply: FastifyReply, asked: Asked) => {
    const { form, wantsStream, mediaType } = asked
    const parts = await check(request, request[knownFacts].caller, () => ({
      form,
      body: form && operation.form ? formValues(form.fields, operation.form) : readBody(request),
    }))
    const more = entriesOf(operation, parts.body) - 1
    const { caller } = request[knownFacts]
    if (more > 0 && caller && context.rateLimit) reply.headers(context.rateLimit.owe(caller.keyId, more))
    const call = { parts, wantsStream, mediaType }
    return perform({ request, response: reply.raw }, call, async (given, abort) => {
      if ('file' in given) return await file(request, reply, given, context)
      if (!('stream' in given)) {
        // The preference to wait was honoured (RFC 7240).
        if (parts.waitMs > 0) reply.header('preference-applied', `wait=${parts.waitMs / 1000}`)
        return await send(request, reply, given)
      }
      await stream(request, reply, given, { ...context, abort: abort.controller() })
      return reply
    })
  }
}

/** The number of requests that a call counts as. */
function entriesOf({ entries }: Operation, body: unknown): number {
  const list = entries === undefined ? undefined : (body as Record<string, unknown>)[entries]
  return Array.isArray(list) ? list.length : 1
}

/** Takes in a multipart body, file and all, before anything else is done with it. */
async function receive(request: KnownRequest, { intake, alarms }: ServerContext): Promise<ReceivedForm> {
  const { caller } = request[knownFacts]
  if (!caller) throw new Error('a file came from nobody')
  const length = Number(request.headers['content-length'] ?? 0)
  const form: FormIntake = {
    async receive(bytes, limit) {
      const room = await intake
        .reserve(caller.organizationId, Math.min(length, limit))
        .catch((error: unknown) => {
          const mayBeRepeated = request.headers['idempotency-key'] !== undefined
          if (!(error instanceof FileQuotaExceeded && mayBeRepeated)) throw error
          return { receive: recogniseFile }
        })
      return room.receive(bytes, limit)
    },
    limitOf: ({ kind }) => largestFile[kind as MediaKind] ?? Math.max(...Object.values(largestFile)),
    alarms,
  }
  return receiveForm(request.raw, form)
}

async function stream(
  request: KnownRequest,
  reply: FastifyReply,
  given: StreamResponse,
  context: ServerContext & { readonly abort: AbortController },
): Promise<void> {
  reply.hijack()
  request[knownFacts].isStream = true
  const { accessControl, abort } = context
  if (request.method === 'HEAD') abort.abort()
  const { caller } = request[knownFacts]
  const stillAllowed = () => stillKnown(accessControl, request)
  const whenInDoubt = (ask: () => void) => accessControl.whenInDoubt(caller?.keyId ?? '', ask)
  const headers = reply.getHeaders() as Record<string, string>
  const room = context.responseMemory.roomOf(reply.raw, request[knownFacts])
  await writeEventStream(reply.raw, headers, given, { ...context, room, stillAllowed, whenInDoubt })
}

/** About how many bytes of a file are in memory while it is sent. */
const underway = 256 * 1024

/**
 * Sends a file. A failure after the first bytes ends the connection, so that the caller cannot take a part for all of it.
 */
async function file(
  request: KnownRequest,
  reply: FastifyReply,
  { file, headers: given = {} }: DownloadResponse,
  { alarms, log, responseMemory }: ServerContext,
): Promise<FastifyReply> {
  const isHead = request.method === 'HEAD'
  // Only GET has ranges (RFC 9110, section 14.2).
  const response = fileResponse(file, isHead ? { ...request.headers, range: undefined } : request.headers)
  reply.headers(given)
  if (response.status === 304) return reply.code(304).headers(response.headers).send()
  responseMemory.roomOf(reply.raw, request[knownFacts]).is(Math.min(file.size, underway))
  const bytes = await openStoredFile(file, response.range)
  reply.hijack()
  request[knownFacts].isStream = true
  const headers = reply.getHeaders() as Record<string, string>
  await sendFile(reply.raw, response, bytes, { headers, alarms }).catch((error) => {
    const isGone = error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    if (!isGone) log.error({ err: error, request_id: request.id }, 'could not read a file to its end')
  })
  return reply
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  given: Exclude<AnyResponse<Operation>, StreamResponse | DownloadResponse>,
): Promise<FastifyReply> {
  reply.code(given.status)
  if ('text' in given) return reply.header('content-type', given.mediaType).send(given.text)
  if (given.headers) reply.headers(given.headers)
  if ('bytes' in given) return sendBytes(request, reply, given)
  if (given.body === undefined) return reply.send()
  return sendJson(request, reply, JSON.stringify(given.body))
}

function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, bytes, gzipped }: BytesResponse,
): FastifyReply {
  reply.header('content-type', mediaType)
  if (!gzipped) return reply.send(asBuffer(bytes))
  reply.header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers)) return reply.send(asBuffer(bytes))
  return reply.header('content-encoding', 'gzip').send(asBuffer(gzipped))
}

/** Without a copy, as some are shared by all who read them. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/**
 * Characters of a text that is worth compressing. No response with a secret is that long: its compressed length would reveal
 * the secret to an observer who sees only lengths and had a text of their own put beside it.
 */
const worthCompressing = 16_384

/**
 * Compresses responses to callers with a key. Responses that are open to all are not compressed: anonymous callers cause no
 * such work.
 */
async function sendJson(request: FastifyRequest, reply: FastifyReply, text: string): Promise<FastifyReply> {
  reply.header('content-type', 'application/json; charset=utf-8')
  if (text.length < worthCompressing) return reply.send(text)
  reply.header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers)) return reply.send(text)
  return reply.header('content-encoding', 'gzip').send(await gzip(text))
}

function accepts(request: FastifyRequest, mediaType: string): boolean {
  return request.headers.accept?.toLowerCase().includes(mediaType) ?? false
}

async function stillKnown(accessControl: AccessControl, request: FastifyRequest): Promise<boolean> {
  try {
    await accessControl.authenticate('any', request.raw, false)
    return true
  } catch (error) {
    return !(error instanceof Problem)
  }
}
