import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mutatedBytes, mutatedValues } from '../../../../test/kit/networks/callback-mutations.ts'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import { randomOf } from '../../../../test/kit/random.ts'
import { incomingMessage } from '../../../messages/inbox/incoming-message.ts'
import { UnreadableCallback } from '../../driver/abilities/callbacks.ts'

/* Messages of each kind with strange values in them: none ends the connection, and none is stored as what it is not. */

const mutations = Number(process.env.POSTHORN_TEST_CLOUD_MUTATIONS ?? 3_000)
const seed = Number(process.env.POSTHORN_TEST_SEED ?? 28)

let far: CloudDriver
let session: ObservedConnection

before(async () => {
  far = await CloudDriver.start()
  session = await far.open()
})
after(async () => {
  await session.close()
  await far.stop()
})

const flow = JSON.stringify({ flow_token: 'x', size: ['M'], when: { day: 3 } })
const file = { id: '123456789', mime_type: 'image/webp', sha256: 'x', caption: 'Look', animated: true }
const card = {
  name: { formatted_name: 'Dr. Lima', first_name: 'Ana' },
  phones: [{ phone: '+55 11 98765-4321', wa_id: '5511987654321', type: 'WORK' }],
  emails: [{ email: 'ana@example.org' }],
  org: { company: 'Clinic' },
}
const item = { product_retailer_id: 'tea-1', quantity: 2, item_price: 4.5, currency: 'EUR' }
const referral = { source_url: 'https://fb.me/1', source_type: 'ad', headline: 'Tea', ctwa_clid: 'ARA' }
const context = { from: '15550001111', id: 'wamid.asked' }
const product = { catalog_id: '7', product_retailer_id: 'tea-1' }

const contents: readonly object[] = [
  { type: 'text', text: { body: 'Hello' }, referral, group_id: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAz' },
  { type: 'text', text: { body: 'Is it green?' }, context: { referred_product: product } },
  { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Here', address: 'There' } },
  { type: 'contacts', contacts: [card, card] },
  { type: 'order', order: { catalog_id: '7', text: 'By Friday', product_items: [item, item] } },
  { type: 'button', button: { payload: 'stop-4711', text: 'Stop' }, context },
  {
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } },
    context,
  },
  {
    type: 'interactive',
    interactive: { type: 'list_reply', list_reply: { id: 't', title: 'Ten' } },
    context,
  },
  {
    type: 'interactive',
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: flow } },
  },
  { type: 'sticker', sticker: file },
  { type: 'video', video: file },
  { type: 'reaction', reaction: { message_id: 'wamid.asked', emoji: '👍' } },
  { type: 'edit', edit: { original_message_id: 'wamid.1', message: { type: 'text', text: { body: 'No' } } } },
  { type: 'revoke', revoke: { original_message_id: 'wamid.1' } },
  { type: 'unsupported', unsupported: { type: 'poll_creation' }, errors: [{ code: 131051, title: 'x' }] },
  { type: 'system', system: { type: 'user_changed_user_id', user_id: 'US.2', previous_user_id: 'US.1' } },
]

/** A callback in which one person writes all this, and in which there is what has no name here. */
function callbackWith(content: object): Buffer {
  const metadata = { display_phone_number: '15550001111', phone_number_id: far.cloud.number }
  const from = { from: '4915112345678', from_user_id: 'DE.1', id: 'wamid.w', timestamp: '1700000000' }
  const profile = { name: 'Ada', username: 'ada' }
  const contacts = [{ profile, wa_id: '4915112345678', user_id: 'DE.1' }]
  const echo = { ...from, to: '4915112345679', to_user_id: 'DE.2', ...content }
  const changes = [
    {
      field: 'messages',
      value: { metadata, contacts, messages: [{ ...from, ...content }], errors: [{ code: 1 }] },
    },
    { field: 'smb_message_echoes', value: { metadata, message_echoes: [echo] } },
    { field: 'user_preferences', value: { metadata, user_preferences: [{ value: 'stop' }] } },
    { field: 'message_template_status_update', value: { event: 'PAUSED', message_template_name: 'news' } },
    { field: 'history', value: { metadata, history: [{ threads: [] }] } },
    { field: 'calls', value: { metadata, calls: [{ id: 'wacid.1', event: 'connect' }] } },
  ]
  return Buffer.from(JSON.stringify({ object: 'x', entry: [{ id: far.cloud.waba, changes }] }))
}

describe('a callback with strange values', () => {
  test(`is read without harm, ${mutations} times`, async (context) => {
    context.diagnostic(`seed ${seed}`)
    const random = randomOf(seed)
    const counts = { read: 0, refused: 0, reported: 0 }
    for (let index = 0; index < mutations; index++) {
      const genuine = callbackWith(contents[index % contents.length] ?? {})
      const mutate = random() < 0.8 ? mutatedValues : mutatedBytes
      const body = mutate(genuine, random)
      const { length } = session.observations
      try {
        await session.connection.receive?.({ id: `cb_${index}`, received_at: Date.now(), body })
        counts.read++
      } catch (error) {
        assert.ok(error instanceof UnreadableCallback, `${error} at ${index}: ${body}`)
        counts.refused++
      }
      for (const seen of session.observations.splice(length)) {
        counts.reported++
        if (seen.kind !== 'message-received' && seen.kind !== 'message-sent-elsewhere') continue
        const stored = incomingMessage(seen, Date.now()) ?? assert.fail(`it can be stored: ${body}`)
        assert.ok(JSON.stringify(stored).length < 300_000, 'it is bounded')
      }
    }
    assert.ok(counts.read > mutations / 2 && counts.reported > mutations / 2, JSON.stringify(counts))
    assert.equal(session.kinds().at(-1), 'caught-up', 'the connection is as it was')
    context.diagnostic(JSON.stringify(counts))
  })

  test('in each kind, as it is, is reported with its content', async () => {
    for (const content of contents) {
      const { length } = session.observations
      await session.connection.receive?.({ id: 'cb', received_at: Date.now(), body: callbackWith(content) })
      const seen = session.observations.splice(length)
      assert.ok(seen.length > 0, JSON.stringify(content))
    }
  })
})
