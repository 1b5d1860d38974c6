import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendMediaMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { queuedMedia, queuedMessage } from '../../../src/contract/resources/examples.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { create } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The response to a message in the reference is the one of the server. */

let posthorn: Posthorn
before(async () => {
  posthorn = await startPosthorn()
  await create(posthorn.admin, 'trial')
})
after(() => posthorn.stop())

/** Without what is another each time. */
function lasting({ id, network_message_id, created_at, expires_at, ...message }: Message) {
  return message
}

test('the 202 of a text is the documented one', async () => {
  const { body } = await posthorn.admin.call(sendTextMessage, {
    body: { instance: 'trial', to: 'ana@delivers.sandbox', text: 'Your order is on its way.' },
  })
  assert.deepEqual(lasting(body), lasting(queuedMessage))
})

test('the 202 of a file by URL is the documented one', async () => {
  const { body } = await posthorn.admin.call(sendMediaMessage, {
    body: {
      instance: 'trial',
      to: 'ana@delivers.sandbox',
      kind: 'document',
      url: 'https://example.org/invoice.pdf',
      filename: 'invoice.pdf',
      caption: 'Your invoice',
    },
  })
  assert.deepEqual(lasting(body), lasting(queuedMedia))
})

test('labels of a form are counted in characters, as in JSON', async () => {
  const metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`label_${index}`, '☕'.repeat(500)]),
  )
  const form = new FormData()
  const fields = { instance: 'trial', to: 'ana@delivers.sandbox', kind: 'document' }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('metadata', JSON.stringify(metadata))
  form.set('file', new Blob(['A letter']), 'letter.txt')
  const { body } = await posthorn.admin.call(sendMediaMessage, { body: form })
  assert.deepEqual(body.metadata, metadata)
})
