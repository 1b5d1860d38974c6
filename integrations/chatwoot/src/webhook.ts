import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { State } from './state.ts'

export interface WebhookParts {
  readonly state: State
  readonly secret: string | undefined
  readonly accountId: number
  readonly inboxId: number
  /** True while one of the two sides does not respond. */
  readonly isResting: () => boolean
  readonly onWork: () => void
}

export const webhookPath = '/chatwoot'

/** A text of 150,000 characters, which a webhook holds twice. */
const maxBodyBytes = 4_000_000
const maxConnections = 100
const maxVisits = 10_000
const maxAgeSeconds = 300

/**
 * Returns the server that Chatwoot posts webhooks to. A webhook is answered with 200 once it is on disk that its conversation has to
 * be looked at; nothing else in it is used. `GET /healthz` tells how much waits.
 */
export function webhookServer(parts: WebhookParts): Server {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    answer(parts, request).then(
      ({ status, body }) => respond(response, status, body),
      () => respond(response, 400, { error: 'The request could not be read.' }),
    )
  })
  server.maxConnections = maxConnections
  return server
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function answer(parts: WebhookParts, request: IncomingMessage): Promise<Answer> {
  const path = request.url?.split('?')[0]
  if (request.method === 'GET' && path === '/healthz') return health(parts)
  if (path !== webhookPath) return { status: 404, body: { error: 'There is nothing here.' } }
  if (request.method !== 'POST') return { status: 405, body: { error: 'Webhooks are posted.' } }
  const body = await bodyOf(request)
  if (body === undefined) return { status: 413, body: { error: 'The webhook is too large.' } }
  if (!isSigned(parts.secret, request, body))
    return { status: 401, body: { error: 'The signature does not fit.' } }
  const conversation = conversationIn(parts, body)
  if (conversation === undefined) return { status: 200, body: { taken: false } }
  if (parts.state.waiting('visit') >= maxVisits) return { status: 503, body: { error: 'Too much waits.' } }
  parts.state.want('visit', conversation)
  parts.onWork()
  return { status: 200, body: { taken: true } }
}

function health({ state, isResting }: WebhookParts): Answer {
  const waiting = {
    incoming: state.incomingCount(),
    visits: state.waiting('visit'),
    ticks: state.waiting('tick'),
  }
  return { status: isResting() ? 503 : 200, body: { waiting } }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** True if Chatwoot signed it within five minutes, or if no secret is set. The signature is over `timestamp.body` (chatwoot/chatwoot#13573). */
function isSigned(secret: string | undefined, { headers }: IncomingMessage, body: Buffer): boolean {
  if (secret === undefined) return true
  const timestamp = String(headers['x-chatwoot-timestamp'] ?? '')
  const age = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || age > maxAgeSeconds) return false
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body)
  const expected = Buffer.from(`sha256=${hmac.digest('hex')}`)
  const given = Buffer.from(String(headers['x-chatwoot-signature'] ?? ''))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Returns the conversation that a webhook is about, if it says that there may be a reply in it. */
function conversationIn({ accountId, inboxId }: WebhookParts, body: Buffer): number | undefined {
  const { event, message_type, conversation, inbox, account, private: isPrivate } = objectIn(body)
  if (event !== 'message_created' || isPrivate === true) return undefined
  if (message_type !== 'outgoing' && message_type !== 'template') return undefined
  if (idOf(inbox) !== inboxId || idOf(account) !== accountId) return undefined
  return idOf(conversation)
}

function objectIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function idOf(value: unknown): number | undefined {
  const { id } = (value ?? {}) as { id?: unknown }
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}

function respond(response: ServerResponse, status: number, body: Answer['body']): void {
  if (response.destroyed) return
  // A request that was not read to its end cannot be followed by another.
  const headers = { 'content-type': 'application/json', ...(status >= 400 && { connection: 'close' }) }
  response.writeHead(status, headers).end(JSON.stringify(body))
}
