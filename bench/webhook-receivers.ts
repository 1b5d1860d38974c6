import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/*
 * The receivers of webhooks, in a process of their own: each path is one. Those under /hangs/ never answer, those under /slow/
 * after 200 ms, the others at once. They note how long ago each event happened when it is answered. GET /report tells what was
 * answered, and forgets it.
 */

const slowness = 200

interface TimestampedEvent {
  readonly timestamp: string
}

let delays: number[] = []

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(request.url === '/report' ? report() : '{}')
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.url?.startsWith('/hangs/')) return
  if (request.url?.startsWith('/slow/')) await wait(slowness)
  response.writeHead(204).end()
  const content = JSON.parse(Buffer.concat(chunks).toString()) as
    | TimestampedEvent
    | { readonly events: readonly TimestampedEvent[] }
  for (const { timestamp } of 'events' in content ? content.events : [content])
    delays.push(Date.now() - Date.parse(timestamp))
})

function report(): string {
  const sorted = delays.toSorted((left, right) => left - right)
  const at = (quantile: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0
  delays = []
  return JSON.stringify({ count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) })
}

process.on('SIGTERM', () => process.exit(0))
server.keepAliveTimeout = 60_000
server.listen(Number(process.env.RECEIVERS_PORT), '127.0.0.1')
