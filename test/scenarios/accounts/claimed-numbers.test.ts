import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  deleteInstance,
  getInstanceStatus,
  replaceCredentials,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { Instance, InstanceStatus } from '../../../src/contract/resources/instance.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { adminOf, CloudApp, type CloudNumber } from '../../kit/networks/whatsapp-cloud/app.ts'
import { eventually, everythingReceived } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* A number at the app of the operator belongs to one instance: the first that proves to reach it, until its proof is worth nothing. */

describe('a number at the app of the operator', { timeout: 120_000 }, () => {
  let app: CloudApp
  let posthorn: Posthorn
  let first: CheckedClient
  let second: CheckedClient
  let write: (number: CloudNumber, body: string) => Promise<void>

  before(async () => {
    app = await CloudApp.start()
    posthorn = await startPosthorn({ environment: app.environment })
    first = posthorn.client(await adminOf(posthorn, 'first'))
    second = posthorn.client(await adminOf(posthorn, 'second'))
    const { callback_url } = await app.create(first, 'to-learn-the-url', await app.number())
    await app.callAt(`${posthorn.url}${callback_url}`)
    write = await app.person()
  })
  after(async () => {
    await posthorn?.stop()
    await app?.stop()
  })

  const number = async () => {
    const created = await app.number()
    await app.cloud.control('subscribe', { waba: created.waba })
    return created
  }
  const isLike = ({ status, reason }: Pick<Instance, 'status' | 'reason'>) => [status, reason?.code]
  const texts = async (client: CheckedClient, name: string) =>
    (await everythingReceived(client, name)).map(({ text }) => text)
  const hears = (client: CheckedClient, name: string, body: string) =>
    eventually(
      `“${body}”`,
      () => texts(client, name),
      (all) => all.includes(body),
    )
  const becomes = (client: CheckedClient, name: string, status: InstanceStatus) =>
    eventually(
      `${name} to be ${status}`,
      async () => (await client.call(getInstanceStatus, { params: { name } })).body,
      (now) => now.status === status,
    )
  const waiting = async (client: CheckedClient) =>
    (await client.call(getQuotas, {})).body.waiting_callbacks.used
  const start = (client: CheckedClient, name: string) => app.start(client, name)

  test('is not that of whoever names it: without a token for it, nobody is kept from it, and nothing is received', async () => {
    const own = await number()
    const theirs = await number()
    for (const [name, token] of [
      ['guess', 'EAAmade-up'],
      ['strange', own.token],
    ] as const) {
      const squatter = await app.create(second, name, { ...theirs, token })
      assert.notEqual(squatter.status, 'connected')
      assert.notEqual(squatter.reason?.code, 'account_taken')
      await second.call(deleteInstance, { params: { name } })
    }
    const squatter = await app.create(second, 'squatter', { ...theirs, token: own.token })
    assert.deepEqual(isLike(squatter), ['failed', 'number_unknown'])
    assert.equal((await app.create(first, 'owner', theirs)).status, 'connected')
    await write(theirs, 'For the owner')
    await hears(first, 'owner', 'For the owner')
    // Neither before nor after is it told that another has the number.
    assert.deepEqual(isLike(await start(second, 'squatter')), ['failed', 'number_unknown'])
    assert.deepEqual(await texts(second, 'squatter'), [])
  })

  test('comes with no account that the token does not reach', async () => {
    const own = await number()
    const theirs = await number()
    const curious = await app.create(second, 'curious', { ...own, waba: theirs.waba })
    assert.deepEqual(isLike(curious), ['failed', 'business_account_unknown'])
  })

  test('is taken, and free again once its instance is removed', async () => {
    const shared = await number()
    assert.equal((await app.create(first, 'holder', shared)).status, 'connected')
    const late = await app.create(second, 'late', shared)
    assert.deepEqual(isLike(late), ['failed', 'account_taken'])
    assert.ok(!JSON.stringify(late).includes('holder'))
    await write(shared, 'For the holder')
    await hears(first, 'holder', 'For the holder')
    assert.deepEqual(await texts(second, 'late'), [])
    await first.call(deleteInstance, { params: { name: 'holder' } })
    assert.equal((await start(second, 'late')).status, 'connected')
    await write(shared, 'For the heir')
    await hears(second, 'late', 'For the heir')
    assert.ok(!(await texts(second, 'late')).includes('For the holder'))
  })

  test('is free once its instance uses an app of its own, and taken when that comes back', async () => {
    const shared = await number()
    const params = { name: 'leaving' }
    assert.equal((await app.create(first, 'leaving', shared)).status, 'connected')
    const replace = async (more: Record<string, string>) => {
      const body = { credentials: { access_token: shared.token, ...more } }
      return (await first.call(replaceCredentials, { params, body, waitSeconds: 20 })).body
    }
    const own = await replace({ app_secret: 'a-secret-of-its-own', verify_token: 'its-own-word' })
    assert.equal(own.status, 'connected')
    assert.equal((await app.create(second, 'coming', shared)).status, 'connected')
    assert.deepEqual(isLike(await replace({})), ['failed', 'account_taken'])
  })

  test('is lost by an instance that the network refuses, to another that it does not', async () => {
    const shared = await number()
    assert.equal((await app.create(first, 'expired', shared)).status, 'connected')
    const { waba, token } = shared
    await app.cloud.control('token', { token, wabas: [waba], state: 'revoked' })
    await first.call(replaceCredentials, {
      params: { name: 'expired' },
      body: { credentials: { access_token: token } },
      waitSeconds: 20,
    })
    await becomes(first, 'expired', 'logged_out')
    // Until another instance proves to reach it, its callbacks are kept for it.
    await write(shared, 'Kept')
    await app.cloud.control('webhooks', {})
    await app.cloud.control('token', { token: 'EAAfresh', wabas: [waba], state: 'valid' })
    const heir = await app.create(second, 'successor', { ...shared, token: 'EAAfresh' })
    assert.equal(heir.status, 'connected')
    await write(shared, 'Moved')
    await hears(second, 'successor', 'Moved')
    assert.deepEqual(await texts(second, 'successor'), ['Moved'])
    await app.cloud.control('token', { token, wabas: [waba], state: 'valid' })
    assert.deepEqual(isLike(await start(first, 'expired')), ['failed', 'account_taken'])
  })

  /** A number that an agency holds with a token of its own, and the token of its owner. */
  const held = async (name: string) => {
    const shared = await number()
    const tokens = { agency: `EAAagency-${name}`, owner: shared.token }
    await token(tokens.agency, shared.waba, 'valid')
    assert.equal((await app.create(second, name, { ...shared, token: tokens.agency })).status, 'connected')
    return { ...shared, ...tokens }
  }
  const token = (value: string, waba: string, state: 'valid' | 'revoked') =>
    app.cloud.control('token', { token: value, wabas: [waba], state })
  const stop = (client: CheckedClient, name: string) =>
    client.call(stopInstance, { params: { name }, waitSeconds: 10 })

  test('goes back to its owner, who has revoked the token of a holder that is stopped', async () => {
    const shared = await held('ex-agency')
    await stop(second, 'ex-agency')
    await write(shared, 'Before')
    await app.cloud.control('webhooks', {})
    await token(shared.agency, shared.waba, 'revoked')
    assert.equal((await app.create(first, 'back-home', shared)).status, 'connected')
    await write(shared, 'After')
    await hears(first, 'back-home', 'After')
    assert.deepEqual(await texts(first, 'back-home'), ['After'], 'what was kept for the other stays there')
    assert.deepEqual(await waiting(second), 1)
    assert.deepEqual(isLike(await start(second, 'ex-agency')), ['logged_out', 'token_refused'])
    await token(shared.agency, shared.waba, 'valid')
    assert.deepEqual(isLike(await start(second, 'ex-agency')), ['failed', 'account_taken'])
    assert.deepEqual(await texts(second, 'ex-agency'), [])
  })

  test('goes to another when the credentials of a holder that is stopped were replaced by some that do not reach it', async () => {
    const shared = await held('bogus')
    await stop(second, 'bogus')
    const body = { credentials: { access_token: 'EAAmade-up' } }
    await second.call(replaceCredentials, { params: { name: 'bogus' }, body })
    assert.equal((await app.create(first, 'no-bogus', shared)).status, 'connected')
    await write(shared, 'For the real one')
    await hears(first, 'no-bogus', 'For the real one')
  })

  test('stays with a holder that is stopped for a night, and whose token still reaches it', async () => {
    const shared = await held('asleep')
    await stop(second, 'asleep')
    assert.deepEqual(isLike(await app.create(first, 'burglar', shared)), ['failed', 'account_taken'])
    await write(shared, 'In the night')
    await start(second, 'asleep')
    await hears(second, 'asleep', 'In the night')
    assert.deepEqual(await texts(first, 'burglar'), [])
  })

  test('is lost at once by a holder that is connected with a token that was revoked', async () => {
    const shared = await held('unaware')
    await write(shared, 'Before')
    await hears(second, 'unaware', 'Before')
    await token(shared.agency, shared.waba, 'revoked')
    assert.equal((await app.create(first, 'aware', shared)).status, 'connected')
    const holder = await becomes(second, 'unaware', 'failed')
    assert.deepEqual(isLike(holder), ['failed', 'account_taken'])
    await write(shared, 'After')
    await hears(first, 'aware', 'After')
    assert.deepEqual(await texts(second, 'unaware'), ['Before'])
  })

  test('goes to one of two that ask at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const contested = await number()
      const name = `racer-${round}`
      const both = await Promise.all([first, second].map((client) => app.create(client, name, contested)))
      assert.deepEqual(
        both.map(({ status }) => status).toSorted(),
        ['connected', 'failed'],
        JSON.stringify(both.map(isLike)),
      )
      await write(contested, 'To the winner')
      const [winner] = both[0]?.status === 'connected' ? [first] : [second]
      await hears(winner as CheckedClient, name, 'To the winner')
    }
  })
})
