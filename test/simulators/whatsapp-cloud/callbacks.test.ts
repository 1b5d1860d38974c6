import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Act } from './acts.ts'
import { type CallbackReceiver, startCallbackReceiver } from './callback-receiver.ts'
import type { Faults } from './control.ts'
import { startWhatsAppCloud, type WhatsAppCloud } from './start-whatsapp-cloud.ts'

const phone = '4915112345678'

let cloud: WhatsAppCloud
let business: CallbackReceiver
let ada: string

before(async () => {
  cloud = await startWhatsAppCloud()
  ada = (await cloud.control('person', { phone, wrote_ago: 1000 })).user_id
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
  await cloud.control('app', { callback: business.url, verify_token: business.verifyToken, subscribe: true })
})

function ask(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${cloud.url}/v26.0${path}`, {
    method,
    headers: { authorization: `Bearer ${cloud.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

function send(): Promise<Response> {
  const content = { type: 'text', text: { body: 'Grüße 👋' }, biz_opaque_callback_data: 'msg_1' }
  return ask('POST', `/${cloud.number}/messages`, { messaging_product: 'whatsapp', to: phone, ...content })
}

/** Returns the statuses that are called back for a message with this fault. */
async function statusesWith(fault: Extract<Faults, { on: 'status' }>['fault']): Promise<string[]> {
  await cloud.fault('status', fault)
  const before = business.statuses().length
  assert.equal((await send()).status, 200)
  await cloud.control('webhooks', {})
  const those = business.statuses().slice(before)
  return those.map(({ status }) => status)
}

/** Counts the messages that the network took while this happened. */
async function takenDuring(happen: () => Promise<unknown>): Promise<number> {
  const before = (await cloud.control('taken', {})).length
  await happen()
  return (await cloud.control('taken', {})).length - before
}

describe('a callback', () => {
  test('is signed over its bytes, which are not those of JSON.stringify', async () => {
    await cloud.act(ada, { act: 'text', body: 'Grüße / 👋' })
    await cloud.control('webhooks', {})
    const [one] = business.received
    assert.equal(one?.isSigned, true)
    assert.equal(business.messages()[0]?.text?.body, 'Grüße / 👋')
    assert.notEqual(one?.body, JSON.stringify(one?.webhook))
  })

  test('is repeated until it is answered with 200', async () => {
    business.answers.push(500, 204, 503)
    await cloud.act(ada, { act: 'text', body: 'again' })
    const last = (await cloud.control('webhooks', {})).at(-1)
    assert.deepEqual(
      last?.attempts.map(({ status }) => status),
      [500, 204, 503, 200],
    )
    assert.deepEqual(new Set(business.received.map(({ body }) => body)).size, 1)
  })

  test('may hold much', async () => {
    await cloud.control('settings', { hold_webhooks: true })
    for (const body of ['one', 'two']) await cloud.act(ada, { act: 'text', body })
    for (const _ of [1, 2]) await send()
    assert.deepEqual(await cloud.control('flush', {}), { callbacks: 1 })
    await cloud.control('settings', { hold_webhooks: false })
    await cloud.control('webhooks', {})
    assert.deepEqual([business.messages().length, business.statuses().length], [2, 4])
    await cloud.control('flood', { count: 1000 })
    await cloud.control('webhooks', {})
    assert.deepEqual([business.received.length, business.statuses().length], [2, 1004])
  })

  test('goes to the override of its WABA or number, which is verified, unless it is about the account', async () => {
    const place = `/${cloud.waba}/subscribed_apps`
    const override = { override_callback_uri: `${business.url}/own`, verify_token: 'wrong' }
    assert.equal((await ask('POST', place, override)).status, 400)
    assert.equal((await ask('POST', place, { ...override, verify_token: 'verify-me' })).status, 200)
    await cloud.act(ada, { act: 'text', body: 'to the override' })
    const restricted = { event: 'ACCOUNT_RESTRICTION' }
    await cloud.control('announce', { field: 'account_update', value: restricted })
    const quality = { display_phone_number: cloud.displayPhoneNumber, event: 'FLAGGED' }
    await cloud.control('announce', { field: 'phone_number_quality_update', value: quality })
    await cloud.control('webhooks', {})
    const paths = business.received.map(({ path, webhook }) => [path, webhook.entry[0]?.changes[0]?.field])
    assert.deepEqual(paths.sort(), [
      ['/', 'account_update'],
      ['/', 'phone_number_quality_update'],
      ['/own', 'messages'],
    ])
    assert.equal((await ask('DELETE', place)).status, 200)
    await cloud.act(ada, { act: 'text', body: 'to nobody' })
    assert.equal((await cloud.control('webhooks', {})).at(-1)?.body.includes('to nobody'), false)
  })

  test('may be wrong: its signature, or its number', async () => {
    await cloud.fault('webhook', { kind: 'wrong-signature' })
    await cloud.act(ada, { act: 'text', body: 'forged' })
    await cloud.fault('webhook', { kind: 'unknown-number' })
    await cloud.act(ada, { act: 'text', body: 'of another' })
    await cloud.control('webhooks', {})
    assert.deepEqual(
      business.received.map(({ isSigned, body }) => [isSigned, body.includes('999999999999999')]),
      [
        [false, false],
        [true, true],
      ],
    )
  })
})

describe('statuses', () => {
  test('may be lost, doubled, turned round, or make no sense', async () => {
    assert.deepEqual(await statusesWith({ kind: 'lost' }), [])
    assert.deepEqual(await statusesWith({ kind: 'twice' }), ['sent', 'sent', 'delivered', 'delivered'])
    assert.deepEqual(await statusesWith({ kind: 'reversed' }), ['delivered', 'sent'])
    assert.deepEqual(await statusesWith({ kind: 'delivered-without-sent' }), ['delivered'])
    assert.deepEqual(await statusesWith({ kind: 'failed-after-sent', code: 131049 }), ['sent', 'failed'])
  })

  test('may come before the answer', async () => {
    await cloud.fault('status', { kind: 'before-answer' })
    assert.equal((await send()).status, 200)
    const states = business.statuses().map(({ status }) => status)
    assert.deepEqual(states, ['sent', 'delivered'])
  })

  test('that were lost are in the history', async () => {
    await cloud.fault('status', { kind: 'lost' })
    const { messages } = (await (await send()).json()) as { messages: [{ id: string }] }
    const query = new URLSearchParams({ message_id: messages[0].id, fields: 'message_id,events' })
    const history = (await (await ask('GET', `/${cloud.number}/message_history?${query}`)).json()) as {
      data: [{ events: { data: { delivery_status: string }[] } }]
    }
    const states = history.data[0].events.data.map(({ delivery_status }) => delivery_status)
    assert.deepEqual(states, ['SENT', 'DELIVERED'])
  })
})

describe('a person', () => {
  const bytes = Buffer.from('bytes').toString('base64')
  const acts: readonly (readonly [Act, string])[] = [
    [{ act: 'image', bytes, mime_type: 'image/jpeg', caption: 'look' }, 'image'],
    [{ act: 'document', bytes, mime_type: 'application/pdf', filename: 'a.pdf' }, 'document'],
    [{ act: 'voice', bytes, mime_type: 'audio/ogg; codecs=opus' }, 'audio'],
    [{ act: 'sticker', bytes, mime_type: 'image/webp' }, 'sticker'],
    [{ act: 'location', latitude: 52.5, longitude: 13.4 }, 'location'],
    [{ act: 'reaction', message_id: 'wamid.abc', emoji: '👍' }, 'reaction'],
    [{ act: 'text', body: 'yes', reply_to: 'wamid.abc' }, 'text'],
    [{ act: 'unsupported' }, 'unsupported'],
    [{ act: 'edit', message_id: 'wamid.abc', body: 'no' }, 'edit'],
    [{ act: 'delete', message_id: 'wamid.abc' }, 'revoke'],
  ]

  test('writes everything that there is', async () => {
    for (const [act] of acts) await cloud.act(ada, act)
    await cloud.control('webhooks', {})
    assert.deepEqual(
      business.messages().map(({ type }) => type),
      acts.map(([, type]) => type),
    )
    const file = business.messages()[0]?.image
    const headers = { authorization: `Bearer ${cloud.token}` }
    assert.equal(await (await fetch(file?.url ?? '', { headers })).text(), 'bytes')
    await cloud.control('settings', { media_urls: false })
    await cloud.act(ada, { act: 'audio', bytes, mime_type: 'audio/mpeg' })
    await cloud.control('webhooks', {})
    const audio = business.messages().at(-1)?.audio
    assert.deepEqual([audio?.voice, audio?.url], [false, undefined])
  })

  test('reads and plays, and what is read is marked', async () => {
    const { messages } = (await (await send()).json()) as { messages: [{ id: string }] }
    await cloud.act(ada, { act: 'read', message_id: messages[0].id })
    await cloud.act(ada, { act: 'play', message_id: messages[0].id })
    const written = await cloud.act(ada, { act: 'text', body: 'hello' })
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: written }
    assert.deepEqual(await (await ask('POST', `/${cloud.number}/messages`, read)).json(), { success: true })
    assert.deepEqual(await cloud.control('read', { message_id: written }), { read: true })
    await cloud.control('webhooks', {})
    const states = business.statuses().map(({ status }) => status)
    assert.deepEqual(states.sort(), ['delivered', 'played', 'read', 'sent'])
  })

  test('changes the number; the business writes on its phone', async () => {
    const { user_id: eve } = await cloud.control('person', { phone: '4915100000007' })
    await cloud.control('echo', { person: eve, body: 'from the phone' })
    await cloud.act(eve, { act: 'change-number', phone: '4915100000008' })
    await cloud.control('webhooks', {})
    const fields = business.received.flatMap(({ webhook }) => webhook.entry[0]?.changes[0]?.field)
    assert.deepEqual(fields, ['smb_message_echoes', 'messages'])
    await assert.rejects(cloud.act(eve, { act: 'text', body: 'hi' }), /no such person/)
  })
})

describe('an answer', () => {
  test('may be lost although the message was taken', async () => {
    for (const kind of ['cut', 'cut-in-answer', 'invalid-json'] as const) {
      await cloud.fault('http', { kind, operation: 'send' })
      const taken = takenDuring(() => assert.rejects(send().then((answer) => answer.json())))
      assert.equal(await taken, 1, kind)
    }
  })

  test('may be an error, with and without the form of the Graph API', async () => {
    await cloud.fault('http', { kind: 'graph-error' })
    await cloud.fault('http', { kind: 'graph-error', code: 80007 })
    await cloud.fault('http', { kind: 'status', status: 504, taken: true })
    const states: number[] = []
    const taken = await takenDuring(async () => {
      for (const _ of [1, 2, 3]) states.push((await send()).status)
    })
    assert.deepEqual([states, taken], [[500, 429, 504], 1])
  })

  test('may be late, or never end', async () => {
    await cloud.fault('http', { kind: 'delay', ms: 50 })
    assert.equal((await send()).status, 200)
    const { length } = await cloud.control('webhooks', {})
    await cloud.fault('http', { kind: 'endless' })
    const { body } = await send()
    let size = 0
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > 1_000_000) break
    }
    assert.ok(size > 1_000_000)
    // Statuses follow the answer, so they begin only when its reader is gone.
    await cloud.control('webhooks', { at_least: length + 1 })
  })

  test('may have a URL that is no longer valid', async () => {
    await cloud.control('settings', { media_urls: true })
    await cloud.fault('file', { kind: 'expired-url' })
    await cloud.act(ada, { act: 'image', bytes: 'aaaa', mime_type: 'image/jpeg' })
    await cloud.control('webhooks', {})
    const headers = { authorization: `Bearer ${cloud.token}` }
    assert.equal((await fetch(business.messages()[0]?.image?.url ?? '', { headers })).status, 404)
  })
})
