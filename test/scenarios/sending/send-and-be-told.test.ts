import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createInstance, getInstanceStatus } from '../../../src/contract/operations/instance-operations.ts'
import {
  getMessage,
  listMessages,
  sendTextMessage,
} from '../../../src/contract/operations/message-operations.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

let posthorn: Posthorn

before(async () => {
  posthorn = await startPosthorn()
})

after(() => posthorn.stop())

test('a partner creates an instance, sees it connected, sends a text and is told that it was read', async () => {
  const { admin } = posthorn
  const created = await admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  assert.equal(created.body.status, 'connected')
  assert.equal(created.body.network, 'sandbox')

  const { body: connectivity } = await admin.call(getInstanceStatus, { params: { name: 'trial' } })
  assert.equal(connectivity.status, 'connected')
  assert.ok(connectivity.last_verified_at)

  const body = { instance: 'trial', to: 'Ana@reads.sandbox', text: 'Good morning', client_ref: 'greeting' }
  const sent = await admin.call(sendTextMessage, { body, waitSeconds: 10 })
  assert.equal(sent.body.to, 'ana@reads.sandbox')
  assert.ok(['sent', 'delivered', 'read'].includes(sent.body.status))

  const { id } = sent.body
  const now = async () => (await admin.call(getMessage, { params: { id } })).body.status
  await eventually('the receipt', now, (status) => status === 'read')
  const { body: found } = await admin.call(listMessages, { query: { client_ref: 'greeting' } })
  assert.deepEqual(
    found.data.map((message) => message.id),
    [id],
  )
})
