import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { CallbackRelay } from './callback-relay.ts'

/** A node that answers with a status, and remembers the bodies that it got. */
async function startNode(status: number) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    bodies.push(`${request.headers['x-signature']} ${request.url} ${body}`)
    response.writeHead(status).end(`from ${status}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('each request goes to the next node, or to the one after it if that does not answer or fails', async (t) => {
  const relay = await CallbackRelay.start()
  const [well, failing, gone] = [await startNode(200), await startNode(503), await startNode(200)]
  t.after(async () => {
    for (const { server } of [well, failing]) server.close().closeAllConnections()
    await relay.stop()
  })
  gone.server.close()
  const post = async (body: string) => {
    const answer = await fetch(`${relay.url}/path?a=b`, {
      method: 'POST',
      body,
      headers: { 'x-signature': 'own' },
    })
    return `${answer.status} ${await answer.text()}`
  }
  assert.equal(await post('too early'), '502 ')
  relay.leadTo([well.url, failing.url, gone.url])
  for (const body of ['one', 'two']) assert.equal(await post(body), '200 from 200')
  assert.deepEqual(well.bodies, ['own /path?a=b one', 'own /path?a=b two'])
  assert.deepEqual(failing.bodies, ['own /path?a=b two'])
})
