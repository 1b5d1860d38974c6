import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startInstance, stopInstance } from '../../src/contract/operations/instance-operations.ts'
import { eventually } from '../kit/play.ts'
import type { StoredConversation } from '../simulators/chatwoot/world.ts'
import { spawnBridge } from './bridge-process.ts'
import { Fixture } from './fixture.ts'
import { startHangingProxy } from './hanging-proxy.ts'
import { patiently } from './patiently.ts'
import { startSwallowingProxy } from './swallowing-proxy.ts'

const ana = 'ana@reads.sandbox'
const fixture = new Fixture({ BRIDGE_SWEEP_SECONDS: '3' })
const { chatwoot } = fixture
let conversation: StoredConversation

before(async () => {
  await fixture.start()
  await fixture.personWrites(ana, 'Hello')
  conversation = await fixture.conversationOf(ana)
})
after(() => fixture.stop())

/** Resolves once this text has reached Ana, with all texts that have. */
function arrived(text: string) {
  const read = async () => fixture.arrivedAt(ana).map((line) => line.text)
  return patiently(`${text} to arrive`, read, (texts) => texts.includes(text))
}

test('replies whose acceptance gets lost on its way from Posthorn arrive once', async (context) => {
  const { admin } = fixture.posthorn
  const shop = { params: { name: 'shop' } }
  // More often than the client repeats a call by itself.
  const proxy = await startSwallowingProxy(fixture.posthorn.url, 4)
  context.after(() => proxy.stop())
  await fixture.bridge.end('SIGTERM')
  await fixture.startBridge({ POSTHORN_URL: proxy.url })
  // While it is stopped, no event tells the bridge that Posthorn has a reply.
  await admin.call(stopInstance, shop)
  const meant = ['First', 'Second', 'Third']
  for (const content of meant) chatwoot.agentWrites(conversation, { content })
  await patiently(
    'all to be accepted',
    async () => proxy.swallowed(),
    (count) => count >= 4 * meant.length,
  )
  const health = async () => (await fetch(new URL('/healthz', fixture.bridge.webhookUrl))).text()
  await patiently('all to be known', health, (text) => text.includes('"visits":0'))
  await admin.call(startInstance, shop)
  assert.deepEqual(await arrived('Third'), meant)
  await fixture.bridge.end('SIGTERM')
  await fixture.startBridge()
})

test('replies that agents wrote while the bridge was away are sent when it is back, and lose their mark', async () => {
  await fixture.bridge.end('SIGTERM')
  const reply = chatwoot.agentWrites(conversation, { content: 'While you were away' })
  await patiently(
    'the mark',
    async () => reply.status,
    (status) => status === 'failed',
  )
  await fixture.startBridge()
  await arrived('While you were away')
  await patiently(
    'the tick',
    async () => reply.status,
    (status) => status === 'read',
  )
})

test('a webhook that gets lost does not lose the reply', async () => {
  chatwoot.faults.loses = 1
  chatwoot.agentWrites(conversation, { content: 'Without a webhook' })
  chatwoot.faults.loses = 0
  await arrived('Without a webhook')
})

test('many replies in one conversation, and in many conversations, are found without a webhook', async () => {
  chatwoot.faults.loses = 1
  const meant = Array.from({ length: 70 }, (_, number) => `Many ${number}`)
  for (const content of meant) chatwoot.agentWrites(conversation, { content })
  const people = Array.from({ length: 30 }, (_, number) => `person${number}@reads.sandbox`)
  const replies = people.map((person) => {
    const { id } = chatwoot.world.contact(person, person, null)
    return chatwoot.agentWrites(chatwoot.world.converse(id, person), { content: 'One for you' })
  })
  chatwoot.faults.loses = 0
  const texts = await arrived('Many 69')
  assert.deepEqual(
    texts.filter((text) => text.startsWith('Many')),
    meant,
  )
  const unread = async () => replies.filter(({ status }) => status !== 'read').length
  await patiently('all to be read', unread, (count) => count === 0)
  for (const person of people) assert.equal(fixture.arrivedAt(person).length, 1)
})

