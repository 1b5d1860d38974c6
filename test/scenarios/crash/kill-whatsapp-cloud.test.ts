import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { countsOf, KilledServer } from '../../kit/crash/killed-server.ts'
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
  await Promise.all(phones.map(person))
  // Meta tells some things twice, and some the other way round.
  for (const kind of ['twice', 'reversed'] as const) await cloud.fault('status', { kind, count: 50 })
  const people = phones.map((phone) => `+${phone}`)
  const accepted = await server.sendWhileKilled('shop', people)
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
