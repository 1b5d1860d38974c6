import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Handler } from '../contract/handler.ts'
import { isAudited, type Operation } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import { newId } from '../runtime/ids.ts'
import { authorizer } from './access/access-control.ts'
import { BodyWatch } from './body/body-watch.ts'
import { serveCallbacks } from './callback-route.ts'
import { type ClosingResponse, HttpServer } from './connections/http-server.ts'
import { serveConsole } from './console/console-route.ts'
import { serveLinkPage } from './console/link-page-route.ts'
import { serveDocs } from './docs/docs-route.ts'
import { type KnownRequest, knownFacts } from './known-request.ts'
import { serveMcp } from './mcp/mcp-route.ts'
import { otherPaths } from './other-paths.ts'
import { PathHints } from './paths/path-hints.ts'
import { askForBody, isMultipart, refuseEncoding, unsupportedMediaType } from './read-call.ts'
import { bodyLimit, problemOf, rawProblem, usualHeaders } from './responses/problem-response.ts'
import { ResponseLog } from './responses/response-log.ts'
import { route } from './route.ts'
import { type ServerContext, timeLimits } from './server-context.ts'
import { serveSessions } from './session-route.ts'

/** Builds the HTTP server that responses the contract with its handlers. */
export function buildServer(given: Omit<ServerContext, 'hints' | 'watch' | 'responseLog'>): FastifyInstance {
  const { handlers, log, accessControl } = given
  const hints = new PathHints(handlers.map(({ operation }) => operation))
  const refuseOther = otherPaths(handlers, accessControl, hints)
  const watch = bodyWatch(given, () => server.server)
  const context: ServerContext = { ...given, hints, watch, responseLog: new ResponseLog(given) }
  const server: FastifyInstance = createServer(context, refuseOther)
  readBodies(server, watch)
  // In every request from its beginning, so that all requests have one shape, which the engine is quick with.
  server.decorateRequest(knownFacts as unknown as string, null)
  server.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error, log, { id: request.id, ...routeOf(request) })
    const { auditEntry } = (request as KnownRequest)[knownFacts]
    if (auditEntry) context.auditTrail?.refused(auditEntry, problem)
    return sendProblem(problem, request, reply)
  })
  server.addHook('onRequest', (request, reply, done) => {
    begin(request, reply, context)
    refuseUnfit(request as KnownRequest, context)
    if (request.is404) refuseOther(request).then(done, done)
    else done()
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    // A stopping server takes no further request on this connection, but responds to those that it already received.
    const isLast = context.stopping.aborted && context.connections.isNewest(reply.raw)
    if (isLast || isUnwelcome(request as KnownRequest)) reply.header('connection', 'close')
    context.responseMemory.admit(reply.raw, payload, (request as KnownRequest)[knownFacts], done)
  })
  // Every GET route also responds to HEAD; Node omits the body.
  server.addHook('onRoute', (added) => {
    if (added.method === 'GET') added.method = ['GET', 'HEAD']
  })
  for (const handler of handlers) addRoute(server, handler, context)
  serveCallbacks(server, context)
  serveSessions(server, context)
  serveMcp(server, context)
  const enter = (request: FastifyRequest) => accessControl.enter(request, 'open')
  serveDocs(server, enter)
  serveConsole(server, { ...context, enter })
  serveLinkPage(server, enter)
  // The hook has already refused it.
  server.setNotFoundHandler(() => {
    throw new Problem('route_not_found')
  })
  return server
}

function createServer(context: ServerContext, refuseOther: ReturnType<typeof otherPaths>): FastifyInstance {
  const { log } = context
  let http: HttpServer
  return Fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1024 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: () => newId('req'),
    // Otherwise Fastify serves a name with two addresses by a second server, which has none of these limits.
    serverFactory(listener) {
      http = createHttpServer(listener, context)
      return http
    },
    clientErrorHandler: (error, socket) => refuseRaw(error, socket as Socket, http, context),
    // Paths that cannot be decoded get the same response as every unknown path.
    async frameworkErrors(_error, request, reply) {
      begin(request, reply, context)
      const problem = await refuseOther(request).catch((error: unknown) => error)
      sendProblem(problemOf(problem, log, request), request, reply)
    },
  })
}