test('a bridge that lost its folder sends nothing again, and shows nothing again', async () => {
  const before = fixture.arrivedAt(ana).length
  const shown = fixture.shownOf(ana).length
  await fixture.bridge.end('SIGTERM')
  await fixture.startBridge({ BRIDGE_DATA: fixture.freshData() })
  chatwoot.agentWrites(conversation, { content: 'New here' })
  await fixture.personWrites(ana, 'Me too')
  await arrived('New here')
  await patiently(
    'the text',
    async () => fixture.shownOf(ana).length,
    (length) => length >= shown + 2,
  )
  assert.equal(fixture.arrivedAt(ana).length, before + 1)
  assert.equal(fixture.shownOf(ana).length, shown + 2)
  const own = chatwoot.world.conversations.filter(({ sourceId }) => sourceId === ana)
  assert.equal(own.length, 1)
})

test('while Chatwoot is away, or refuses the token, everything waits', async () => {
  await chatwoot.crash()
  for (let number = 0; number < 30; number++) await fixture.personWrites(ana, `Waiting ${number}`)
  await patiently(
    'the bridge to notice',
    async () => fixture.bridge.output(),
    (text) => text.includes('Waiting: '),
  )
  await chatwoot.start()
  chatwoot.faults.refuses = 1
  const refusals = () => chatwoot.answered.filter((line) => line.endsWith(' 401')).length
  await patiently(
    'refusals',
    async () => refusals(),
    (count) => count > 2,
  )
  chatwoot.faults.refuses = 0
  const waiting = async () => fixture.shownOf(ana).map(({ content }) => content ?? '')
  const texts = await patiently('the last text', waiting, (all) => all.includes('Waiting 29'))
  const numbers = texts.filter((text) => text.startsWith('Waiting')).map((text) => text.slice(8))
  assert.deepEqual(
    numbers,
    Array.from({ length: 30 }, (_, number) => String(number)),
  )
})

test('a picture that hangs, on its way from Posthorn or to Chatwoot, holds no message up for long', async (context) => {
  const [silent, stalled, taken] = ['silja@reads.sandbox', 'stan@reads.sandbox', 'tara@reads.sandbox']
  const from = await startHangingProxy(fixture.posthorn.url, (_method, path) => {
    if (!path.endsWith('/picture') || path.includes('tara')) return undefined
    return path.includes('silja') ? 'response' : 'body'
  })
  const to = await startHangingProxy(chatwoot.url, (method, path) =>
    method === 'PUT' && path.includes('/contacts/') ? 'response' : undefined,
  )
  context.after(() => Promise.all([from.stop(), to.stop()]))
  await fixture.bridge.end('SIGTERM')
  await fixture.startBridge({ POSTHORN_URL: from.url, CHATWOOT_URL: to.url })
  for (const person of [silent, stalled, taken]) await fixture.personWrites(person, 'Hello')
  await patiently(
    'three pictures that hang',
    async () => from.hung.length + to.hung.length,
    (count) => count === 3,
  )
  // Ten seconds; the usual limits are 30 for a response, 300 for an upload, and none for the body of a file.
  for (const person of [silent, stalled, taken]) {
    const shown = async () => fixture.shownOf(person).map(({ content }) => content)
    await eventually(`the message of ${person}`, shown, (texts) => texts.includes('Hello'), 25_000)
  }
  assert.deepEqual([from.hung.length, to.hung.length], [2, 1])
  await fixture.bridge.end('SIGTERM')
  await fixture.startBridge()
})

test('a second bridge on the same folder, and wrong settings, are refused with a sentence', async () => {
  const data = { BRIDGE_DATA: fixture.freshData() }
  await fixture.bridge.end('SIGTERM')
  await fixture.startBridge(data)
  await assert.rejects(fixture.spawnAnother(data), /no other bridge runs on it/)
  const fresh = { BRIDGE_DATA: fixture.freshData() }
  await assert.rejects(
    fixture.spawnAnother({ ...fresh, CHATWOOT_TOKEN: 'wrong' }),
    /401.*Check CHATWOOT_URL, CHATWOOT_TOKEN/,
  )
  await assert.rejects(fixture.spawnAnother({ ...fresh, CHATWOOT_INBOX: '8' }), /404.*CHATWOOT_INBOX/)
  await assert.rejects(
    fixture.spawnAnother({ ...fresh, POSTHORN_INSTANCE: 'nowhere' }),
    /Check POSTHORN_URL, POSTHORN_KEY/,
  )
  await assert.rejects(
    spawnBridge({ CHATWOOT_ACCOUNT: 'x', POSTHORN_URL: 'ftp://x' }),
    /POSTHORN_URL must be a URL[\s\S]*Set POSTHORN_KEY[\s\S]*CHATWOOT_ACCOUNT must be a whole number/,
  )
})
