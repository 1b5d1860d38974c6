import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createInstance, getInstanceStatus } from '../../src/contract/operations/instance-operations.ts'
import { createWebhook } from '../../src/contract/operations/webhook-operations.ts'
import { tools } from '../../src/server/mcp/tools.ts'
import { create, eventually } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { Assistant } from './assistant.ts'

/* Secrets are planted wherever a caller or the server keeps one; then every answer of every tool is searched for them. */

const planted = {
  token: 'token-Xq7Zr2Lm9Vb4Nc8K',
  label: 'label-Hw3Yt6Pd1Jf5Gs0A',
  address: 'hook-Rk8Ue2Wq6Ti4Oz1X',
  key: 'idempotency-Bv5Mx9Cn3Ql7Dy2E',
}

let posthorn: Posthorn
let assistant: Assistant
let link = ''
let webhookSecret = ''

before(async () => {
  const environment = {
    POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    POSTHORN_BASE_URL: 'https://posthorn.example',
  }
  posthorn = await startPosthorn({ environment })
  assistant = new Assistant(posthorn.url, posthorn.adminKey)
  await create(posthorn.admin, 'trial')
  const linked = { name: 'linked', settings: { link: 'qr', links_after_seconds: 600 } }
  await posthorn.admin.call(createInstance, { body: linked, waitSeconds: 20 })
  const status = await posthorn.admin.call(getInstanceStatus, { params: { name: 'linked' } })
  link = status.body.link?.value ?? assert.fail('the sandbox shows a link')
  const metadata = { secret: planted.label }
  const kept = { name: 'kept', credentials: { token: planted.token }, metadata }
  await posthorn.admin.call(createInstance, { body: kept, waitSeconds: 20 })
  const url = `http://127.0.0.1:9/${planted.address}`
  webhookSecret = (await posthorn.admin.call(createWebhook, { body: { url } })).body.secret
  await useEveryTool()
})

after(() => posthorn.stop())

/** Calls each tool well and badly, with secrets where they do not belong. */
async function useEveryTool(): Promise<void> {
  const sending = { to: 'ana@replies.sandbox', text: 'Good morning', idempotency_key: planted.key }
  const sent = await assistant.done('send_text', { ...sending, instance: 'kept', wait_seconds: 20 })
  const list = () => assistant.done('list_messages', { direction: 'inbound' })
  await eventually('the reply', list, ({ messages }) => (messages as object[]).length > 0)
  for (const { name } of tools) {
    for (const instance of ['trial', 'linked', 'kept'])
      if (name !== 'delete_instance') await assistant.call(name, { name: instance })
    for (const secret of [posthorn.adminKey, planted.token, planted.key])
      await assistant.call(name, {
        name: secret,
        id: secret,
        instance: secret,
        cursor: secret,
        after: secret,
      })
    await assistant.call(name, {})
    await assistant.call(name, { id: sent.id })
  }
  await assistant.call('send_text', { ...sending, instance: 'kept', text: 'Another' })
  await assistant.call('send_file', { ...sending, instance: 'kept', kind: 'image', url: planted.token })
  await assistant.call('delete_instance', { name: 'kept' })
  await assistant.done('read_events')
  await assistant.ask('tools/list')
  await assistant.ask('server/discover')
  await assistant.ask(planted.token)
  await assistant.ask('tools/call', { name: posthorn.adminKey })
}

test('no answer of any tool holds a secret', () => {
  const secretIn = (file: string) => readFileSync(join(posthorn.data, file), 'utf8').trim()
  const secrets = {
    ...planted,
    'the key of the caller': posthorn.adminKey,
    'the token of the operator': secretIn('operator.token'),
    'the token for metrics': secretIn('metrics.token'),
    'the master key': secretIn('master.key'),
    'the secret of the webhook': webhookSecret.slice('whsec_'.length),
    'the code of the link': link,
    'the way of callbacks': '/v1/callbacks/',
  }
  for (const [name, secret] of Object.entries(secrets)) {
    const where = assistant.heard.find((text) => text.includes(secret))
    assert.equal(where, undefined, name)
  }
})

test('the search sees what was said', () => {
  const heard = assistant.heard.join('\n')
  for (const said of [
    'awaiting_link',
    'instance.link_changed',
    'message.received',
    'Good morning',
    'webhook',
  ])
    assert.ok(heard.includes(said), said)
  assert.ok(assistant.heard.length > 60)
})