/** The contract checks requests, and its types check responses. Without these, Fastify would load its own compilers. */
function noSchemas(): never {
  throw new Error('routes have no schemas: the contract has them')
}

function createHttpServer(listener: RequestListener, context: ServerContext): HttpServer {
  const { clock, alarms, connections, stopping, times = timeLimits } = context
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: times.headers,
    requestTimeout: times.upload,
    keepAliveTimeout: times.idle,
    connectionsCheckingInterval: times.check,
    // `refuseUnfit` checks it, and responds with a problem.
    requireHostHeader: false,
  }
  const onResponded = (response: ClosingResponse) => afterResponse(response, context)
  const http = new HttpServer(options, listener, { closing: times, clock, alarms, connections, onResponded })
  // Unknown expectations may be ignored (RFC 9110, section 10.1.1); the route meets `100-continue`.
  for (const event of ['checkExpectation', 'checkContinue'])
    http.on(event, (request, response) => http.emit('request', request, response))
  // Node no longer enforces its own timeouts while it closes, so slow callers are cut off here.
  const cutOff = () => alarms.in(times.stop, () => http.closeAllConnections())
  stopping.addEventListener('abort', cutOff, { once: true })
  return http
}

function readBodies(server: FastifyInstance, watch: BodyWatch): void {
  server.removeAllContentTypeParsers()
  // Parsed by the route, because Fastify closes the connection if a parser refuses the body.
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    watch.end(request.raw)
    done(null, bytes)
  })
  // Left unread for the route, which knows what to do with a file.
  server.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    const operation = operationOf(request)
    done(operation?.form ? null : unsupportedMediaType(operation), undefined)
  })
}

/** Begins the facts about a request before its route, and sets the headers of every response, with the id of the request. */
function begin(request: FastifyRequest, reply: FastifyReply, context: ServerContext): void {
  const startedAt = context.clock.monotonic()
  ;(request as KnownRequest)[knownFacts] = {
    startedAt,
    operation: undefined,
    caller: undefined,
    auditEntry: undefined,
    isStream: false,
    isVerified: false,
  }
  ;(reply.raw as ClosingResponse).asked = request
  reply.headers({ 'request-id': request.id, ...usualHeaders })
}

/** The status that servers conventionally log if the caller went away before the response; it is never sent. */
const callerGone = 499

/** Follows each response that was sent, or whose caller is gone. */
function afterResponse(response: ClosingResponse, context: ServerContext): void {
  if (response.asked) count(response.asked as KnownRequest, response, context)
  watchRest(response.req, context.watch)
}

/** Counts and logs a response. */
function count(request: KnownRequest, response: ClosingResponse, context: ServerContext): void {
  const { clock, responseLog, metrics } = context
  const { startedAt, operation, isStream } = request[knownFacts]
  const seconds = (clock.monotonic() - startedAt) / 1000
  const status = response.headersSent ? response.statusCode : callerGone
  metrics.responded(operation?.id ?? 'none', status, isStream ? undefined : seconds)
  responseLog.responded(request, status, seconds)
}

/** Limits the time for the rest of a body that is still coming after its response, and is read and discarded. */
function watchRest(request: IncomingMessage, watch: BodyWatch): void {
  watch.end(request)
  const { complete, socket } = request
  if (!complete && !socket.destroyed && !socket.writableEnded) watch.begin(request, 'rest')
}

function refuseUnfit(request: FastifyRequest, { stopping, accessControl }: ServerContext): void {
  const operation = operationOf(request)
  // Health, contract and problems respond to the end, so that a stop can be observed.
  if (stopping.aborted && operation?.access !== 'open') {
    throw new Problem('shutting_down', { headers: { 'retry-after': '1' } })
  }
  accessControl.checkHost(request.raw, operation?.isHealthCheck)
}

