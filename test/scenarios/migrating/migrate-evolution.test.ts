import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteInstance } from '../../../src/contract/operations/instance-operations.ts'
import { eventually } from '../../kit/play.ts'
import { evolutionToken, startEvolution } from '../../simulators/other-gateways/evolution.ts'
import { newcomer, printsNone } from './migrating.ts'

const key = 'global-key-of-evolution'
const webhook = {
  url: 'https://example.org/hooks/evolution?token=in-the-url',
  headers: { Authorization: 'Bearer in-a-header' },
  events: ['MESSAGES_UPSERT', 'CONNECTION_UPDATE', 'GROUPS_UPSERT', 'LABELS_EDIT'],
}
const instances = [
  { name: 'Support Berlin', webhook, setting: { rejectCall: true } },
  { name: 'support-berlin', webhook, proxy: { host: 'proxy.example', password: 'of-the-proxy' } },
  { name: 'Büro', connectionStatus: 'close' as const },
  { name: 'Sales', integration: 'WHATSAPP-BUSINESS', webhook },
  { name: 'off', webhook: { ...webhook, enabled: false } },
]
const secrets = [key, 'in-the-url', 'in-a-header', 'of-the-proxy', evolutionToken('Support Berlin')]
const linkable = ['support-berlin-2', 'support-berlin', 'buro', 'off']
const events = ['message.received', 'message.sent_elsewhere', 'instance.status_changed', 'group.changed']

test('a person who comes from Evolution API sees the plan, carries it out, and repeats it without harm', async (context) => {
  const evolution = await startEvolution(key, instances)
  context.after(() => evolution.stop())
  const { posthorn, keyFile, run, present } = await newcomer(context, key)
  const words = ['migrate', 'evolution', '--from', `${evolution.url}/`, '--key-file', keyFile]

  const dry = await run([...words, '--dry-run', '--profile', 'work'])
  assert.equal(dry.code, 0, dry.err)
  printsNone(dry, secrets)
  assert.match(dry.out, /\nSupport Berlin +open +support-berlin-2 +whatsapp +create\n/)
  assert.match(dry.out, /\nBüro +close +buro +whatsapp +create\n/)
  assert.match(dry.out, /\nhttps:\/\/example\.org\/hooks\/evolution\?… +message\.received,/)
  assert.match(dry.out, /\n {2}support-berlin-2: rejectCall, headers of its webhook, LABELS_EDIT\n/)
  assert.match(dry.out, /\n {2}support-berlin: proxy, /)
  assert.match(dry.err, /sales is not created: it needs credentials from Meta; create it as docs\//)
  assert.deepEqual(await present(), { instances: [], webhooks: [] })

  const done = await run([...words, '--profile', 'work'])
  assert.equal(done.code, 0, done.err)
  printsNone(done, secrets)
  for (const name of linkable)
    assert.ok(done.out.includes(`\n  npx posthorn link ${name} --profile work\n`), done.out)
  assert.match(done.out, /\n {2}its secret, which is shown only now: whsec_/)
  const carried = await present()
  assert.deepEqual(carried.instances, [
    { name: 'buro', network: 'whatsapp', metadata: { evolution_name: 'Büro' } },
    { name: 'off', network: 'whatsapp', metadata: { evolution_name: 'off' } },
    { name: 'support-berlin', network: 'whatsapp', metadata: { evolution_name: 'support-berlin' } },
    { name: 'support-berlin-2', network: 'whatsapp', metadata: { evolution_name: 'Support Berlin' } },
  ])
  const of = ['support-berlin-2', 'support-berlin']
  assert.deepEqual(carried.webhooks, [{ url: webhook.url, events, of, ordering: 'per_instance' }])

  const again = await run(words, { EVOLUTION_API_KEY: 'the file goes first' })
  assert.equal(again.code, 0, again.err)
  assert.match(again.out, /\nSupport Berlin +open +support-berlin-2 +whatsapp +exists\n/)
  assert.doesNotMatch(again.out, /created|whsec_|npx posthorn link/)
  assert.deepEqual(await present(), carried)

  await posthorn.admin.call(deleteInstance, { params: { name: 'buro' } })
  const isGone = (now: typeof carried) => !now.instances.some(({ name }) => name === 'buro')
  await eventually('the instance to be gone', present, isGone)
  const rest = await run([...words, '--json'])
  assert.equal(rest.code, 0, rest.err)
  printsNone(rest, secrets)
  const result = JSON.parse(rest.out) as { instances: { here: string; step: string; refused?: null }[] }
  assert.deepEqual(
    result.instances.filter(({ step }) => step === 'create').map(({ here, refused }) => [here, refused]),
    [['buro', null]],
  )
  assert.deepEqual(await present(), carried)
})

test('a key that is none, and one of Posthorn, go nowhere', async (context) => {
  const evolution = await startEvolution(key, instances)
  context.after(() => evolution.stop())
  const { posthorn, run, present } = await newcomer(context, key)
  const words = ['migrate', 'evolution', '--from', evolution.url]
  const said = async (environment: Record<string, string>) => {
    const { code, err } = await run(words, environment)
    assert.equal(code, 1)
    return err
  }
  assert.match(await said({}), /there is no key of Evolution API; name a file .* or set EVOLUTION_API_KEY\./)
  assert.match(await said({ EVOLUTION_API_KEY: posthorn.adminKey }), /this is a key of Posthorn/)
  assert.deepEqual(evolution.asked, [])
  assert.match(await said({ EVOLUTION_API_KEY: 'wrong' }), /does not take the key \(401\)/)
  const waha = await run(['migrate', 'waha', '--from', evolution.url], { WAHA_API_KEY: key })
  assert.equal(waha.code, 1)
  assert.match(waha.err, /^posthorn: WAHA does not take the key \(401\)/)
  assert.deepEqual(await present(), { instances: [], webhooks: [] })
})
