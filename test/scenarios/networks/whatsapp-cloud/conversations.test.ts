import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  sendContactsMessage,
  sendInteractiveMessage,
  sendLocationMessage,
  sendPollMessage,
} from '../../../../src/contract/operations/content-operations.ts'
import {
  editMessage,
  reactToMessage,
  retractMessage,
} from '../../../../src/contract/operations/following-operations.ts'
import {
  sendTemplateMessage,
  sendTextMessage,
} from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { problemOf } from '../../../kit/http/problem-of.ts'
import { type CloudNumber, CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import type { Act } from '../../../simulators/whatsapp-cloud/acts.ts'
import type { TakenMessage } from '../../../simulators/whatsapp-cloud/world.ts'

describe('whole conversations over the WhatsApp Cloud API', { timeout: 120_000 }, () => {
  let stage: CloudStage
  let shop: CloudNumber
  let ada: string

  before(async () => {
    stage = await CloudStage.start()
    shop = await stage.number()
    ada = await stage.person()
  })
  after(() => stage.stop())

  const to = () => ({ instance: shop.instance, to: ada })
  const admin = () => stage.posthorn.admin
  const acts = (act: Act) => stage.cloud.control('act', { person: ada, number: shop.id, ...act })
  const received = async (id: string): Promise<Message> => {
    const find = async () =>
      (await everythingReceived(admin(), shop.instance)).find((one) => one.network_message_id === id)
    return (await eventually('the message', find, (message) => message !== undefined)) as Message
  }
  const doneBy = async (act: Act) => received((await acts(act)).id)
  /** The request for a message that Meta has taken. */
  const requested = async ({ id }: Pick<Message, 'id'>) => {
    const all: readonly TakenMessage[] = await stage.cloud.control('taken', {})
    return all.find(({ biz_opaque_callback_data }) => `msg_${biz_opaque_callback_data}` === id)?.request
  }
  const faults = async (call: Promise<unknown>) =>
    (await problemOf(call)).problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)

  test('the shop asks, and learns which button was tapped, with the payload that it sent', async () => {
    const buttons = [
      { id: 'yes', title: 'Yes', payload: 'order-4711' },
      { id: 'no', title: 'No' },
    ]
    const { body: question } = await admin().call(sendInteractiveMessage, {
      body: { ...to(), header: 'Delivery', body: 'Tomorrow?', footer: 'The shop', buttons },
    })
    const { network_message_id } = await reaches(admin(), question.id, 'read')
    const reply = await doneBy({ act: 'tap', message_id: String(network_message_id), choice: 'yes' })
    assert.deepEqual(reply.button_reply, { id: 'yes', title: 'Yes', payload: 'order-4711' })
    assert.deepEqual(
      [reply.kind, reply.text, reply.relation?.message_id],
      ['button_reply', 'Yes', question.id],
    )
    assert.deepEqual(reply.sender, { address: ada, name: 'Ada', username: null })
  })

  test('a row of a list comes back with its payload, and a button of a template with its own', async () => {
    const rows = [{ id: 'ten', title: 'At ten', description: 'With Dr. Lima', payload: 'slot-10' }]
    const list = { button: 'Times', sections: [{ title: 'Morning', rows }] }
    const { body: asked } = await admin().call(sendInteractiveMessage, {
      body: { ...to(), body: 'When?', list },
    })
    const { network_message_id } = await reaches(admin(), asked.id, 'read')
    const row = await doneBy({ act: 'tap', message_id: String(network_message_id), choice: 'ten' })
    assert.deepEqual(row.list_reply, { id: 'ten', title: 'At ten', payload: 'slot-10' })

    const buttons = [{ type: 'QUICK_REPLY' as const, text: 'Stop' }]
    await stage.cloud.control('template', {
      waba: shop.waba,
      name: 'news',
      components: [
        { type: 'BODY', text: 'News!' },
        { type: 'BUTTONS', buttons },
      ],
    })
    const parameters = [{ type: 'payload', payload: 'stop-4711' }]
    const components = [{ type: 'button', sub_type: 'quick_reply', index: '0', parameters }]
    const { body: news } = await admin().call(sendTemplateMessage, {
      body: { ...to(), name: 'news', language: 'en_US', components, reply_to: row.id },
    })
    const sent = await reaches(admin(), news.id, 'read')
    assert.deepEqual((await requested(news))?.context, { message_id: row.network_message_id })
    const stop = await doneBy({ act: 'tap', message_id: String(sent.network_message_id), choice: 0 })
    assert.deepEqual(stop.button_reply, { id: null, title: 'Stop', payload: 'stop-4711' })
  })

  test('replies and reactions go both ways, and name what they are about', async () => {
    const asked = await doneBy({ act: 'text', body: 'Are you open?' })
    const reply = await text(admin(), { ...to(), text: 'Until six', reply_to: asked.id })
    const { network_message_id } = await reaches(admin(), reply.id, 'read')
    assert.deepEqual((await requested(reply))?.context, { message_id: asked.network_message_id })
    const thumb = await doneBy({ act: 'reaction', message_id: String(network_message_id), emoji: '👍' })
    assert.deepEqual([thumb.kind, thumb.text, thumb.relation?.message_id], ['reaction', '👍', reply.id])
    for (const emoji of ['❤️', null]) {
      const { body } = await admin().call(reactToMessage, { params: { id: asked.id }, body: { emoji } })
      await reaches(admin(), body.id, 'sent')
      const { reaction } = (await requested(body)) ?? {}
      assert.deepEqual(reaction, { message_id: asked.network_message_id, emoji: emoji ?? '' })
    }
  })

  test('a place, people and an order have the same words both ways', async () => {
    const place = { latitude: -23.5614, longitude: -46.6559, name: 'MASP', address: 'Av. Paulista 1578' }
    const { body: sent } = await admin().call(sendLocationMessage, { body: { ...to(), ...place } })
    await reaches(admin(), sent.id, 'read')
    assert.deepEqual((await requested(sent))?.location, place)
    const back = await doneBy({ act: 'location', ...place })
    assert.deepEqual([back.kind, back.text], ['location', 'MASP, Av. Paulista 1578'])
    assert.deepEqual(back.location, sent.location)
    const contacts = [{ name: 'Dr. Lima', phones: ['+55 11 98765-4321'] }]
    const { body: cards } = await admin().call(sendContactsMessage, { body: { ...to(), contacts } })
    await reaches(admin(), cards.id, 'read')
    const card = { name: { formatted_name: 'Dr. Lima' }, phones: [{ phone: '+55 11 98765-4321' }] }
    assert.deepEqual((await doneBy({ act: 'contacts', cards: [card] })).contacts, cards.contacts)
    const item = { product_retailer_id: 'tea', quantity: 2, item_price: 4.5, currency: 'EUR' }
    const order = await doneBy({ act: 'order', catalog_id: '7', text: 'By Friday', product_items: [item] })
    assert.deepEqual([order.kind, order.text], ['order', 'By Friday'])
    assert.deepEqual(order.order?.items, [{ product_id: 'tea', quantity: 2, price: 4.5, currency: 'EUR' }])
  })

  test('a video and a sticker go both ways as what they are', async () => {
    const webp = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(500)])
    const file = { instance: shop.instance, to: ada, filename: 'wave.webp', bytes: webp }
    const sent = await stage.sendFile('upload', { ...file, kind: 'sticker' }, 20)
    await reaches(admin(), sent.id, 'read')
    const heavy = Buffer.concat([webp, Buffer.alloc(120_000)])
    const refused = await stage.sendFile('upload', { ...file, kind: 'sticker', bytes: heavy }, 20)
    assert.equal((await reaches(admin(), refused.id, 'failed')).error?.code, 'sticker_too_large')
    const bytes = webp.toString('base64')
    const sticker = await doneBy({ act: 'sticker', bytes, mime_type: 'image/webp' })
    assert.equal(sticker.kind, 'sticker')
  })

  test('what a form, an ad and a poll say is not lost', async () => {
    const response_json = JSON.stringify({ size: 'M' })
    const form = await doneBy({ act: 'submit', message_id: 'wamid.form', form: 'flow', response_json })
    assert.deepEqual(form.flow_reply, { name: 'flow', response: { size: 'M' } })
    const referral = {
      source_url: 'https://fb.me/1',
      source_id: '120',
      source_type: 'ad',
      ctwa_clid: 'AR4',
    } as const
    const led = await doneBy({ act: 'text', body: 'Hello', referral })
    assert.deepEqual([led.kind, led.referral?.type, led.referral?.click_id], ['text', 'ad', 'AR4'])
    const poll = await doneBy({ act: 'unsupported', type: 'poll_creation' })
    assert.deepEqual([poll.kind, poll.unsupported?.name], ['unsupported', 'poll_creation'])
  })

  test('what WhatsApp has not is refused with the reason', async () => {
    const ask = (body: object) =>
      admin().call(sendInteractiveMessage, { body: { ...to(), body: 'Well?', ...body } })
    const button = (id: string) => ({ id, title: `Choice ${id}` })
    assert.deepEqual(await faults(ask({ buttons: ['1', '2', '3', '4'].map(button) })), ['/buttons too_many'])
    const long = { id: '1', title: 'x'.repeat(21) }
    assert.deepEqual(await faults(ask({ buttons: [long] })), ['/buttons/0/title too_long'])
    const same = [1, 2].map((id) => ({ id: `${id}`, title: 'Yes' }))
    const spaced = [{ id: ' 1', title: 'Yes' }]
    for (const buttons of [same, spaced])
      assert.deepEqual(await faults(ask({ buttons })), ['/buttons not_supported'])
    const rows = Array.from({ length: 11 }, (_, index) => button(`${index}`))
    const list = { button: 'Times', sections: [{ rows }] }
    assert.deepEqual(await faults(ask({ list })), ['/list/sections too_many'])
    const poll = { ...to(), question: 'When?', options: ['Today', 'Never'] }
    assert.deepEqual(await faults(admin().call(sendPollMessage, { body: poll })), ['/question not_supported'])
    const { id } = await text(admin(), { ...to(), text: 'Tomorow' }, 20)
    const params = { id }
    for (const call of [
      admin().call(editMessage, { params, body: { text: 'Tomorrow' } }),
      admin().call(retractMessage, { params, body: {} }),
    ])
      assert.equal((await problemOf(call)).problem.code, 'not_supported_by_network')
    const mentioning = { ...to(), text: 'Hi', mentions: [ada] }
    assert.deepEqual(await faults(admin().call(sendTextMessage, { body: mentioning })), [
      '/mentions not_supported',
    ])
  })

  test('what is written in a group stays in the group', async () => {
    const { user_id } = await stage.cloud.control('change', { person: ada.slice(1) })
    const { id: group } = await stage.cloud.control('group', { people: [user_id], number: shop.id })
    const asked = await doneBy({ act: 'text', body: 'Hello, all', group })
    assert.deepEqual([asked.conversation, asked.from, asked.sender?.name], [group, ada, 'Ada'])
    const answer = { instance: shop.instance, to: group, text: 'Hello', reply_to: asked.id }
    const reply = await text(admin(), answer, 20)
    await reaches(admin(), reply.id, 'read')
    const { to: recipient, recipient_type, context } = (await requested(reply)) ?? {}
    assert.deepEqual(
      [recipient, recipient_type, context],
      [group, 'group', { message_id: asked.network_message_id }],
    )
  })
})
