import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type CallbackReceiver, startCallbackReceiver } from './callback-receiver.ts'
import { faultsOfError, faultsOfMediaAnswer, faultsOfSendAnswer, type MediaAnswer } from './schemas/answer.ts'
import { faultsOfTemplatesAnswer } from './schemas/template.ts'
import { startWhatsAppCloud, type WhatsAppCloud } from './start-whatsapp-cloud.ts'

const phone = '4915112345678'
const hour = 3_600_000

let cloud: WhatsAppCloud
let business: CallbackReceiver
/** Wrote an hour ago. */
let ada: string

before(async () => {
  cloud = await startWhatsAppCloud()
})
after(async () => {
  const deliveries = await cloud.control('webhooks', {})
  assert.deepEqual(
    deliveries.flatMap(({ schema_faults }) => schema_faults),
    [],
  )
  await business.stop()
  await cloud.stop()
})
beforeEach(async () => {
  // A callback still under way to the last one would be repeated for days.
  await cloud.control('webhooks', {})
  await business?.stop()
  business = await startCallbackReceiver(cloud.appSecret)
  await cloud.control('clear-faults', {})
  await cloud.control('token', { token: cloud.token, wabas: [cloud.waba], state: 'valid' })
  await cloud.control('app', { callback: business.url, verify_token: business.verifyToken, subscribe: true })
  const free = { burst: 45, every_ms: 6000 }
  await cloud.control('settings', { pair: free, throughput: 80, receives: 'delivered', hold_webhooks: false })
  ada ??= (await cloud.control('person', { phone, wrote_ago: hour })).user_id
})

