import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { startWaha } from '../../simulators/other-gateways/waha.ts'
import { newcomer, printsNone } from './migrating.ts'

const key = 'key-of-waha'
const hook = {
  url: 'https://example.org/hooks/waha',
  events: ['message', 'message.ack', 'group.v2.join', 'label.upsert'],
  hmac: { key: 'signs-for-waha' },
}
const sessions = [
  {
    name: 'default',
    config: {
      metadata: { team: 'berlin', number: 7 },
      proxy: { server: 'proxy.example:3128', password: 'of-the-proxy' },
      webhooks: [hook, { url: 'https://example.org/all', events: ['*'] }],
    },
  },
  { name: 'Shop_1', status: 'STOPPED' as const, config: { webhooks: [hook] } },
  { name: 'local', config: { webhooks: [{ url: 'http://localhost:3000/hook', events: ['message'] }] } },
]
const events = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'group.changed',
]

test('a person who comes from WAHA carries over sessions, labels and webhooks, and is told what was refused', async (context) => {
  const waha = await startWaha(key, sessions)
  context.after(() => waha.stop())
  const { posthorn, run, present } = await newcomer(context, key)
  // The session of this name is that of another network, and stays what it is.
  await posthorn.admin.call(createInstance, { body: { name: 'default', network: 'sandbox' } })
  const away = ['migrate', 'waha', '--from', waha.url, '--server', posthorn.url]
  const keyless = await run(away, { WAHA_API_KEY: key })
  assert.equal(keyless.code, 1)
  assert.match(keyless.err, /no admin key in the data folder; .* with --server-key-file/)
  const planned = await run([...away, '--server-key-file', 'posthorn.key', '--dry-run'], {
    WAHA_API_KEY: key,
  })
  assert.equal(planned.code, 0, planned.err)
  assert.ok(planned.out.includes(` → ${posthorn.url}:`))
  assert.deepEqual((await present()).webhooks, [])
  const done = await run(['migrate', 'waha', '--from', waha.url], { WAHA_API_KEY: key })
  assert.equal(done.code, 1, 'a webhook was refused')
  printsNone(done, [key, 'signs-for-waha', 'of-the-proxy'])
  assert.match(done.out, /\ndefault +WORKING +default-2 +whatsapp +create\n/)
  assert.match(done.out, /\nShop_1 +STOPPED +shop_1 +whatsapp +create\n/)
  assert.match(done.out, /\n {2}default-2: proxy, 1 of its metadata, hmac of its webhook, label\.upsert\n/)
  assert.match(
    done.out,
    /\nthe webhook to http:\/\/localhost:3000\/hook was refused: .* must lead to a public address/,
  )
  assert.match(done.out, /\n {2}npx posthorn link shop_1\n/)
  const { instances, webhooks } = await present()
  assert.deepEqual(
    instances.map(({ name, metadata }) => [name, metadata]),
    [
      ['default', {}],
      ['default-2', { team: 'berlin', waha_name: 'default' }],
      ['local', { waha_name: 'local' }],
      ['shop_1', { waha_name: 'Shop_1' }],
    ],
  )
  assert.deepEqual(webhooks, [
    { url: hook.url, events, of: ['default-2', 'shop_1'], ordering: 'per_instance' },
    { url: 'https://example.org/all', events: null, of: ['default-2'], ordering: 'per_instance' },
  ])
})
