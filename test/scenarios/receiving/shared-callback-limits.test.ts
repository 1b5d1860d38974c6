import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import {
  deleteInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import {
  adminOf,
  CloudApp,
  type CloudNumber,
  callbacksCounted,
} from '../../kit/networks/whatsapp-cloud/app.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { rowsIn } from '../../kit/rows.ts'
import { checkUsage } from '../../kit/usage.ts'

/* Posts of attackers to the URL of the operator, posts for an unknown number, and posts for an instance that has no room. */

describe('at the URL of the operator', { timeout: 120_000 }, () => {
  const limit = 2
  let app: CloudApp
  let posthorn: Posthorn
  let full: CheckedClient
  let resting: CheckedClient
  let busy: CheckedClient
  let numbers: readonly [full: CloudNumber, resting: CloudNumber, busy: CloudNumber]
  let url: string

  before(async () => {
    app = await CloudApp.start()
    numbers = [await app.number(), await app.number(), await app.number()]
    const environment = { ...app.environment, POSTHORN_CALLBACK_LIMIT: String(limit) }
    posthorn = await startPosthorn({ environment })
    const clients: CheckedClient[] = []
    for (const [index, name] of ['full', 'resting', 'busy'].entries()) {
      const client = posthorn.client(await adminOf(posthorn, name))
      const created = await app.create(client, 'shop', numbers[index] as CloudNumber)
      assert.equal(created.status, 'connected')
      url = `${posthorn.url}${created.callback_url}`
      clients.push(client)
    }
    ;[full, resting, busy] = clients as [CheckedClient, CheckedClient, CheckedClient]
    await app.callAt(url)
  })
  after(async () => {
    await posthorn?.stop()
    await app?.stop()
  })

  let posted = 0
  /** Meta's word about one number: a person wrote this. */
  const written = ({ id: phone_number_id }: Pick<CloudNumber, 'id'>, body: string) => {
    const message = {
      from: '4915112345678',
      id: `wamid.${++posted}`,
      timestamp: '1',
      type: 'text',
      text: { body },
    }
    const metadata = { display_phone_number: '15550010001', phone_number_id }
    return { field: 'messages', value: { messaging_product: 'whatsapp', metadata, messages: [message] } }
  }
  const callback = (...changes: object[]) =>
    JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes }] })
  const signatureOf = (body: string, secret: string) =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const post = async (body: string, signature = signatureOf(body, app.cloud.appSecret)) => {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
    return (await fetch(url, { method: 'POST', body, headers })).status
  }
  const texts = async (client: CheckedClient) =>
    (await everythingReceived(client, 'shop')).map(({ text }) => text)
  const hears = (client: CheckedClient, body: string) =>
    eventually(
      `“${body}”`,
      () => texts(client),
      (all) => all.includes(body),
    )
  const waiting = async (client: CheckedClient) => (await client.call(getQuotas, {})).body.waiting_callbacks
  const rows = async () =>
    Number((await rowsIn<{ n: number }>(posthorn.data, 'select count(*) as n from callbacks'))[0]?.n)
  const params = { name: 'shop' }

  test('nothing is taken that the app did not sign, nor what is signed with the secret of an instance', async () => {
    const body = callback(written(numbers[2], 'Forged'))
    for (const signature of [
      '',
      signatureOf(body, 'another-secret'),
      signatureOf(`${body} `, app.cloud.appSecret),
    ])
      assert.equal(await post(body, signature), 401)
    const check = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '1' })
    assert.equal((await fetch(`${url}?${check}&hub.verify_token=a-guess`)).status, 403)
    assert.equal(await rows(), 0)
    assert.ok(!(await texts(busy)).includes('Forged'))
  })

  test('what is about a number that nobody has claimed is dropped and counted, and the rest is kept', async () => {
    const before = await callbacksCounted(posthorn, 'unclaimed')
    const strange = written({ id: '999999999999999' }, 'To nobody')
    assert.equal(await post(callback(strange)), 200)
    assert.equal(await post(callback(strange, written(numbers[2], 'To somebody'), strange)), 200)
    await hears(busy, 'To somebody')
    assert.equal(await callbacksCounted(posthorn, 'unclaimed'), before + 2)
    assert.equal(await post('{"object":"page"}'), 200)
    assert.equal(await post('no JSON'), 200)
    assert.equal(await rows(), 0)
  })

  test('one that is full costs nobody else anything, and nothing is lost', async () => {
    for (const client of [full, resting]) await client.call(stopInstance, { params, waitSeconds: 10 })
    // A callback for it alone is refused at its limit, so the network repeats that, and that alone.
    for (const body of ['one', 'two']) assert.equal(await post(callback(written(numbers[0], body))), 200)
    const alone = callback(written(numbers[0], 'alone'))
    assert.equal(await post(alone), 503)
    assert.deepEqual(await waiting(full), { used: 2, limit: 5 * limit, remaining: 5 * limit - 2 })
    // A callback for others, too, is kept beyond it, so that the network need not repeat it to them.
    for (const body of ['three', 'four'])
      assert.equal(await post(callback(written(numbers[0], body), written(numbers[2], body))), 200)
    await hears(busy, 'four')
    // Beyond twice the limit, it has to be repeated; those who have their part do not get it again.
    const mixed = callback(
      written(numbers[0], 'five'),
      written(numbers[1], 'Only once'),
      written(numbers[2], 'Only once'),
    )
    for (let time = 0; time < 3; time++) assert.equal(await post(mixed), 503)
    assert.equal((await waiting(resting)).used, 1)
    assert.equal(await callbacksCounted(posthorn, 'repeated'), 4)
    await hears(busy, 'Only once')
    for (const client of [full, resting]) await client.call(startInstance, { params, waitSeconds: 10 })
    await hears(full, 'four')
    await eventually('nothing to wait', rows, (count) => count === 0)
    assert.deepEqual([await post(mixed), await post(alone)], [200, 200])
    await hears(full, 'alone')
    await eventually('nothing to wait', rows, (count) => count === 0)
    assert.deepEqual(await texts(full), ['one', 'two', 'three', 'four', 'five', 'alone'])
    assert.deepEqual(await texts(resting), ['Only once'])
    assert.deepEqual((await texts(busy)).slice(-3), ['three', 'four', 'Only once'])
    await checkUsage(posthorn.data)
  })

  test('what is known of a callback goes with its instance', async () => {
    const parts = () => rowsIn<{ n: number }>(posthorn.data, 'select count(*) as n from kept_parts')
    assert.ok(Number((await parts())[0]?.n) > 0)
    for (const client of [resting, busy]) await client.call(deleteInstance, { params })
    assert.equal(Number((await parts())[0]?.n), 0)
  })

  test('strangers who begin more than can be held, and end nothing, keep the network from nothing', async () => {
    assert.equal(await post('x'.repeat(3 * 1024 * 1024 + 1)), 413)
    const length = 3 * 1024 * 1024
    const begun = Array.from({ length: 22 * 3 }, (_, index) => {
      const localAddress = `127.0.0.${2 + Math.floor(index / 3)}`
      const headers = { host: 'localhost', 'content-length': length }
      const one = request(url, { method: 'POST', localAddress, headers }).on('error', () => {})
      one.write(Buffer.alloc(length - 1))
      return one
    })
    const answers = begun.map(async (one) => {
      const [{ statusCode }] = await once(one, 'response')
      return statusCode
    })
    // Together they send more than may be held, so one is given up: the first of them.
    assert.equal(await Promise.race(answers), 503)
    assert.equal(await post(callback(written(numbers[0], 'In between'))), 200)
    await hears(full, 'In between')
    for (const one of begun) one.destroy()
  })
})
