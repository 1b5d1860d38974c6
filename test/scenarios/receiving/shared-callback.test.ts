import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ProblemError } from '../../../src/contract/client/client.ts'
import {
  createInstance,
  getInstance,
  replaceCredentials,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import {
  adminOf,
  CloudApp,
  type CloudNumber,
  callbacksCounted,
} from '../../kit/networks/whatsapp-cloud/app.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* One app of the operator serves the numbers of many organizations, and Meta calls one URL for all of them. */

const textsIn = async (client: CheckedClient, name: string) =>
  (await everythingReceived(client, name)).map(({ text }) => text)

const hears = (client: CheckedClient, name: string, last: string) =>
  eventually(
    `“${last}”`,
    () => textsIn(client, name),
    (texts) => texts.includes(last),
  )

describe('an app of the operator serves the numbers of a bakery and of a florist', {
  timeout: 120_000,
}, () => {
  let app: CloudApp
  let posthorn: Posthorn
  const lines: string[] = []
  let keys: readonly string[]
  let bakery: CheckedClient
  let florist: CheckedClient
  let breads: CloudNumber
  let roses: CloudNumber
  let write: (number: CloudNumber, body: string) => Promise<void>

  before(async () => {
    app = await CloudApp.start()
    ;[breads, roses] = [await app.number(), await app.number()]
    const log = { write: (line: string) => void lines.push(line) }
    posthorn = await startPosthorn({ environment: app.environment, log })
    keys = [await adminOf(posthorn, 'bakery'), await adminOf(posthorn, 'florist')]
    ;[bakery, florist] = keys.map((key) => posthorn.client(key)) as [CheckedClient, CheckedClient]
    const first = await app.create(bakery, 'shop', breads)
    const second = await app.create(florist, 'shop', roses)
    assert.deepEqual([first.status, second.status], ['connected', 'connected'])
    assert.ok(first.callback_url)
    assert.equal(second.callback_url, first.callback_url)
    await app.callAt(posthorn.url + first.callback_url)
    write = await app.person()
  })
  after(async () => {
    await posthorn?.stop()
    await app?.stop()
    const log = lines.join('')
    assert.ok(log.length > 0)
    for (const secret of [app.cloud.appSecret, app.verifyToken, breads.token, '/cb_0'])
      assert.ok(!log.includes(secret), 'no secret is logged, and no token in a path')
  })

  test('each gets its part of what Meta posts at once, and nothing of the other', async () => {
    await app.together(async () => {
      for (const [number, body] of [
        [breads, 'Two loaves, please'],
        [roses, 'Twelve roses, please'],
        [breads, 'And a cake'],
      ] as const)
        await write(number, body)
    })
    await hears(bakery, 'shop', 'And a cake')
    await hears(florist, 'shop', 'Twelve roses, please')
    assert.deepEqual(await textsIn(bakery, 'shop'), ['Two loaves, please', 'And a cake'])
    assert.deepEqual(await textsIn(florist, 'shop'), ['Twelve roses, please'])
    const [delivery] = await app.cloud.control('webhooks', {})
    assert.deepEqual(
      delivery?.attempts.map(({ status }) => status),
      [200],
    )
  })

  test('only those who are called back there see the URL, and an app of its own has one of its own', async () => {
    const reader = posthorn.client((await posthorn.createKey('bakery', 'read')).key)
    const params = { name: 'shop' }
    assert.equal((await reader.call(getInstance, { params })).body.callback_url, null)
    const { callback_url: shared } = (await bakery.call(getInstance, { params })).body
    const withApp = {
      access_token: breads.token,
      app_secret: 'a-secret-of-its-own',
      verify_token: 'its-own-word',
    }
    const replace = (credentials: Record<string, unknown>) =>
      bakery.call(replaceCredentials, { params, body: { credentials }, waitSeconds: 20 })
    const own = (await replace(withApp)).body
    assert.equal(own.status, 'connected')
    assert.notEqual(own.callback_url, shared)
    // A callback about its number is without an owner now.
    const before = await callbacksCounted(posthorn, 'unclaimed')
    await write(breads, 'Is anybody there?')
    await app.cloud.control('webhooks', {})
    assert.equal(await callbacksCounted(posthorn, 'unclaimed'), before + 1)
    assert.equal((await replace({ access_token: breads.token })).body.callback_url, shared)
    await write(breads, 'Hello again')
    await hears(bakery, 'shop', 'Hello again')
    assert.ok(!(await textsIn(bakery, 'shop')).includes('Is anybody there?'))
  })

  test('what Meta says about an account as a whole reaches its own instance only', async () => {
    const ban = (waba_ban_state: string) =>
      app.cloud.control('announce', {
        waba: breads.waba,
        field: 'account_update',
        value: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state, waba_ban_date: 'April 17, 2026' } },
      })
    const restrictionOf = async (client: CheckedClient) =>
      (await client.call(getInstance, { params: { name: 'shop' } })).body.restriction
    await app.together(async () => {
      await ban('DISABLE')
      await write(roses, 'Are you banned?')
    })
    await eventually(
      'the restriction',
      () => restrictionOf(bakery),
      (restriction) => restriction !== null,
    )
    await hears(florist, 'shop', 'Are you banned?')
    assert.equal(await restrictionOf(florist), null)
    await ban('REINSTATE')
    await eventually(
      'no restriction',
      () => restrictionOf(bakery),
      (restriction) => restriction === null,
    )
  })

  test('without the app of the operator an instance says so, and goes on when it is back', async () => {
    const restart = async (environment: Readonly<Record<string, string>>) => {
      posthorn = await posthorn.restart(environment)
      ;[bakery, florist] = keys.map((key) => posthorn.client(key)) as [CheckedClient, CheckedClient]
    }
    const params = { name: 'shop' }
    const path = (await bakery.call(getInstance, { params })).body.callback_url ?? ''
    const names = ['POSTHORN_WHATSAPP_CLOUD_APP_SECRET', 'POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN']
    await restart(Object.fromEntries(names.map((name) => [name, ''])))
    const read = async () => (await bakery.call(getInstance, { params })).body
    const isMissing = await eventually('the reason', read, ({ reason }) => reason?.code === 'app_missing')
    assert.equal(isMissing.callback_url, null)
    assert.equal((await fetch(posthorn.url + path)).status, 404)
    await restart(app.environment)
    await eventually('the bakery to be connected', read, ({ status }) => status === 'connected')
    await app.callAt(posthorn.url + path)
    await write(breads, 'Open again?')
    await hears(bakery, 'shop', 'Open again?')
  })

  test('half an app of its own is refused', async () => {
    const settings = { phone_number_id: '100000000000777' }
    const credentials = { access_token: 'EAAtoken', app_secret: 'a-secret-of-its-own' }
    const body = { name: 'half', network: 'whatsapp-cloud', settings, credentials }
    const refused = bakery.call(createInstance, { body })
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof ProblemError)
      assert.equal(error.problem.errors?.[0]?.pointer, '/credentials/verify_token')
      return true
    })
  })

  test('one that is stopped has its part kept, beside one that is not', async () => {
    const params = { name: 'shop' }
    await florist.call(stopInstance, { params, waitSeconds: 10 })
    await app.together(async () => {
      await write(roses, 'While you were out')
      await write(breads, 'Rolls')
    })
    await hears(bakery, 'shop', 'Rolls')
    posthorn = await posthorn.restart()
    ;[bakery, florist] = keys.map((key) => posthorn.client(key)) as [CheckedClient, CheckedClient]
    await app.callAt(posthorn.url + ((await florist.call(getInstance, { params })).body.callback_url ?? ''))
    await florist.call(startInstance, { params, waitSeconds: 10 })
    await hears(florist, 'shop', 'While you were out')
  })
})
