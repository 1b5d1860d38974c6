import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  getInstanceStatus,
  replaceCredentials,
} from '../../../../src/contract/operations/instance-operations.ts'
import { markMessageRead, sendMediaMessage } from '../../../../src/contract/operations/message-operations.ts'
import type { InstanceStatus } from '../../../../src/contract/resources/instance.ts'
import { eventually, everythingReceived, reaches, text } from '../../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../../kit/posthorn.ts'
import {
  startWhatsAppCloud,
  type WhatsAppCloud,
} from '../../../simulators/whatsapp-cloud/start-whatsapp-cloud.ts'

const phone = '4915112345678'
const to = `+${phone}`
const verify_token = 'a-word-of-our-own'

describe('a shop talks to Ada over the WhatsApp Cloud API', { timeout: 120_000 }, () => {
  let cloud: WhatsAppCloud
  let posthorn: Posthorn
  let ada: string
  let log = ''

  before(async () => {
    cloud = await startWhatsAppCloud()
    ada = (await cloud.control('person', { phone, receives: 'read', wrote_ago: 1_000 })).user_id
    const sink = new Writable({
      write(chunk, _encoding, done) {
        log += String(chunk)
        done()
      },
    })
    posthorn = await startPosthorn({
      environment: { POSTHORN_WHATSAPP_CLOUD_API: cloud.url },
      log: { write: (line: string) => void sink.write(line) },
    })
    const { body } = await posthorn.admin.call(createInstance, {
      body: {
        name: 'shop',
        network: 'whatsapp-cloud',
        settings: { phone_number_id: cloud.number, business_account_id: cloud.waba },
        credentials: credentials(cloud.token),
      },
      waitSeconds: 20,
    })
    assert.equal(body.status, 'connected', JSON.stringify(body.reason))
    // As a person does at Meta; the URL is checked before it is taken.
    const callback = `${posthorn.url}${body.callback_url}`
    await assert.rejects(cloud.control('app', { callback, verify_token: 'another-word', subscribe: true }))
    await cloud.control('app', { callback, verify_token, subscribe: true })
  })
  after(async () => {
    for (const secret of [cloud.token, cloud.appSecret, verify_token])
      assert.ok(!log.includes(secret), 'no secret is logged')
    await posthorn?.stop()
    await cloud?.stop()
  })

  const credentials = (access_token: string) => ({ access_token, app_secret: cloud.appSecret, verify_token })
  const say = (words: string, wait = 20) => text(posthorn.admin, { instance: 'shop', to, text: words }, wait)
  const taken = async () => (await cloud.control('taken', {})).length
  const received = (count: number) =>
    eventually(
      `${count} messages`,
      () => everythingReceived(posthorn.admin, 'shop'),
      ({ length }) => length >= count,
    )
  const isStatus = (status: InstanceStatus) =>
    eventually(
      `the status ${status}`,
      async () => (await posthorn.admin.call(getInstanceStatus, { params: { name: 'shop' } })).body,
      (connectivity) => connectivity.status === status,
    )

  test('a text is sent, delivered and read, as callbacks tell', async () => {
    const { account } = await isStatus('connected')
    assert.deepEqual(account, {
      address: '+15550001111',
      display_name: 'Posthorn',
      url: 'https://wa.me/15550001111',
    })
    const { id } = await say('Your order is ready.')
    const message = await reaches(posthorn.admin, id, 'read')
    const [seen] = await cloud.control('taken', { at_least: 1 })
    assert.equal(message.network_message_id, seen?.id)
    assert.ok(message.sent_at && message.delivered_at && message.read_at)
  })

  test('a file arrives byte for byte', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])
    const body = new FormData()
    for (const [name, value] of Object.entries({
      instance: 'shop',
      to,
      kind: 'document',
      caption: 'Your invoice',
    }))
      body.set(name, value)
    body.set('file', new Blob([bytes]), 'Größe.pdf')
    const { id } = (await posthorn.admin.call(sendMediaMessage, { body, waitSeconds: 20 })).body
    await reaches(posthorn.admin, id, 'read')
    const last = (await cloud.control('taken', {})).at(-1)
    const { caption, filename } = last?.request.document ?? {}
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.deepEqual([caption, filename, last?.file?.sha256], ['Your invoice', 'Größe.pdf', sha256])
  })

  test('a message whose answer was lost is unknown, until its status shows that it was sent, once', async () => {
    const before = await taken()
    await cloud.control('settings', { hold_webhooks: true })
    await cloud.fault('http', { operation: 'send', kind: 'cut' })
    const { id } = await say('Lost on the way back')
    const unknown = await reaches(posthorn.admin, id, 'unknown')
    assert.equal(unknown.network_message_id, null)
    await cloud.control('settings', { hold_webhooks: false })
    await cloud.control('flush', {})
    const proven = await reaches(posthorn.admin, id, 'read')
    assert.equal(await taken(), before + 1)
    assert.equal(proven.network_message_id, (await cloud.control('taken', {})).at(-1)?.id)
  })

  test('statuses may come before the answer, twice and turned round', async () => {
    for (const kind of ['before-answer', 'twice', 'reversed'] as const) {
      await cloud.fault('status', { kind })
      await reaches(posthorn.admin, (await say(`Statuses: ${kind}`)).id, 'read')
    }
  })

  test('a message that fails after it was sent is failed, with the reason', async () => {
    await cloud.fault('status', { kind: 'failed-after-sent', code: 131026 })
    const { error } = await reaches(posthorn.admin, (await say('Nobody is there')).id, 'failed')
    assert.deepEqual([error?.code, error?.network_code], ['recipient_unreachable', '131026'])
  })

  test('outside the window of a day a message fails', async () => {
    await cloud.control('person', { phone: '4915100000001', wrote_ago: 90_000_000 })
    const { id } = await text(posthorn.admin, { instance: 'shop', to: '+49 151 00000001' }, 20)
    const { error } = await reaches(posthorn.admin, id, 'failed')
    assert.equal(error?.code, 'outside_reply_window')
  })

  test('what Ada writes and sends is received, and she is told that it was read', async () => {
    const written = await cloud.act(ada, { act: 'text', body: 'Are you open? 👋' })
    const bytes = Buffer.from('a voice').toString('base64')
    await cloud.act(ada, { act: 'voice', bytes, mime_type: 'audio/ogg; codecs=opus' })
    const [first] = await received(2)
    assert.deepEqual([first?.text, first?.from, first?.to], ['Are you open? 👋', to, '+15550001111'])
    await eventually(
      'the bytes of the voice note',
      () => received(2),
      (all) => all[1]?.media?.size === 7,
    )
    const { id } = first ?? assert.fail()
    await posthorn.admin.call(markMessageRead, { params: { id } })
    assert.deepEqual(await cloud.control('read', { message_id: written }), { read: true })
  })

  test('a callback with a wrong signature says nothing', async () => {
    const before = (await everythingReceived(posthorn.admin, 'shop')).length
    await cloud.fault('webhook', { kind: 'wrong-signature', count: 1 })
    const forged = await cloud.act(ada, { act: 'text', body: 'forged' })
    const real = await cloud.act(ada, { act: 'text', body: 'real' })
    const all = await received(before + 1)
    assert.equal(all.at(-1)?.network_message_id, real)
    assert.ok(all.every(({ network_message_id }) => network_message_id !== forged))
  })

  test('a token that is revoked logs the instance out; with another one it goes on, and nothing is lost', async () => {
    const wabas = [cloud.waba]
    await cloud.control('token', { token: cloud.token, wabas, state: 'revoked' })
    const { id } = await say('Held up for a while', 0)
    const { reason } = await isStatus('logged_out')
    assert.equal(reason?.code, 'token_refused')
    await cloud.control('token', { token: 'EAAanother', wabas, state: 'valid' })
    const { body } = await posthorn.admin.call(replaceCredentials, {
      params: { name: 'shop' },
      body: { credentials: credentials('EAAanother') },
      waitSeconds: 20,
    })
    assert.equal(body.status, 'connected')
    await reaches(posthorn.admin, id, 'read')
  })
})
