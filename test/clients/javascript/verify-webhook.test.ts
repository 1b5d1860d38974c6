import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  verifyWebhook,
  verifyWebhookBatch,
  WebhookVerificationError,
} from '../../../clients/javascript/src/index.ts'

/* Deliveries that are signed by the library of Standard Webhooks, and what is wrong with others. */

const secret = `whsec_${Buffer.from('a secret of 32 bytes, as it is..').toString('base64')}`
const other = `whsec_${Buffer.from('another secret of as many bytes.').toString('base64')}`
const event = { id: 'evt_1', type: 'message.received', data: { message: { text: 'Olá, ção' } } }
const body = JSON.stringify(event)

function headersOf(content = body, signedBy = secret, at = new Date()) {
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(signedBy).sign('evt_1', at, content),
  }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

describe('a delivery', () => {
  test('is taken as text and as bytes, with headers of Node.js and of fetch', async () => {
    assert.deepEqual(await verifyWebhook(body, headersOf(), secret), event)
    const bytes = new TextEncoder().encode(body)
    assert.deepEqual(await verifyWebhook(bytes, new Headers(headersOf()), [secret]), event)
    assert.deepEqual(await verifyWebhook(bytes.buffer, headersOf(), secret), event)
    assert.deepEqual(await verifyWebhook(Buffer.from(body), headersOf(), secret), event)
  })

  test('may be signed by one of several secrets, and by several at once', async () => {
    assert.deepEqual(await verifyWebhook(body, headersOf(), [other, secret]), event)
    const signatures = `${headersOf(body, other)['webhook-signature']} ${headersOf()['webhook-signature']} v2,AAAA`
    assert.deepEqual(
      await verifyWebhook(body, { ...headersOf(), 'webhook-signature': signatures }, secret),
      event,
    )
  })

  test('is refused if it was changed, is of another, or has no signature', async () => {
    const refused = (content: string, headers: Record<string, string>) =>
      assert.rejects(verifyWebhook(content, headers, [secret]), WebhookVerificationError)
    await refused(`${body} `, headersOf())
    await refused(body, headersOf(body, other))
    await refused(body, { ...headersOf(), 'webhook-id': 'evt_2' })
    await refused(body, { ...headersOf(), 'webhook-signature': 'v1,not base64' })
    await refused(body, { ...headersOf(), 'webhook-timestamp': 'now' })
    await refused(body, {})
  })

  test('is refused when it is more than five minutes old, unless more is allowed', async () => {
    assert.deepEqual(await verifyWebhook(body, headersOf(body, secret, minutesAgo(4)), secret), event)
    const old = headersOf(body, secret, minutesAgo(6))
    await assert.rejects(verifyWebhook(body, old, secret), /too old/)
    await assert.rejects(verifyWebhook(body, headersOf(body, secret, minutesAgo(-6)), secret), /too old/)
    assert.deepEqual(await verifyWebhook(body, old, secret, { toleranceSeconds: 600 }), event)
  })

  test('that was parsed already cannot be verified', async () => {
    await assert.rejects(verifyWebhook(event as never, headersOf(), secret), /raw body/)
    await assert.rejects(verifyWebhook(body, headersOf(), 'whsec_*'), TypeError)
  })

  test('may hold several events', async () => {
    const batch = JSON.stringify({ events: [event, event] })
    assert.deepEqual(await verifyWebhookBatch(batch, headersOf(batch), secret), [event, event])
    assert.deepEqual(await verifyWebhookBatch(body, headersOf(), secret), [event])
    await assert.rejects(verifyWebhook(batch, headersOf(batch), secret), /verifyWebhookBatch/)
  })
})
