import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages, sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import {
  createWebhook,
  getWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { closedPort } from '../../kit/far-ends/fetching.ts'
import { problemOf } from '../../kit/http/problem-of.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Callers and unknown senders name places on the machine of the server. Each kind of place has a setting of its own. */

const thisMachine = '127.0.0.0/8,::1/128'

/** Something on this machine that is none of their business, and counts who comes. */
async function secretPlace(t: TestContext): Promise<{ port: number; visits: () => number }> {
  let visits = 0
  const server = createServer((socket) => {
    visits++
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, visits: () => visits }
}

async function withPosthorn(
  environment: Readonly<Record<string, string>>,
  play: (posthorn: Posthorn) => Promise<void>,
): Promise<void> {
  const posthorn = await startPosthorn({ environment })
  try {
    await play(posthorn)
  } finally {
    await posthorn.stop()
  }
}

describe('places on the machine of the server', () => {
  test('an instance is no port scanner: an open port looks like a closed one', async (t) => {
    const place = await secretPlace(t)
    const ports = [place.port, await closedPort(t)]
    await withPosthorn({ POSTHORN_CONNECT_ALLOW_CIDRS: 'none' }, async ({ admin }) => {
      const hosts = ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2']
      const reasons = new Set<string>()
      for (const [index, host] of hosts.entries()) {
        for (const port of ports) {
          const body = {
            name: `scan-${index}-${port}`,
            network: 'xmpp',
            settings: { address: `ana-${index}-${port}@example.org`, service: `xmpp://${host}:${port}` },
            credentials: { password: 'secret' },
          }
          const { body: instance } = await admin.call(createInstance, { body, waitSeconds: 20 })
          reasons.add(JSON.stringify(instance.reason))
        }
      }
      assert.equal(reasons.size, 1, [...reasons].join('\n'))
      assert.match([...reasons].join(''), /address_not_allowed.*POSTHORN_CONNECT_ALLOW_CIDRS/)
    })
    assert.equal(place.visits(), 0)
  })

  test('a webhook needs the setting for webhooks, and its refusal names it', async () => {
    const environment = { POSTHORN_FETCH_ALLOW_CIDRS: thisMachine }
    await withPosthorn(environment, async ({ admin }) => {
      const url = 'http://127.0.0.1:3000/hook'
      const { body: webhook } = await admin.call(createWebhook, { body: { url: 'https://example.org/hook' } })
      const params = { webhook: webhook.id }
      for (const ask of [
        () => admin.call(createWebhook, { body: { url } }),
        () => admin.call(updateWebhook, { params, body: { url } }),
      ]) {
        const { code, problem } = await problemOf(ask())
        assert.deepEqual([code, problem.errors?.map(({ pointer }) => pointer)], ['invalid_request', ['/url']])
        assert.match(problem.errors?.[0]?.detail ?? '', /POSTHORN_WEBHOOK_ALLOW_CIDRS/)
      }
      assert.equal((await admin.call(getWebhook, { params })).body.url, webhook.url)
    })
  })

  test('a file that a caller gives by URL needs the setting for files, and its refusal names it', async (t) => {
    const place = await secretPlace(t)
    const environment = { POSTHORN_WEBHOOK_ALLOW_CIDRS: thisMachine }
    await withPosthorn(environment, async ({ admin }) => {
      await create(admin, 'one')
      const url = `http://127.0.0.1:${place.port}/file`
      const body = { instance: 'one', to: 'ana@delivers.sandbox', kind: 'document', url } as const
      const { code, problem } = await problemOf(admin.call(sendMediaMessage, { body }))
      assert.equal(code, 'invalid_request')
      assert.match(problem.detail, /POSTHORN_FETCH_ALLOW_CIDRS/)
    })
    assert.equal(place.visits(), 0)
  })

  test('what a stranger names is not fetched from here, whatever the settings allow', async (t) => {
    const place = await secretPlace(t)
    const environment = {
      POSTHORN_CONNECT_ALLOW_CIDRS: thisMachine,
      POSTHORN_FETCH_ALLOW_CIDRS: thisMachine,
      POSTHORN_WEBHOOK_ALLOW_CIDRS: thisMachine,
    }
    await withPosthorn(environment, async ({ admin }) => {
      await create(admin, 'one')
      const url = `http://127.0.0.1:${place.port}/file`
      await text(admin, { instance: 'one', to: 'ana@shares.sandbox', text: url })
      const read = async () => (await admin.call(listMessages, { query: { direction: 'inbound' } })).body.data
      const isSettled = ([message]: Message[]) => message?.error?.permanent === true
      const [message] = await eventually('the message of the stranger', read, isSettled)
      assert.equal(message?.error?.code, 'media_refused')
    })
    assert.equal(place.visits(), 0)
  })
})
