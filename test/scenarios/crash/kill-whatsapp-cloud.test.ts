import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { getMessage } from '../../../src/contract/operations/message-operations.ts'
import { countConversations, type SeenAbout } from '../../kit/crash/count-conversations.ts'
import { countsOf, KilledServer } from '../../kit/crash/killed-server.ts'
import { TalkativeSender } from '../../kit/crash/talkative-sender.ts'
import { freePort } from '../../kit/far-ends/free-ports.ts'
import { journalOf } from '../../kit/journal.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { rowsIn } from '../../kit/rows.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'

/*
 * A network that cannot recognize repetitions, but calls back with our id, as often as it takes and in any order: the server is
 * killed at random moments, and WhatsApp counts.
 */

const verify_token = 'a-word-of-our-own'

let cloud: WhatsAppCloud
let server: KilledServer

before(async () => {
  cloud = await startWhatsAppCloud()
  // Its callbacks go to the same URL all the time.
  const listen = `127.0.0.1:${await freePort()}`
  server = new KilledServer({
    POSTHORN_LISTEN: listen,
    POSTHORN_WHATSAPP_CLOUD_API: cloud.url,
    POSTHORN_CALLBACK_RATE: 'off',
  })
  await server.start()
  const { callback_url } = await server.create({
    name: 'shop',
    network: 'whatsapp-cloud',
    settings: { phone_number_id: cloud.number, pacing: { messages: 1_000, seconds: 1 } },
    credentials: { access_token: cloud.token, app_secret: cloud.appSecret, verify_token },
  })
  await cloud.control('app', { callback: `http://${listen}${callback_url}`, verify_token, subscribe: true })
  await cloud.control('settings', { pair: { burst: 1e6, every_ms: 1 }, throughput: 1e6 })
})

after(async () => {
  await server?.remove()
  await cloud?.stop()
})

async function person(phone: string): Promise<string> {
  return (await cloud.control('person', { phone, receives: 'read', wrote_ago: 1_000 })).user_id
}

/** Everything that happened so far was posted, answered with 200 and handled. */
async function told(): Promise<void> {
  for (const { state, schema_faults } of await cloud.control('webhooks', {}))
    assert.deepEqual([state, schema_faults], ['delivered', []])
  const waiting = () => rowsIn<{ count: number }>(server.data, 'select count(*) as count from callbacks')
  await eventually('no callback to wait', waiting, ([row]) => Number(row?.count) === 0)
}

test('killed at random moments, the server sends nothing twice, and learns what became of every message', async (context) => {
  const phones = Array.from({ length: 30 }, (_, index) => `4915100000${String(index).padStart(3, '0')}`)
  const ids = await Promise.all(phones.map(person))
  const { id: group } = await cloud.control('group', { people: ids.slice(0, 3) })
  // Meta tells some things twice, and some the other way round.
  for (const kind of ['twice', 'reversed'] as const) await cloud.fault('status', { kind, count: 50 })
  const recipients = [...phones.map((phone) => `+${phone}`), group]
  const accepted = await server.sendWhileKilled('shop', recipients)
  await told()

  const taken = await cloud.control('taken', {})
  const counts = countsOf(taken.map(({ request }) => request.text?.body ?? ''))
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 1),
    [],
    'nobody gets a text twice',
  )
  const idOf = new Map(taken.map(({ id, request }) => [request.text?.body, id]))
  const lost: string[] = []
  for (const { text, message } of await server.fatesOf(accepted)) {
    if (idOf.has(text)) {
      assert.equal(message.status, 'read', `${text} was taken, which its statuses prove`)
      assert.equal(message.network_message_id, idOf.get(text))
    } else {
      assert.equal(message.status, 'unknown', `${text} was begun, and no status proves it`)
      lost.push(text)
    }
  }
  const proven = (await journalOf(server.data)).filter(({ type }) => type === 'message.unknown').length
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${accepted.length} accepted, ${proven} unknown for a while, ${lost.length} for good`,
  )
})

test('killed at random moments, the server keeps every incoming message once, however often it is posted', async (context) => {
  const phone = '4915200000001'
  const ana = await person(phone)
  await cloud.fault('webhook', { kind: 'twice', count: 200 })
  const written = await server.writeWhileKilled((text) => cloud.act(ana, { act: 'text', body: text }))
  await told()
  const received = (await everythingReceived(server.running.admin, 'shop'))
    .filter(({ conversation }) => conversation === `+${phone}`)
    .map(({ text }) => text ?? '')
  // A refused callback comes later than texts that were written after it.
  assert.deepEqual(received.toSorted(), written.toSorted())
  const events = (await journalOf(server.data)).filter(({ type }) => type === 'message.received')
  assert.equal(events.length, written.length)
  const posted = await cloud.control('webhooks', {})
  const attempts = posted.reduce((sum, delivery) => sum + delivery.attempts.length, 0)
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${written.length} texts, ${posted.length} callbacks in ${attempts} attempts`,
  )
})

test('killed at random moments, the server sends replies and reactions once, and after what they are about', async (context) => {
  const phones = Array.from({ length: 4 }, (_, index) => `491530000000${index}`)
  await Promise.all(phones.map(person))
  const before = (await cloud.control('taken', {})).length
  const recipients = phones.map((phone) => `+${phone}`)
  // A reply to a message whose fate stays unknown waits until it expires.
  const ways = { edits: false, assigned: true, life: 8_000 }
  const sender = new TalkativeSender(server.running, 'shop', recipients, ways)
  await server.killRepeatedly(async (running) => {
    const { length } = sender.said
    sender.moveTo(running)
    const accepted = async () => sender.said.length
    await eventually('a message to be accepted', accepted, (count) => count > length)
  })
  await sender.finish()
  const { admin } = server.running
  const depth = async () => (await admin.call(getInstance, { params: { name: 'shop' } })).body.queue.depth
  await eventually('the queue to be empty', depth, (left) => left === 0, 120_000)
  await told()

  const taken = (await cloud.control('taken', {})).slice(before)
  const ours = new Map(taken.map(({ id, biz_opaque_callback_data: own }) => [id, `msg_${own}`]))
  const seen = taken.map(({ id, request: { reaction, context } }): SeenAbout => {
    const about = ours.get(reaction?.message_id ?? context?.message_id ?? '')
    return { id: ours.get(id) ?? '', ...(about !== undefined && { about }) }
  })
  const { lost, early, doubled, strayed, repeats } = countConversations(sender.said, seen)
  const arrivedEarly = early.filter((one) => !lost.includes(one))
  const faults = { doubled, early: arrivedEarly, strayed, repeats }
  assert.deepEqual(faults, { doubled: [], early: [], strayed: [], repeats: 0 })
  const fates = new Map<string, number>()
  for (const { networkMessageId: id } of lost) {
    const { status, error } = (await admin.call(getMessage, { params: { id } })).body
    const fate = error ? `${status} ${error.code}` : status
    fates.set(fate, (fates.get(fate) ?? 0) + 1)
  }
  const honest = ['unknown', 'expired', 'failed target_not_sent']
  assert.deepEqual(
    [...fates.keys()].filter((fate) => !honest.includes(fate)),
    [],
    'what did not arrive says so',
  )
  const words = JSON.stringify(Object.fromEntries(fates))
  context.diagnostic(
    `seed ${server.seed}: ${server.kills} kills, ${sender.said.length} accepted, ${taken.length} taken, not taken: ${words}`,
  )
})
