import { Agent, request } from 'node:http'

/*
 * The baseline: what Node's own HTTP client takes to hold one long poll for each bot. It knows no instance and keeps nothing.
 * `BARE_API` is the Bot API, `BARE_TOKENS` names the bots. It answers on its port when every poll was answered once, and waits again.
 */

import { createServer } from 'node:http'

const { BARE_API = '', BARE_TOKENS = '[]', BARE_PORT } = process.env
const tokens = JSON.parse(BARE_TOKENS) as string[]
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
const body = (timeout: number) => JSON.stringify({ limit: 100, timeout, allowed_updates: ['message'] })
let waiting = 0

function poll(token: string, timeout: number): void {
  const asked = request(`${BARE_API}/bot${token}/getUpdates`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  })
  asked.on('response', (answer) => {
    answer.resume()
    answer.on('end', () => {
      if (timeout === 0) waiting++
      poll(token, 50)
    })
  })
  asked.end(body(timeout))
}

for (const token of tokens) poll(token, 0)
createServer((_request, response) => {
  response.writeHead(waiting === tokens.length ? 200 : 503).end()
}).listen(Number(BARE_PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