function ask(method: string, path: string, body?: unknown, token = cloud.token): Promise<Response> {
  return fetch(`${cloud.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

const text = (to: string, more: object = {}) => {
  return { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'Grüße 👋' }, ...more }
}

function send(body: unknown, version = 'v26.0'): Promise<Response> {
  return ask('POST', `/${version}/${cloud.number}/messages`, body)
}

/** The id of a message that the network takes. */
async function sent(body: unknown): Promise<string> {
  const answer = await send(body)
  const said = (await answer.json()) as { messages: [{ id: string }] }
  assert.equal(answer.status, 200, JSON.stringify(said))
  assert.deepEqual(faultsOfSendAnswer(said), [])
  return said.messages[0].id
}

/** Fails unless the answer is this error, in the form of the Graph API. */
async function refuses(answer: Response, status: number, code: number): Promise<void> {
  const said = (await answer.json()) as { error: { code: number } }
  assert.deepEqual([answer.status, said.error.code], [status, code], JSON.stringify(said))
  assert.deepEqual(faultsOfError(said), [])
}

/** The statuses that were called back for a message, once every callback is through. */
async function statusesOf(id: string): Promise<string[]> {
  await cloud.control('webhooks', {})
  return business
    .statuses()
    .filter((one) => one.id === id)
    .map(({ status }) => status)
}

async function upload(bytes: Buffer<ArrayBuffer>, type: string): Promise<Response> {
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('type', type)
  form.set('file', new Blob([bytes], { type }), 'file')
  const headers = { authorization: `Bearer ${cloud.token}` }
  return fetch(`${cloud.url}/v26.0/${cloud.number}/media`, { method: 'POST', headers, body: form })
}

async function uploaded(bytes: Buffer<ArrayBuffer>, type: string): Promise<string> {
  return ((await (await upload(bytes, type)).json()) as { id: string }).id
}

describe('a message', () => {
  test('is taken, recorded, and called back with its callback data', async () => {
    const id = await sent(text(`+${phone}`, { biz_opaque_callback_data: 'msg_1' }))
    assert.deepEqual(await statusesOf(id), ['sent', 'delivered'])
    const [status] = business.statuses()
    assert.equal(status?.biz_opaque_callback_data, 'msg_1')
    assert.deepEqual([status?.recipient_id, status?.recipient_user_id], [phone, ada])
    const taken = await cloud.control('taken', {})
    assert.equal(taken.at(-1)?.biz_opaque_callback_data, 'msg_1')
  })

  test('may go to a user id, and `to` wins over it', async () => {
    const body = { messaging_product: 'whatsapp', type: 'text', text: { body: 'hi' } }
    const answer = (await (await send({ ...body, recipient: ada })).json()) as { contacts: unknown }
    assert.deepEqual(answer.contacts, [{ input: ada, user_id: ada }])
    await sent({ ...body, to: phone, recipient: 'US.nobody' })
    assert.equal((await cloud.control('taken', {})).at(-1)?.recipient, phone)
  })

  test('does not name the phone of a person with a username', async () => {
    const number = '4915100000002'
    await cloud.control('person', { phone: number, username: 'grace', wrote_ago: hour })
    const id = await sent(text(number))
    await statusesOf(id)
    const all = business.received.map(({ body }) => body).join()
    assert.ok(all.includes(id.slice(6, 30).replaceAll('/', '\\/')) && !all.includes(number))
  })

  test('fails if the person is not on WhatsApp, and stays at sent if blocked', async () => {
    const unusedNumber = await sent(text('4915100000003'))
    await cloud.control('person', { phone: '4915100000004', blocked: true, wrote_ago: hour })
    const blocked = await sent(text('4915100000004'))
    assert.deepEqual(await statusesOf(unusedNumber), ['failed'])
    assert.equal(business.statuses().find(({ id }) => id === unusedNumber)?.errors?.[0]?.code, 131026)
    assert.deepEqual(await statusesOf(blocked), ['sent'])
  })

  test('needs an open window, in the answer or in a failed status', async () => {
    const number = '4915100000005'
    const { user_id: person } = await cloud.control('person', { phone: number, wrote_ago: 25 * hour })
    const late = await sent(text(number))
    assert.deepEqual(await statusesOf(late), ['failed'])
    await cloud.control('settings', { window_refusal: 'answer' })
    await refuses(await send(text(number)), 400, 131047)
    await cloud.act(person, { act: 'text', body: 'still there?' })
    await sent(text(number))
    await cloud.control('settings', { window_refusal: 'status' })
  })

  test('is refused if it does not fit', async () => {
    await refuses(await send({ ...text(phone), messaging_product: 'sms' }), 400, 100)
    await refuses(await send({ messaging_product: 'whatsapp', to: phone, type: 'text' }), 400, 131008)
    await refuses(await send(text(phone, { text: { body: 'x'.repeat(4097) } })), 400, 100)
    await refuses(await send(text(phone, { txet: {} })), 400, 100)
    await refuses(await send(text('alice')), 400, 131009)
    await refuses(await send(text(phone, { biz_opaque_callback_data: 'x'.repeat(513) })), 400, 100)
    await refuses(await send(text(cloud.displayPhoneNumber)), 400, 131021)
    await refuses(await send(text(phone, { type: 'poem' })), 400, 100)
  })

  test('has limits: to one person, and in all', async () => {
    const number = '4915100000006'
    await cloud.control('person', { phone: number, wrote_ago: hour })
    await cloud.control('settings', { pair: { burst: 2, every_ms: 6000 } })
    for (const _ of [1, 2]) await sent(text(number))
    await refuses(await send(text(number)), 429, 131056)
    await cloud.control('advance', { ms: 6000 })
    await sent(text(number))
    await cloud.control('settings', { throughput: 0 })
    await refuses(await send(text(phone)), 429, 130429)
  })

  test('may be a template, if that is approved and the parameters fit', async () => {
    const body = [{ type: 'BODY', text: 'Dear {{1}}, your order {{2}} is ready.' }]
    await cloud.control('template', { name: 'ready', components: body })
    await cloud.control('template', { name: 'paused', status: 'PAUSED' })
    const template = (name: string, ...words: string[]) => {
      const parameters = words.map((word) => ({ type: 'text', text: word }))
      const components = [{ type: 'body', parameters }]
      const content = { name, language: { code: 'en_US' }, components }
      return { messaging_product: 'whatsapp', to: phone, type: 'template', template: content }
    }
    await sent(template('ready', 'Ada', '17'))
    await refuses(await send(template('ready', 'Ada')), 400, 132000)
    await refuses(await send(template('unheard')), 404, 132001)
    await refuses(await send(template('paused')), 400, 132015)
    await refuses(await send(template('ready', 'Ada', 'two\nlines')), 400, 132018)
    await refuses(await send(template('ready', 'Ada', 'x'.repeat(1025))), 400, 132005)
    const listed = await ask('GET', `/v26.0/${cloud.waba}/message_templates?limit=1`)
    const page = (await listed.json()) as { data: unknown[]; paging: { next: string } }
    assert.deepEqual(faultsOfTemplatesAnswer(page), [])
    assert.equal(page.data.length, 1)
    const { pathname, search } = new URL(page.paging.next)
    const rest = (await (await ask('GET', pathname + search)).json()) as { data: { name: string }[] }
    assert.deepEqual(
      rest.data.map(({ name }) => name),
      ['paused'],
    )
    const fields = await ask('GET', `/v26.0/${cloud.waba}/message_templates?fields=name,colour`)
    await refuses(fields, 400, 100)
  })
})

describe('access', () => {
  test('needs a valid token and a version that is alive', async () => {
    await refuses(await ask('GET', `/v26.0/${cloud.number}`, undefined, 'wrong'), 401, 190)
    await cloud.control('token', { token: cloud.token, wabas: [cloud.waba], state: 'revoked' })
    await refuses(await send(text(phone)), 401, 190)
    await cloud.control('token', { token: cloud.token, wabas: [cloud.waba], state: 'without-permission' })
    await refuses(await send(text(phone)), 403, 10)
    await cloud.control('token', { token: cloud.token, wabas: ['200000000000009'], state: 'valid' })
    await refuses(await send(text(phone)), 400, 100)
    await cloud.control('token', { token: cloud.token, wabas: [cloud.waba], state: 'valid' })
    await refuses(await send(text(phone), 'v20.0'), 400, 2635)
    await refuses(await send(text(phone), 'v99.0'), 400, 2500)
    await sent(text(phone))
  })

  test('shows a number and the fields that are asked for', async () => {
    const answer = await ask('GET', `/v26.0/${cloud.number}?fields=quality_rating,status`)
    assert.deepEqual(await answer.json(), { id: cloud.number, quality_rating: 'GREEN', status: 'CONNECTED' })
    await refuses(await ask('GET', `/v26.0/${cloud.number}?fields=mood`), 400, 100)
    const list = (await (await ask('GET', `/v26.0/${cloud.waba}/phone_numbers`)).json()) as {
      data: unknown[]
    }
    assert.equal(list.data.length, 1)
  })
})

describe('a file', () => {
  const voice = Buffer.from(`OggS${'\0'.repeat(24)}OpusHead rest`)

  test('is uploaded, sent by its id, and looked at with the token', async () => {
    const id = await uploaded(voice, 'audio/ogg')
    const message = { messaging_product: 'whatsapp', to: phone, type: 'audio', audio: { id, voice: true } }
    assert.deepEqual(await statusesOf(await sent(message)), ['sent', 'delivered'])
    const sha256 = createHash('sha256').update(voice).digest('hex')
    assert.equal((await cloud.control('taken', {})).at(-1)?.file?.sha256, sha256)
    const about = (await (await ask('GET', `/v26.0/${id}`)).json()) as MediaAnswer
    assert.deepEqual(faultsOfMediaAnswer(about), [])
    const headers = { authorization: `Bearer ${cloud.token}` }
    assert.equal((await fetch(about.url)).status, 401)
    await cloud.control('token', { token: 'stranger', wabas: ['200000000000009'], state: 'valid' })
    const unknownToken = { authorization: 'Bearer stranger' }
    assert.equal((await fetch(about.url, { headers: unknownToken })).status, 401)
    assert.ok(voice.equals(Buffer.from(await (await fetch(about.url, { headers })).arrayBuffer())))
    await cloud.control('advance', { ms: 300_001 })
    assert.equal((await fetch(about.url, { headers })).status, 404)
    assert.equal((await ask('DELETE', `/v26.0/${id}`)).status, 200)
    await refuses(await ask('GET', `/v26.0/${id}`), 400, 100)
  })

  test('has a type and a size that the network takes, and belongs to its number', async () => {
    await refuses(await upload(voice, 'application/zip'), 400, 100)
    await refuses(await upload(Buffer.alloc(5 * 1024 * 1024 + 1), 'image/png'), 400, 131053)
    const pdf = await uploaded(voice, 'application/pdf')
    const image = { messaging_product: 'whatsapp', to: phone, type: 'image', image: { id: pdf } }
    assert.deepEqual(await statusesOf(await sent(image)), ['failed'])
    const other = '100000000000002'
    await cloud.control('number', { id: other, waba: cloud.waba, display_phone_number: '15550002222' })
    await refuses(await ask('POST', `/v26.0/${other}/messages`, image), 400, 131009)
    await refuses(await ask('GET', `/v26.0/${pdf}?phone_number_id=${other}`), 400, 100)
  })
})
