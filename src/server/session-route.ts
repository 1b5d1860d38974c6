import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalid, Problem, unauthenticated } from '../contract/problem.ts'
import type { Origin } from '../organizations/session-store.ts'
import type { AccessControl } from './access/access-control.ts'
import type { BrowserSessions } from './access/sessions/browser-sessions.ts'
import { type KnownRequest, knownFacts } from './known-request.ts'
import { askForBody, readBody, refuseEncoding } from './read-call.ts'
import { signInLimit } from './responses/problem-response.ts'
import type { ServerContext } from './server-context.ts'

export const sessionPath = '/console/session'

/** Signs browsers in and out. Only the console does that, so these requests are no operations of the contract. */
export function serveSessions(server: FastifyInstance, context: ServerContext): void {
  const { browserSessions: sessions } = context
  const handlers = {
    POST: (request: KnownRequest, reply: FastifyReply) => signIn(request, reply, sessions, context),
    DELETE: (request: KnownRequest, reply: FastifyReply) => signOut(request, reply, sessions, context),
  } as const
  const onRequest = (request: FastifyRequest) => context.accessControl.enter(request, 'open')
  server.get(sessionPath, { onRequest }, async (request, reply) => {
    return reply.send({ signed_in: await isSignedIn(request, context) })
  })
  for (const method of ['POST', 'DELETE'] as const) {
    server.route({
      method,
      url: sessionPath,
      bodyLimit: signInLimit,
      onRequest: (request, reply) => admit(request, reply, sessions, context),
      handler: (request, reply) => handlers[method](request as KnownRequest, reply),
    })
  }
}

/**
 * True if a request comes with a living session. A page asks this first when it begins: a refusal would stand in the
 * browser's log as an error.
 */
async function isSignedIn({ raw }: FastifyRequest, { accessControl }: ServerContext): Promise<boolean> {
  try {
    await accessControl.authenticate('any', raw)
    return true
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) return false
    throw problem
  }
}

/** Refuses what other pages ask, before a byte of the body is read. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { sameOrigin }: BrowserSessions,
  { accessControl, watch }: ServerContext,
): Promise<void> {
  try {
    sameOrigin.check(request.raw)
    refuseEncoding(request)
  } catch (problem) {
    await accessControl.refuse(request, problem)
  }
  watch.begin(request.raw, 'whole')
  askForBody(request, reply)
}

async function signIn(
  request: KnownRequest,
  reply: FastifyReply,
  { sessions, cookie }: BrowserSessions,
  { accessControl, rateLimit }: ServerContext,
): Promise<FastifyReply> {
  let token = ''
  const who = await accessControl.letIn(request, async () => {
    const [kind, secret] = credentialIn(readBody(request))
    const origin = originOf(request, accessControl)
    if (kind === 'code') {
      token = (await sessions.signInByCode(secret, origin)) ?? refuse(usedUp)
      const who = await sessions.identify(token, false)
      return who === undefined || who === 'expired' ? refuse() : who
    }
    const isKey = kind === 'key'
    const who = isKey ? await accessControl.identifyKey(secret) : accessControl.identifyOperator(secret)
    if (who !== 'operator') rateLimit?.take(who.keyId)
    token = (await sessions.signIn(who, origin)) ?? refuse()
    return who
  })
  if (who === 'operator') request[knownFacts].isVerified = true
  else request[knownFacts].caller = who
  // The earlier session could never be signed out again, because the browser forgets its cookie.
  const before = cookie.read(request.headers)
  if (before !== undefined) await sessions.signOut(before, 'replaced', originOf(request, accessControl))
  return reply.code(204).header('set-cookie', cookie.set(token)).send()
}

/** Ends the session, and with `everywhere=true` all others of the same key, or of the operator. */
async function signOut(
  request: KnownRequest,
  reply: FastifyReply,
  browserSessions: BrowserSessions,
  { accessControl }: ServerContext,
): Promise<FastifyReply> {
  const { sessions, cookie } = browserSessions
  const everywhere = isEverywhere(request.query as Record<string, unknown>)
  await accessControl.enter(request, 'open')
  await browserSessions.identify(request.raw, false)
  const token = cookie.read(request.headers)
  const ended =
    token !== undefined &&
    (await sessions.signOut(token, everywhere ? 'all' : 'one', originOf(request, accessControl)))
  // A caller who wants to be sure that all others are out must learn that nothing was done.
  if (everywhere && !ended) refuse()
  return reply.code(204).header('set-cookie', cookie.clear()).send()
}

const usedUp =
  'The link was used already, or its time is over. Run `npx posthorn console` for a new link, or sign in with a key.'

function refuse(detail?: string): never {
  throw unauthenticated(detail)
}

function originOf(request: KnownRequest, accessControl: AccessControl): Origin {
  return { address: accessControl.addressOf(request), requestId: request.id }
}

const kinds = ['key', 'code', 'operator_token'] as const

function credentialIn(body: unknown): [kind: (typeof kinds)[number], secret: string] {
  const [entry, ...others] = Object.entries(typeof body === 'object' && body !== null ? body : {})
  const kind = kinds.find((name) => name === entry?.[0])
  const secret = entry?.[1]
  if (kind && typeof secret === 'string' && others.length === 0) return [kind, secret]
  throw invalid({
    pointer: '',
    code: 'wrong_form',
    detail: 'Send an object with one of `key`, `code` and `operator_token`, whose value is a string.',
  })
}

function isEverywhere({ everywhere = 'false', ...others }: Record<string, unknown>): boolean {
  if (Object.keys(others).length === 0 && (everywhere === 'true' || everywhere === 'false'))
    return everywhere === 'true'
  throw invalid({
    pointer: 'query/everywhere',
    code: 'wrong_form',
    detail: 'Send `everywhere=true` or nothing.',
  })
}
