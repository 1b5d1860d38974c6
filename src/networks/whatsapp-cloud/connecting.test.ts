import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { CloudDriver, endOf } from '../../../test/kit/networks/cloud-driver.ts'
import { ObservedConnection } from '../../../test/kit/networks/observed-connection.ts'
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
    [{ kind: 'graph-error', code: 131009 }, 'question_refused'],
  ] as const
  for (const [fault, reason] of losses) {
    test(`is tried again after ${JSON.stringify(fault)}`, async () => {
      await far.cloud.fault('http', { operation: 'object', ...fault })
      assert.deepEqual(await endOf(far.connect()), ['connection-lost', reason])
    })
  }

  test('is tried again if nobody answers, and given up if the operator does not allow it', async () => {
    const { settings, credentials } = far
    const nobody = whatsappCloud({ baseUrl: 'http://127.0.0.1:9' })
    const lost = await endOf(new ObservedConnection(nobody, { settings, credentials }))
    assert.deepEqual(lost, ['connection-lost', 'server_unreachable'])
    const forbidden = whatsappCloud({ baseUrl: 'http://10.0.0.1' })
    const refused = await endOf(new ObservedConnection(forbidden, { settings, credentials }))
    assert.deepEqual(refused, ['connection-refused', 'address_not_allowed'])
  })

  test('a limit on requests is an answer to a probe', async () => {
    const session = await far.open()
    await far.cloud.fault('http', { operation: 'object', kind: 'graph-error', code: 4 })
    session.connection.probe()
    await session.sees('connection-verified')
    await session.close()
  })
})

test('settings and credentials that are mixed up are refused', () => {
  const { check } = far.driver
  const same = { phone_number_id: '106540352242922', business_account_id: '106540352242922' }
  assert.deepEqual(
    check(same, { ...far.credentials, verify_token: far.cloud.appSecret }).map(({ pointer }) => pointer),
    ['/settings/business_account_id', '/credentials/verify_token'],
  )
  assert.deepEqual(check(far.settings, far.credentials), [])
})
