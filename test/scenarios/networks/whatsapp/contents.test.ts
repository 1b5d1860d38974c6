import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listMessages } from '../../../../src/contract/operations/message-operations.ts'
import type { Message } from '../../../../src/contract/resources/message.ts'
import { environmentFor, linkByPicture } from '../../../kit/networks/whatsapp/stage.ts'
import { eventually, everythingReceived, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../../simulators/whatsapp/start-whatsapp.ts'

/* Messages of people besides texts and files. */

const shop = '4915100000001'
const ana = '4915100000002'
const ben = '4915100000003'

let whatsapp: WhatsAppProcess
let posthorn: Posthorn
let benLid: string

before(async () => {
  whatsapp = await startWhatsApp({ after: () => {} })
  posthorn = await startPosthorn({ environment: environmentFor(whatsapp) })
  await whatsapp.control.createPerson({ phone: shop, name: 'Shop' })
  await whatsapp.control.createPerson({ phone: ana, name: 'Ana' })
  benLid = await whatsapp.control.createPerson({ phone: ben, name: 'Ben' })
  await linkByPicture({ whatsapp, posthorn }, { name: 'shop', phone: shop })
})
after(async () => {
  await posthorn?.stop()
  await whatsapp?.stop()
})

type Writing = Omit<Parameters<WhatsAppProcess['control']['write']>[0], 'from' | 'to'>

async function receives(writing: Writing, from = ana): Promise<Message> {
  const id = await whatsapp.control.write({ from, to: shop, ...writing })
  const find = async () =>
    (await everythingReceived(posthorn.admin, 'shop')).find((message) =>
      message.network_message_id?.startsWith(id),
    )
  return (await eventually(`the message ${id}`, find, (message) => message !== undefined)) ?? assert.fail()
}

/** A message that the phone of the shop writes, as the server shows it. */
async function elsewhere(writing: Writing): Promise<Message> {
  const id = await whatsapp.control.write({ from: shop, to: ana, ...writing })
  const query = { instance: 'shop', direction: 'outbound', limit: 200 } as const
  const find = async () =>
    (await posthorn.admin.call(listMessages, { query })).body.data.find(
      (message) => message.network_message_id === id,
    )
  return (await eventually(`the message ${id}`, find, (message) => message !== undefined)) ?? assert.fail()
}

const vcard = ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ben', 'TEL;waid=49151:+49 151', 'END:VCARD'].join('\n')

describe('what people send is structured', { timeout: 120_000 }, () => {
  test('a place, and where a person is just now', async () => {
    const place = { latitude: 48.1, longitude: 11.5 }
    const named = await receives({ location: { ...place, name: 'Here' } })
    assert.deepEqual(
      [named.kind, named.text, named.location],
      ['location', 'Here', { ...place, name: 'Here', address: null }],
    )
    const live = await receives({ location: { ...place, name: 'On my way', isLive: true } })
    assert.deepEqual([live.kind, live.text, live.location?.name], ['location', 'On my way', null])
  })

  test('one person, and several', async () => {
    const card = { name: 'Ben', vcard }
    const expected = { name: 'Ben', phones: ['+49 151'], emails: [], company: null }
    const one = await receives({ contact: card })
    assert.deepEqual([one.kind, one.text, one.contacts], ['contacts', 'Ben', [expected]])
    const two = await receives({ contacts: [card, { ...card, name: 'Benny' }] })
    assert.deepEqual(two.contacts, [expected, { ...expected, name: 'Benny' }])
  })

  test('a choice names what it was chosen from', async () => {
    const asked = await text(posthorn.admin, { instance: 'shop', to: `+${ana}`, text: 'Which day?' }, 20)
    const seen = (await whatsapp.control.received({ person: ana, from: shop, count: 1 })).at(-1)
    const reply = { to: seen?.id ?? '', from: `${shop}@s.whatsapp.net`, text: 'Which day?' }
    for (const [from, kind] of [
      ['buttons', 'button_reply'],
      ['template', 'button_reply'],
      ['list', 'list_reply'],
    ] as const) {
      const chosen = await receives({ choice: { from, id: 'mon', title: 'Monday' }, reply })
      assert.deepEqual([chosen.kind, chosen.text], [kind, 'Monday'])
      assert.deepEqual(chosen[kind], { id: 'mon', title: 'Monday', payload: null })
      assert.equal(chosen.relation?.message_id, asked.id)
    }
  })

  test('a form, an order, and the advertisement that led to a message', async () => {
    const form = await receives({ form: { name: 'flow', json: '{"day":"Monday"}', shown: 'Sent' } })
    assert.deepEqual(
      [form.kind, form.text, form.flow_reply],
      ['flow_reply', 'Sent', { name: 'flow', response: { day: 'Monday' } }],
    )
    const order = await receives({ order: { count: 3, message: 'Please' } })
    assert.deepEqual(
      [order.kind, order.text, order.order],
      ['order', 'Please', { catalog_id: null, items: [], items_left_out: 3 }],
    )
    const ad = {
      title: 'Shoes',
      sourceType: 'ad',
      sourceId: '7',
      sourceUrl: 'https://fb.me/1',
      ctwaClid: 'c',
    }
    const led = await receives({ text: 'Which sizes?', ad })
    assert.deepEqual([led.kind, led.referral?.click_id, led.referral?.title], ['text', 'c', 'Shoes'])
  })

  test('mentions, the names of people, and stickers', async () => {
    const hello = await receives({ text: `Ask @${benLid}`, mentions: [benLid] })
    assert.deepEqual(hello.mentions, [`${benLid}@lid`])
    assert.deepEqual(hello.sender, { address: `+${ana}`, name: 'Ana', username: null })
    const webp = Buffer.from('RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\x01\0\xff\x01\0', 'latin1')
    const file = { kind: 'sticker', bytes: webp.toString('base64'), mimetype: 'image/webp' } as const
    assert.equal((await receives({ file })).kind, 'sticker')
  })

  test('a content that no client of today knows is told of', async () => {
    const future = await receives({ future: 'New things' })
    assert.deepEqual([future.kind, future.unsupported], ['unsupported', { type: 'unknown', name: 'newer' }])
  })

  test('what the shop does on its phone comes as what it is', async () => {
    const first = await elsewhere({ text: 'From the phone' })
    const id = first.network_message_id ?? ''
    const thumb = await elsewhere({ reaction: { to: id, emoji: '👍', isOwn: true } })
    assert.deepEqual(
      [thumb.origin, thumb.kind, thumb.text, thumb.relation?.message_id],
      ['elsewhere', 'reaction', '👍', first.id],
    )
    const edit = await elsewhere({ edit: { id, text: 'Edited' } })
    assert.deepEqual([edit.text, edit.relation?.message_id], ['Edited', first.id])
    const place = await elsewhere({ location: { latitude: 1, longitude: 2 } })
    assert.deepEqual([place.kind, place.location?.latitude], ['location', 1])
    const gone = await elsewhere({ revoke: id })
    assert.deepEqual([gone.kind, gone.relation?.message_id], ['retraction', first.id])
  })
})
