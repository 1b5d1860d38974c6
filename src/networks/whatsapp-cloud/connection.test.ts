import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ObservedConnection } from '../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, endOf } from '../../../test/kit/networks/whatsapp-cloud/driver.ts'
import { whatsappCloud } from './driver.ts'

let far: CloudDriver

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(() => far.cloud.control('clear-faults', {}))

describe('connecting', () => {
  test('tells the account, and is open once the API accepted the token', async () => {
    const session = await far.open()
    assert.deepEqual(session.observations, [
      {
        kind: 'account-known',
        address: '+15550001111',
        display_name: 'Posthorn',
        url: 'https://wa.me/15550001111',
      },
      { kind: 'connection-opened' },
      { kind: 'caught-up', through: null },
    ])
    session.connection.probe()
    await session.sees('connection-verified')
    await session.close()
  })

  const refusals = [
    [{ credentials: { access_token: 'EAAwrong' } }, ['credentials-refused', 'token_refused']],
    [{ settings: { phone_number_id: '999999999' } }, ['connection-refused', 'number_unknown']],
    [{ settings: { api_version: 'v99.0' } }, ['connection-refused', 'version_refused']],
    [{ settings: { api_version: 'v20.0' } }, ['connection-refused', 'version_refused']],
  ] as const
  for (const [changes, end] of refusals) {
    test(`ends with ${end[1]} for ${JSON.stringify(changes)}`, async () => {
      const session = far.connect(changes)
      assert.deepEqual(await endOf(session), end)
      assert.deepEqual(session.kinds(), [end[0]])
      assert.ok(!JSON.stringify(session.observations).includes('EAA'))
    })
  }

  const losses = [
    [{ kind: 'cut' }, 'connection_reset'],
    [{ kind: 'hang' }, 'answer_timeout'],
    [{ kind: 'status', status: 502 }, 'server_error'],
    [{ kind: 'status', status: 404 }, 'not_cloud_api'],
    [{ kind: 'invalid-json' }, 'not_cloud_api'],
    [{ kind: 'endless' }, 'not_cloud_api'],
    [{ kind: 'redirect', location: 'https://elsewhere.test/' }, 'not_cloud_api'],
    [{ kind: 'graph-error', code: 131000 }, 'server_error'],
    [{ kind: 'graph-error', code: 80007 }, 'rate_limited'],
    [{ kind: 'graph-error', code: 1 }, 'server_error'],
    [{ kind: 'graph-error', code: 613 }, 'rate_limited'],
    [{ kind: 'graph-error', code: 80014 }, 'rate_limited'],
    [{ kind: 'graph-error', code: 368 }, 'account_blocked'],
    [{ kind: 'graph-error', code: 131009 }, 'question_refused'],
    [{ kind: 'graph-error', code: 131042 }, 'question_refused'],
    [{ kind: 'graph-error', code: 199_001, status: 429 }, 'rate_limited'],
    [{ kind: 'graph-error', code: 199_002, status: 400, transient: true }, 'server_error'],
    [{ kind: 'graph-error', code: 199_003, status: 400 }, 'question_refused'],
  ] as const
  for (const [fault, reason] of losses) {
    test(`is tried again after ${JSON.stringify(fault)}`, async () => {
      await far.cloud.fault('http', { operation: 'object', ...fault })
      assert.deepEqual(await endOf(far.connect()), ['connection-lost', reason])
    })
  }

  const ended = [
    [{ code: 102 }, ['credentials-refused', 'token_refused']],
    [{ code: 131005 }, ['credentials-refused', 'missing_permission']],
    [{ code: 199_004, status: 401 }, ['credentials-refused', 'token_refused']],
    [{ code: 199_005, status: 403 }, ['credentials-refused', 'missing_permission']],
    [{ code: 803 }, ['connection-refused', 'number_unknown']],
  ] as const
  for (const [error, end] of ended) {
    test(`waits for a person after the error ${error.code}`, async () => {
      await far.cloud.fault('http', { operation: 'object', kind: 'graph-error', ...error })
      assert.deepEqual(await endOf(far.connect()), end)
    })
  }

  test('says which code Meta refuses with, if nobody knows what it means', async () => {
    await far.cloud.fault('http', { operation: 'object', kind: 'graph-error', code: 131009 })
    const session = far.connect()
    const { reason } = await session.sees('connection-lost')
    assert.match(reason.detail, /Meta's code is `131009`\.$/)
  })

  test('is tried again if nobody answers, and given up if the operator does not allow it', async () => {
    const { settings, credentials } = far
    const withoutServer = whatsappCloud({ baseUrl: 'http://127.0.0.1:9' })
    const lost = await endOf(new ObservedConnection(withoutServer, { settings, credentials }))
    assert.deepEqual(lost, ['connection-lost', 'server_unreachable'])
    const forbidden = whatsappCloud({ baseUrl: 'http://10.0.0.1' })
    const refused = await endOf(new ObservedConnection(forbidden, { settings, credentials }))
    assert.deepEqual(refused, ['connection-refused', 'address_not_allowed'])
  })

  test('that Meta blocks the account is an answer to a probe, and holds messages up', async () => {
    const session = await far.open()
    await far.cloud.fault('http', { operation: 'object', kind: 'graph-error', code: 368 })
    session.connection.probe()
    const { restriction } = await session.sees('restriction')
    assert.deepEqual([restriction?.code, restriction?.scope], ['policy_block', 'all_messages'])
    await session.sees('connection-verified')
    await session.close()
  })

  test('a limit on requests is an answer to a probe', async () => {
    const session = await far.open()
    await far.cloud.fault('http', { operation: 'object', kind: 'graph-error', code: 4 })
    session.connection.probe()
    await session.sees('connection-verified')
    await session.close()
  })
})

describe('an app that wants every request proven', () => {
  const token = (app_secret?: string) =>
    far.cloud.control('token', {
      token: far.cloud.token,
      wabas: [far.cloud.waba],
      state: 'valid',
      ...(app_secret !== undefined && { app_secret }),
    })
  const wants = (require_proof: boolean) => far.cloud.control('settings', { require_proof })
  after(() => wants(false).then(() => token()))

  test('gets the proof with every request, and nobody else sees it', async () => {
    await wants(true)
    const ada = await far.person()
    const session = await far.open()
    assert.equal((await session.send(ada.address, 'Hello').outcome).kind, 'accepted')
    assert.equal((await session.connection.listTemplates?.(question))?.kind, 'listed')
    const proof = createHmac('sha256', far.cloud.appSecret).update(far.cloud.token).digest('hex')
    assert.ok(!JSON.stringify(session.observations).includes(proof))
    await session.close()
  })

  test('that is another one than the app that posts is not connected, and the reason says what to do', async () => {
    await wants(true)
    await token('the-secret-of-another-app')
    const session = far.connect()
    const { reason } = await session.sees('credentials-refused')
    assert.equal(reason.code, 'proof_refused')
    assert.match(reason.detail, /Set the secret of the app for which the token was made/)
    assert.ok(!reason.detail.includes(far.cloud.appSecret))
  })

  test('is not needed: a token of another app works without a proof', async () => {
    await wants(false)
    await token('the-secret-of-another-app')
    const ada = await far.person()
    const session = await far.open()
    assert.equal((await session.send(ada.address, 'Hello').outcome).kind, 'accepted')

    // The other app begins to want it.
    await wants(true)
    const outcome = await session.send(ada.address, 'Hello').outcome
    assert.ok(outcome.kind === 'rejected' && !outcome.error.permanent)
    assert.deepEqual(await endOf(session), ['credentials-refused', 'proof_refused'])
  })
})

const question = { limit: 10, after: null, signal: new AbortController().signal }

test('settings and credentials that are mixed up are refused', () => {
  const { check } = far.driver
  const same = { phone_number_id: '106540352242922', business_account_id: '106540352242922' }
  assert.deepEqual(
    check(same, { ...far.credentials, verify_token: far.cloud.appSecret }).map(({ pointer }) => pointer),
    ['/settings/business_account_id', '/credentials/verify_token'],
  )
  assert.deepEqual(check(far.settings, far.credentials), [])
})
