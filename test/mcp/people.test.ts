import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { create, eventually, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { Assistant } from './assistant.ts'

/* An assistant finds people by their names, and writes to them also when they wrote long ago. */

let posthorn: Posthorn
let assistant: Assistant

before(async () => {
  posthorn = await startPosthorn()
  assistant = new Assistant(posthorn.url, posthorn.adminKey)
  await create(posthorn.admin, 'trial')
})

after(() => posthorn.stop())

test('a person is found by their name, which is the word of others, and their conversation by what is unread', async () => {
  await text(posthorn.admin, { instance: 'trial', to: 'rita@replies.sandbox', text: 'Hello' })
  await text(posthorn.admin, { instance: 'trial', to: 'sam@accepts.sandbox', text: 'Hello' })
  const { contacts } = await eventually(
    'Rita',
    () => assistant.done('list_contacts', { name: 'trial', search: 'rita' }),
    (page) => (page.contacts as object[]).length > 0,
  )
  const [rita] = contacts as { address: string; written_by_others: object }[]
  assert.deepEqual([rita?.address, rita?.written_by_others], ['rita@replies.sandbox', { name: 'Rita' }])
  const { conversations } = await assistant.done('list_conversations', { unread: true })
  assert.deepEqual(
    (conversations as { conversation: string; unread: number }[]).map((each) => [
      each.conversation,
      each.unread,
    ]),
    [['rita@replies.sandbox', 1]],
  )
})

test('a template is found with its placeholders, and sent with values for them', async () => {
  const { templates } = await assistant.done('list_templates', { name: 'trial' })
  const found = (templates as { name: string; language: string }[]).find(
    ({ name, language }) => name === 'order_update' && language === 'en_US',
  )
  assert.deepEqual(found, {
    name: 'order_update',
    language: 'en_US',
    category: 'utility',
    status: 'approved',
    parts: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }],
  })
  const parameters = ['Rita', '4711'].map((value) => ({ type: 'text', text: value }))
  const sent = await assistant.done('send_template', {
    ...{ instance: 'trial', to: 'rita@delivers.sandbox', name: 'order_update', language: 'en_US' },
    ...{ components: [{ type: 'body', parameters }], idempotency_key: 'order-4711', wait_seconds: 20 },
  })
  assert.match(String(sent.status), /sent|delivered/)
  assert.deepEqual(sent.template, { name: 'order_update', language: 'en_US' })
})

test('a text to a group mentions people', async () => {
  const sent = await assistant.done('send_text', {
    ...{ instance: 'trial', to: 'crew@group.sandbox', text: '@rita, it is your turn' },
    ...{ mentions: ['rita@delivers.sandbox'], idempotency_key: 'your-turn-1' },
  })
  assert.deepEqual(sent.mentions, ['rita@delivers.sandbox'])
})
