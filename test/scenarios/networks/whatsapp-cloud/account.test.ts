import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listEvents } from '../../../../src/contract/operations/event-operations.ts'
import { createInstance, getInstanceStatus } from '../../../../src/contract/operations/instance-operations.ts'
import type { InstanceEventData } from '../../../../src/contract/resources/event.ts'
import { whatsappCloud } from '../../../../src/networks/whatsapp-cloud/driver.ts'
import { CloudStage } from '../../../kit/networks/whatsapp-cloud/stage.ts'
import { eventually, reaches, text } from '../../../kit/play.ts'
import { startPosthorn } from '../../../kit/posthorn.ts'

let stage: CloudStage
before(async () => {
  stage = await CloudStage.start()
})
after(() => stage.stop())

test('what Meta restricts is shown and told, holds messages up, and ends when Meta lifts it', async () => {
  const number = await stage.number()
  const { waba, instance } = number
  await stage.callApp(number)
  const ban = (waba_ban_state: string) =>
    stage.cloud.control('announce', {
      waba,
      field: 'account_update',
      value: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state, waba_ban_date: 'April 17, 2026' } },
    })
  const until = (isRestricted: boolean) =>
    eventually(
      `the instance ${isRestricted ? 'to be' : 'not to be'} restricted`,
      () => stage.statusOf(number),
      ({ restriction }) => (restriction !== null) === isRestricted,
    )
  await ban('DISABLE')
  const { status, sendable, restriction } = await until(true)
  assert.deepEqual(
    [status, sendable, restriction?.code, restriction?.scope],
    ['connected', false, 'account_disabled', 'all_messages'],
  )
  const waiting = await text(stage.posthorn.admin, { instance, to: await stage.person() }, 1)
  assert.deepEqual([waiting.status, waiting.attempts], ['queued', 0])
  await ban('REINSTATE')
  await until(false)
  await reaches(stage.posthorn.admin, waiting.id, 'read')
  const { data } = (
    await stage.posthorn.admin.call(listEvents, {
      query: { instances: [instance], types: ['instance.restriction_changed'] },
    })
  ).body
  assert.deepEqual(
    data.map((event) => (event.data as InstanceEventData).instance.restriction?.code ?? null),
    ['account_disabled', null],
  )
})

test('a restriction until a time that makes no sense is shown with its reason, and ends when Meta lifts it', async () => {
  const number = await stage.number()
  const { waba, instance } = number
  await stage.callApp(number)
  const restrict = (restriction_info: object[]) =>
    stage.cloud.control('announce', {
      waba,
      field: 'account_update',
      value: { event: 'ACCOUNT_RESTRICTION', restriction_info },
    })
  const restriction_type = 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING'
  for (const expiration of [2 ** 53 - 1, Date.now() + 7_200_000]) {
    await restrict([{ restriction_type, expiration }])
    const { sendable, restriction } = await eventually(
      'the restriction',
      () => stage.statusOf(number),
      (now) => now.restriction !== null,
    )
    assert.deepEqual([sendable, restriction?.code], [false, 'account_restricted'])
    const ends = Date.parse(restriction?.ends_at ?? '')
    assert.ok(Math.abs(ends - Date.now() - 86_400_000) < 60_000, `it ends at ${restriction?.ends_at}`)
    await restrict([])
    await eventually(
      'no restriction',
      () => stage.statusOf(number),
      (now) => now.restriction === null,
    )
  }
  await reaches(
    stage.posthorn.admin,
    (await text(stage.posthorn.admin, { instance, to: await stage.person() })).id,
    'read',
  )
})

test('a token that is revoked is noticed within one interval of the probe, without a message', async (context) => {
  const { cloud } = stage
  const driver = whatsappCloud({ baseUrl: cloud.url })
  const posthorn = await startPosthorn({
    environment: { POSTHORN_DEFAULT_NETWORK: 'whatsapp-cloud' },
    drivers: [{ ...driver, limits: { ...driver.limits, probe_after_seconds: 1 } }],
  })
  context.after(() => posthorn.stop())
  const credentials = { access_token: cloud.token, app_secret: cloud.appSecret, verify_token: 'verify-me' }
  const body = { name: 'quiet', settings: { phone_number_id: cloud.number }, credentials }
  await posthorn.admin.call(createInstance, { body: { ...body, network: 'whatsapp-cloud' }, waitSeconds: 20 })
  const read = async () => (await posthorn.admin.call(getInstanceStatus, { params: { name: 'quiet' } })).body
  assert.equal((await read()).status, 'connected')
  await cloud.control('token', { token: cloud.token, wabas: [cloud.waba], state: 'revoked' })
  const revoked = Date.now()
  const { reason, status_since } = await eventually('the end', read, ({ status }) => status === 'logged_out')
  assert.equal(reason?.code, 'token_refused')
  const noticed = Date.parse(status_since) - revoked
  assert.ok(noticed < 1_000 + driver.limits.probe_timeout_seconds * 1_000, `noticed after ${noticed} ms`)
})
