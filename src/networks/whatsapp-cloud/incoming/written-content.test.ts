import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import type { Interactive } from '../../../contract/resources/content.ts'
import type { MessageReceived } from '../../driver/observation.ts'

let far: CloudDriver
let ada: CloudPerson
let session: ObservedConnection

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(async () => {
  ada = await far.person()
  session = await far.open()
  await far.handOver(session)
})
afterEach(() => session.close())

const received = async () => {
  const seen = await far.handOver(session)
  return seen.filter((one): one is MessageReceived => one.kind === 'message-received')
}

/** The content of the messages that came, without the names of their writers. */
const contents = async () =>
  (await received()).map(({ text, content: { sender: _, ...content } = {} }) => ({ text, ...content }))

/** Hands over a callback with these messages; returns what is reported of them. */
async function told(messages: readonly object[], contacts: readonly object[] = []) {
  const metadata = { phone_number_id: far.cloud.number }
  const from = ada.address.slice(1)
  const all = messages.map((message, index) => ({ from, id: `wamid.${index}`, timestamp: '1', ...message }))
  const value = { metadata, contacts, messages: all }
  const body = { entry: [{ id: far.cloud.waba, changes: [{ field: 'messages', value }] }] }
  const before = session.observations.length
  await session.connection.receive?.({
    id: 'cb_told',
    received_at: Date.now(),
    body: Buffer.from(JSON.stringify(body)),
  })
  return session.observations.slice(before) as MessageReceived[]
}

describe('what a person writes', () => {
  test('is a place, people, or an order, as it is, and what they wrote with it', async () => {
    const place = { latitude: -23.5614, longitude: -46.6559, name: 'MASP', address: 'Av. Paulista 1578' }
    await far.cloud.act(ada.user_id, { act: 'location', ...place, url: 'https://example.org/' })
    await far.cloud.act(ada.user_id, { act: 'location', latitude: 1, longitude: 2 })
    const card = { name: { formatted_name: 'Dr. Lima', first_name: 'Ana' }, org: { company: 'Clinic' } }
    const phones = [{ phone: '+55 11 98765-4321', wa_id: '5511987654321' }, { wa_id: '5511987654322' }, {}]
    const cards = [{ ...card, phones, emails: [{ email: 'ana@example.org', type: 'WORK' }] }]
    await far.cloud.act(ada.user_id, { act: 'contacts', cards })
    const item = { product_retailer_id: 'tea-1', quantity: 2, item_price: 4.5, currency: 'EUR' }
    const order = { catalog_id: '7', text: 'By Friday, please', product_items: [item] }
    await far.cloud.act(ada.user_id, { act: 'order', ...order })
    assert.deepEqual(await contents(), [
      { text: null, location: place },
      { text: null, location: { latitude: 1, longitude: 2, name: null, address: null } },
      {
        text: null,
        contacts: [
          {
            name: 'Dr. Lima',
            phones: ['+55 11 98765-4321', '+5511987654322'],
            emails: ['ana@example.org'],
            company: 'Clinic',
          },
        ],
      },
      {
        text: 'By Friday, please',
        order: {
          catalog_id: '7',
          items: [{ product_id: 'tea-1', quantity: 2, price: 4.5, currency: 'EUR' }],
          items_left_out: 0,
        },
      },
    ])
  })

  test('is the button or the row that they chose, and names the message that had it', async () => {
    const ask = async (interactive: Interactive) => {
      const outcome = await session.sendMessage({ kind: 'interactive', to: ada.address, interactive }).outcome
      assert.ok(outcome.kind === 'accepted')
      return String(outcome.network_message_id)
    }
    const question = await ask({ body: 'Well?', buttons: [{ id: 'yes', title: 'Yes' }] })
    const rows = [{ id: 'ten', title: 'At ten', description: 'With Dr. Lima' }]
    const list = await ask({ body: 'When?', list: { button: 'Times', sections: [{ rows }] } })
    await received()
    await far.cloud.act(ada.user_id, { act: 'tap', message_id: question, choice: 'yes' })
    await far.cloud.act(ada.user_id, { act: 'tap', message_id: list, choice: 'ten' })
    const replies = await received()
    assert.deepEqual(
      replies.map(({ relation, content }) => [relation, content?.button_reply, content?.list_reply]),
      [
        [{ type: 'reply', message: question }, { id: 'yes', title: 'Yes', payload: null }, undefined],
        [{ type: 'reply', message: list }, undefined, { id: 'ten', title: 'At ten', payload: null }],
      ],
    )
  })

  test('is the button of a template, with the payload that was sent', async () => {
    const buttons = [
      { type: 'QUICK_REPLY', text: 'Stop' } as const,
      { type: 'QUICK_REPLY', text: 'More' } as const,
    ]
    const components = [{ type: 'BODY', text: 'News!' } as const, { type: 'BUTTONS', buttons } as const]
    await far.cloud.control('template', { name: 'news', components })
    const payload = { type: 'payload', payload: 'stop-4711' }
    const button = { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [payload] }
    const template = { name: 'news', language: 'en_US', components: [button] }
    const outcome = await session.sendMessage({ kind: 'template', to: ada.address, template }).outcome
    assert.ok(outcome.kind === 'accepted', JSON.stringify(outcome))
    await received()
    for (const choice of [0, 1])
      await far.cloud.act(ada.user_id, { act: 'tap', message_id: String(outcome.network_message_id), choice })
    assert.deepEqual(await contents(), [
      { text: null, button_reply: { id: null, title: 'Stop', payload: 'stop-4711' } },
      { text: null, button_reply: { id: null, title: 'More', payload: 'More' } },
    ])
  })

  test('is a form; answers that cannot be read stay as they were written', async () => {
    const submit = (response_json: string) =>
      far.cloud.act(ada.user_id, { act: 'submit', message_id: 'wamid.form', form: 'flow', response_json })
    const answers = { flow_token: 'x', size: ['M'], when: { day: 3 } }
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    await submit(JSON.stringify(answers))
    for (const written of ['{"size":', '[1]', `{"a":${deep}}`, '{"a":"\\u0000"}']) await submit(written)
    const [first, ...others] = await contents()
    assert.deepEqual(first, { text: null, flow_reply: { name: 'flow', response: answers } })
    assert.deepEqual(
      others.map(({ text }) => text?.slice(0, 8)),
      ['{"size":', '[1]', '{"a":[[[', '{"a":"\\u'],
    )
    for (const { flow_reply } of others) assert.deepEqual(flow_reply, { name: 'flow', response: {} })
  })

  test('has the ad, the post or the product that led them to write', async () => {
    const referral = {
      source_url: 'https://fb.me/1',
      source_id: '120',
      source_type: 'ad',
      headline: 'Tea',
      body: 'Half the price',
      ctwa_clid: 'ARAkLkA8',
    } as const
    await far.cloud.act(ada.user_id, { act: 'text', body: 'Hello', referral })
    await far.cloud.act(ada.user_id, { act: 'text', body: 'Is it green?', product: 'tea-1' })
    await far.cloud.act(ada.user_id, { act: 'text', body: 'Look', forwarded: true })
    const none = { url: null, title: null, text: null, id: null, click_id: null }
    assert.deepEqual(await contents(), [
      {
        text: 'Hello',
        referral: {
          type: 'ad',
          id: '120',
          url: 'https://fb.me/1',
          title: 'Tea',
          text: 'Half the price',
          click_id: 'ARAkLkA8',
          product_id: null,
        },
      },
      { text: 'Is it green?', referral: { ...none, type: 'product', product_id: 'tea-1' } },
      { text: 'Look' },
    ])
  })

  test('is a sticker, if it is one', async () => {
    const bytes = Buffer.from('webp').toString('base64')
    await far.cloud.act(ada.user_id, { act: 'sticker', bytes, mime_type: 'image/webp' })
    assert.equal((await received())[0]?.file?.isSticker, true)
  })
})