/** The facts about its route that the problem of a request depends on. */
function routeOf(request: FastifyRequest) {
  return { operation: operationOf(request), maxBytes: request.routeOptions.bodyLimit }
}

/** The operation of the request's route. Fastify rebuilds the route options on each call. */
function operationOf(request: FastifyRequest): Operation | undefined {
  return (request.routeOptions.config as { operation?: Operation }).operation
}

function bodyWatch(
  { clock, alarms, uploadRate, times = timeLimits }: Parameters<typeof buildServer>[0],
  server: () => Server,
): BodyWatch {
  // As Node reports its own timeouts.
  const late = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const onLate = ({ socket }: IncomingMessage) => server().emit('clientError', late, socket)
  return new BodyWatch({ clock, alarms, times, uploadRate, onLate })
}

/**
 * True if a caller without a key has sent or will send a body that is not read. The body may even have come already: a check
 * of that would reveal which keys are looked up.
 */
function isUnwelcome(request: KnownRequest): boolean {
  const { caller, isVerified } = request[knownFacts]
  if (caller || isVerified) return false
  return request.headers['transfer-encoding'] !== undefined || lengthOf(request) > 0
}

function addRoute(server: FastifyInstance, handler: Handler, context: ServerContext): void {
  const { operation } = handler
  const { accessControl, linkPageLimit, rateLimit, watch } = context
  const takesBody = operation.method !== 'GET'
  const maxBytes = operation.maxBodyBytes ?? bodyLimit
  const authorize = authorizer(operation)
  const auditTrail = isAudited(operation) ? context.auditTrail : undefined
  server.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    bodyLimit: maxBytes,
    // The key is checked before a byte of the body is read.
    onRequest: async (request, reply) => {
      const facts = (request as KnownRequest)[knownFacts]
      facts.operation = operation
      if (operation.isHealthCheck) return
      const caller = await accessControl.enter(request, operation.access)
      if (!caller) return
      facts.auditEntry = auditTrail?.begin(operation, caller, request, accessControl.addressOf(request))
      if (caller === 'operator') facts.isVerified = true
      else {
        authorize(caller)
        facts.caller = caller
        if (caller.linkPage) reply.headers(linkPageLimit.take(caller.linkPage.id, operation.method))
        else if (rateLimit) reply.headers(rateLimit.take(caller.keyId))
      }
      if (!takesBody) return
      refuseEncoding(request)
      const hasFile = operation.form !== undefined && isMultipart(request)
      watch.begin(request.raw, hasFile ? 'file' : 'whole')
      if (hasFile || lengthOf(request) <= maxBytes) askForBody(request, reply)
    },
    handler: route(handler, context),
  })
}

function lengthOf({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0)
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (hasEndlessBody(request)) reply.header('connection', 'close')
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem.body(request.id)))
}

/** True if a refused request may still send more than is worth reading. */
function hasEndlessBody(request: FastifyRequest): boolean {
  if (request.raw.complete) return false
  return (
    request.headers['transfer-encoding'] !== undefined ||
    lengthOf(request) > (request.routeOptions.bodyLimit ?? bodyLimit)
  )
}

/** Answers what Node's parser refused; if an earlier request still waits for its response, that response is the last. */
function refuseRaw(
  error: Error & { code?: string },
  socket: Socket,
  http: HttpServer,
  { connections, log }: ServerContext,
): void {
  // Further bytes of a caller who has had the last response are only discarded.
  if (socket.writableEnded) return void http.readPast(socket)
  const requestId = newId('req')
  log.debug({ code: error.code, request_id: requestId }, 'received an invalid HTTP request')
  const response = connections.currentResponse(socket)
  if (response && !response.headersSent && response.req.complete) response.setHeader('connection', 'close')
  else if (socket.writable && !response?.headersSent) {
    socket.write(rawProblem(error, requestId))
    http.endConnection(socket)
  } else socket.destroy()
}
