import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import { create, eventually, reaches, text } from '../../kit/play.ts'
import { startPosthorn } from '../../kit/posthorn.ts'

test('a person with two addresses is one, who can be answered for a time, until the instance is removed', async (context) => {
  const posthorn = await startPosthorn()
  context.after(() => posthorn.stop())
  const { admin } = posthorn
  await create(admin, 'window', { reply_window_seconds: 3_600 })
  const [one, other] = ['ana@two-addresses.sandbox', 'ana@other-address.sandbox'] as const
  const sent = await text(admin, { instance: 'window', to: one, text: 'Hello' })
  assert.equal(sent.window_ends_at, null)
  await reaches(admin, sent.id, 'delivered')
  const among = (address: string, count: number) =>
    eventually(
      `${count} messages`,
      async () => (await admin.call(listMessages, { query: { conversation: address } })).body.data,
      ({ length }) => length === count,
    )
  const [answer] = await among(one, 2)
  assert.deepEqual(await among(other, 2), await among(one, 2))
  assert.deepEqual([answer?.from, answer?.aliases, answer?.direction], [other, [one], 'inbound'])
  const end = Date.parse(answer?.sent_at ?? '') + 3_600_000
  assert.equal(Date.parse(answer?.window_ends_at ?? ''), end)
  const send_at = new Date(Date.now() + 3_600_000).toISOString()
  const next = await text(admin, { instance: 'window', to: one, text: 'Later', send_at })
  assert.equal(Date.parse(next.window_ends_at ?? ''), end)
  await admin.call(deleteInstance, { params: { name: 'window' } })
  // The names of people go with the instance; the messages stay.
  await among(one, 2)
  await among(other, 1)
})
