import { createServer } from 'node:http'

/*
 * The receivers of webhooks, in a process of their own: each path is one. Those under /hangs/ never answer; the others answer
 * at once and note how long ago the event had happened. GET /report tells what came, and forgets it.
 */

let delays: number[] = []

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(request.url === '/report' ? report() : '{}')
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.url?.startsWith('/hangs/')) return
  response.writeHead(204).end()
  const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string }
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
