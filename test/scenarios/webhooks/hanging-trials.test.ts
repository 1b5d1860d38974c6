import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createWebhook, tryWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Trials of many organizations at once, at receivers that take each of them and never answer. */

const organizations = 30
/** As many as an organization may make in a minute. */
const trialsOfEach = 10

let posthorn: Posthorn
let receiver: WebhookReceiver
let silent: Server
let open = 0

before(async () => {
  receiver = await WebhookReceiver.start()
  silent = createServer((_, response) => {
    open++
    response.on('close', () => open--)
  })
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  posthorn = await startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' } })
})
after(async () => {
  await posthorn.stop()
  await receiver.stop()
  silent.closeAllConnections()
  silent.close()
})

test('trials of thirty organizations that hang keep no neighbour from a trial, or from deliveries', async () => {
  await posthorn.createOrganization('neighbour')
  const neighbour = posthorn.client((await posthorn.createKey('neighbour', 'admin')).key)
  await create(neighbour, 'shop')
  await neighbour.call(createWebhook, { body: { url: receiver.url, events: ['message.sent'] } })
  const hanging = new AbortController()
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/hook`
  const keys: string[] = []
  for (let count = 0; count < organizations; count++) {
    await posthorn.createOrganization(`org-${count}`)
    keys.push((await posthorn.createKey(`org-${count}`, 'admin')).key)
  }
  const ended: unknown[] = []
  for (const key of Array.from({ length: trialsOfEach }, () => keys).flat()) {
    const request = {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
      signal: hanging.signal,
    }
    fetch(`${posthorn.url}/v1/webhooks/try`, request).then(
      ({ status }) => ended.push(status),
      () => {},
    )
  }
  const opened = async () => open
  const count = organizations * trialsOfEach
  await eventually('all trials to hang', opened, (now) => now === count)

  // A trial hangs for 20 seconds, and all of them do while the neighbour is served.
  const { body } = await neighbour.call(tryWebhook, { body: { url: receiver.url } })
  assert.equal(body.status, 204)
  const { id } = await text(neighbour, { instance: 'shop', to: 'ana@accepts.sandbox' }, 10)
  await receiver.until('the delivery', (all) =>
    all.some(({ event }) => event.type === 'message.sent' && JSON.stringify(event.data).includes(id)),
  )
  assert.deepEqual([open, ended], [count, []])

  // Callers who hang up take their trials with them.
  hanging.abort()
  await eventually('all trials to end', opened, (now) => now === 0, 10_000)
})