describe('what has no name here', () => {
  test('keeps the name that the network has for it, and its words', async () => {
    const seen = await told([
      { type: 'interactive', interactive: { type: 'survey_reply', survey_reply: { title: 'Four stars' } } },
      { type: 'gift', gift: { text: 'For you' } },
      { type: 'location', location: { latitude: 91, longitude: 0, name: 'Nowhere' } },
      { type: 'contacts', contacts: [] },
      { type: 'image', image: { id: 'no number', caption: 'Look' } },
      { type: 'request_welcome' },
    ])
    assert.deepEqual(
      seen.map(({ text, unsupported }) => [text, unsupported?.type, unsupported?.name]),
      [
        ['Four stars', 'unknown', 'survey_reply'],
        ['For you', 'unknown', 'gift'],
        ['Nowhere', 'location', 'location'],
        [null, 'contact', 'contacts'],
        ['Look', 'unknown', 'image'],
        [null, 'unknown', 'request_welcome'],
      ],
    )
  })

  test('is never a private chat if it was written in a group', async () => {
    const text = { type: 'text', text: { body: 'Hello, all' } }
    const groups = ['g', 'g'.repeat(255), 'two words', 12, '+4915112345678', '4915112345678', 'US.1', {}]
    const seen = await told(groups.map((group_id) => ({ ...text, group_id })))
    assert.deepEqual(
      seen.map(({ conversation }) => conversation),
      ['g', 'g'.repeat(255)],
    )
  })
})

describe('more than fits', () => {
  test('is cut: a contact list of thousands, an order of thousands', async () => {
    const cards = Array.from({ length: 5_000 }, () => ({ name: { formatted_name: 'Ana' }, phones: [{}] }))
    const product_items = Array.from({ length: 5_000 }, () => ({
      product_retailer_id: 'tea',
      quantity: 1e308,
    }))
    const [people, order] = await told([
      { type: 'contacts', contacts: cards },
      { type: 'order', order: { product_items } },
    ])
    assert.equal(people?.content?.contacts?.length, 20)
    const { items, items_left_out } = order?.content?.order ?? assert.fail()
    assert.deepEqual([items.length, items_left_out], [100, 4_900])
    assert.equal(items[0]?.quantity, Number.MAX_SAFE_INTEGER)
  })
})

test('the names of people in a group are theirs', async () => {
  const [ana, ben] = ['4915100000001', '4915100000002']
  const contacts = [
    { wa_id: ana, profile: { name: 'Ana', username: '@ana' } },
    { wa_id: ben, profile: { name: 'Ben' } },
    { wa_id: '4915100000003' },
  ]
  const texts = [ana, ben, '4915100000003'].map((from) => ({ from, type: 'text', text: { body: 'Hello' } }))
  const seen = await told(texts, contacts)
  assert.deepEqual(
    seen.map(({ content }) => content?.sender),
    [
      { address: `+${ana}`, name: 'Ana', username: 'ana' },
      { address: `+${ben}`, name: 'Ben', username: null },
      undefined,
    ],
  )
})
