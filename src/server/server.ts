import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Handler } from '../contract/handler.ts'
import type { Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { Alarms } from '../runtime/alarms.ts'
import type { Clock } from '../runtime/clock.ts'
import { newId } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Authentication } from './authenticate.ts'
import { docsPaths, docsReply } from './docs-page.ts'
import { parseJsonBody } from './json-body.ts'
import type { Metrics } from './metrics.ts'
import { problemOf, rawProblem } from './problem-reply.ts'
import type { RateLimit } from './rate-limit.ts'
import { type KnownRequest, known, route } from './route.ts'

export interface ServerContext {
  readonly handlers: readonly Handler[]
  readonly authentication: Authentication
  readonly rateLimit: RateLimit | undefined
  readonly metrics: Metrics
  readonly clock: Clock
  readonly alarms: Alarms
  readonly log: Log
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
  readonly maxConnections: number
}

const bodyLimit = 256 * 1024

/** Builds the HTTP server that answers the contract with its handlers. */
export function buildServer(context: ServerContext): FastifyInstance {
  const { handlers, metrics, log } = context
  const server = Fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    requestTimeout: 30_000,
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    routerOptions: { maxParamLength: 300 },
    genReqId: () => newId('req'),
    clientErrorHandler(error, socket) {
      const requestId = newId('req')
      log.debug({ code: error.code, request_id: requestId }, 'a request was not valid HTTP')
      if (socket.writable) socket.end(rawProblem(error, requestId))
      else socket.destroy()
    },
  })
  server.server.maxConnections = context.maxConnections
  readBodies(server)
  server.setErrorHandler((error, request, reply) =>
    sendProblem(problemOf(error, log, request.id), request, reply),
  )
  server.addHook('onRequest', async (request) => begin(request, context))
  server.addHook('onSend', async (request, reply) => {
    reply.headers((request as KnownRequest)[known].headers)
  })
  server.addHook('onResponse', async (request, reply) => {
    const { operation } = request.routeOptions.config as { operation?: Operation }
    const seconds = (context.clock.monotonic() - (request as KnownRequest)[known].startedAt) / 1000
    metrics.answered(operation?.id ?? 'none', reply.statusCode, seconds)
    logAnswer(log, request, reply.statusCode, seconds)
  })
  for (const handler of handlers) addRoute(server, handler, context)
  for (const path of docsPaths) {
    server.get(path, async (request, reply) => {
      const { status, headers, body } = await docsReply(path, request.headers)
      // The reference may be kept by browsers, unlike everything else.
      Object.assign((request as KnownRequest)[known].headers, headers)
      return reply.code(status).send(body)
    })
  }
  answerOtherPaths(server, context)
  return server
}

function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: FastifyRequest, text: string) => parseJsonBody(text),
  )
}

/** What is known of every request before its route: its id, and the headers that every reply carries. */
function begin(request: FastifyRequest, { clock, stopping }: ServerContext): void {
  const headers = {
    'request-id': request.id,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
  ;(request as KnownRequest)[known] = { requestId: request.id, startedAt: clock.monotonic(), headers }
  if (stopping.aborted)
    throw new Problem('shutting_down', { headers: { 'retry-after': '1', connection: 'close' } })
}

function addRoute(server: FastifyInstance, handler: Handler, context: ServerContext): void {
  const { operation } = handler
  const { authentication, rateLimit } = context
  const answer = route(handler, context)
  server.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    // The key is checked before a byte of the body is read.
    onRequest: async (request) => {
      const { authorization } = request.headers
      const caller = await authentication.authenticate(operation, authorization)
      if (!caller) return
      const facts = (request as KnownRequest)[known]
      facts.caller = caller
      if (rateLimit) Object.assign(facts.headers, rateLimit.take(caller.keyId))
      refuseEncoding(request)
    },
    handler: answer,
  })
}

function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Problem('unsupported_media_type')
}

/** Paths that are none answer 404, and known paths 405 to other methods; both only to callers who have a key. */
function answerOtherPaths(server: FastifyInstance, { handlers, authentication }: ServerContext): void {
  const paths = new Map<string, { pattern: RegExp; methods: string[] }>()
  for (const { operation } of handlers) {
    const entry = paths.get(operation.path) ?? { pattern: patternOf(operation.path), methods: [] }
    entry.methods.push(operation.method)
    paths.set(operation.path, entry)
  }
  server.setNotFoundHandler(async (request) => {
    const path = request.url.split('?')[0] as string
    const methods = [...paths.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((entry) => entry.methods)
    const open = handlers.some(
      ({ operation }) => operation.access === 'open' && patternOf(operation.path).test(path),
    )
    if (!open) await authentication.identify(request.headers.authorization)
    if (methods.length === 0) throw new Problem('route_not_found')
    throw new Problem('method_not_allowed', { headers: { allow: methods.join(', ') } })
  })
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem.body(request.id)))
}

/** Replies that went well are logged at `debug`, what callers got wrong at `info`, what we got wrong at `error`. */
function logAnswer(log: Log, request: FastifyRequest, status: number, seconds: number): void {
  const level = status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug'
  if (!log.isLevelEnabled(level)) return
  const { caller } = (request as KnownRequest)[known]
  const fields = {
    request_id: request.id,
    method: request.method,
    path: request.url.split('?')[0],
    status,
    ms: Math.round(seconds * 1000),
    ...(caller ? { organization_id: caller.organizationId, key_id: caller.keyId } : {}),
  }
  log[level](fields, 'request answered')
}
