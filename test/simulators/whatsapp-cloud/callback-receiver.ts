import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Message, Status, Webhook } from './schemas/webhook.ts'

export interface ReceivedCallback {
  /** The path that it came to. */
  readonly path: string
  readonly body: string
  readonly webhook: Webhook
  readonly isSigned: boolean
}

/** A business that is called back: it answers the verification, and keeps what comes. */
export interface CallbackReceiver {
  readonly url: string
  readonly verifyToken: string
  readonly received: ReceivedCallback[]
  /** Statuses that answer the next callbacks, in turn; 200 after that. */
  readonly answers: number[]
  /** Everything that came, in order. */
  statuses(): Status[]
  messages(): Message[]
  stop(): Promise<void>
}

export async function startCallbackReceiver(appSecret: string): Promise<CallbackReceiver> {
  const verifyToken = 'verify-me'
  const received: ReceivedCallback[] = []
  const answers: number[] = []

  const hear = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://business.test')
    if (request.method === 'GET') {
      const isRight = query.get('hub.verify_token') === verifyToken && query.get('hub.mode') === 'subscribe'
      response.writeHead(isRight ? 200 : 403).end(isRight ? query.get('hub.challenge') : '')
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const signature = request.headers['x-hub-signature-256']
    received.push({
      path: pathname,
      body: raw.toString(),
      webhook: JSON.parse(raw.toString()) as Webhook,
      isSigned: isSignature(signature, raw, appSecret),
    })
    response.writeHead(answers.shift() ?? 200).end()
  }
  const server = createServer((request, response) => void hear(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const values = () =>
    received.flatMap(({ webhook }) =>
      webhook.entry.flatMap(({ changes }) => changes.map(({ value }) => value)),
    )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verifyToken,
    received,
    answers,
    statuses: () => values().flatMap(({ statuses = [] }) => statuses as Status[]),
    messages: () => values().flatMap(({ messages = [] }) => messages as Message[]),
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function isSignature(given: string | string[] | undefined, raw: Buffer, secret: string): boolean {
  const right = `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`
  return (
    typeof given === 'string' &&
    given.length === right.length &&
    timingSafeEqual(Buffer.from(given), Buffer.from(right))
  )
}
