import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { ObservedConnection } from '../../../../test/kit/networks/observed-connection.ts'
import { CloudDriver, type CloudPerson, endOf } from '../../../../test/kit/networks/whatsapp-cloud/driver.ts'
import { eventually } from '../../../../test/kit/play.ts'
import type { Observation, Restriction } from '../../driver/observation.ts'

let far: CloudDriver
let ada: CloudPerson
let session: ObservedConnection

before(async () => {
  far = await CloudDriver.start()
})
after(() => far.stop())
beforeEach(async () => {
  await far.cloud.control('clear-faults', {})
  await far.cloud.control('rate', { quality_rating: 'GREEN' })
  ada = await far.person()
  session = await far.open()
  await far.handOver(session)
})
afterEach(() => session.close())

const hour = 3_600_000

type Announced = Parameters<typeof far.cloud.control<'announce'>>[1]

/** Meta says this of the account; returns what the connection reported, without that the API answered. */
async function announce(
  value: Announced['value'],
  field: Announced['field'] = 'account_update',
): Promise<Observation[]> {
  await far.cloud.control('announce', { field, value })
  return (await far.handOver(session)).filter(({ kind }) => kind !== 'connection-verified')
}

/** Returns the restrictions then, in a few words; nothing if nothing new was reported. */
function brief(seen: readonly Observation[]): string[] {
  return seen.map((one) => {
    if (one.kind !== 'restriction') return one.kind
    const { code, scope, ends_at } = one.restriction ?? {}
    if (code === undefined) return 'nothing'
    if (ends_at == null) return `${code} ${scope}`
    return `${code} ${scope} for ${Math.round((ends_at - Date.now()) / hour)} h`
  })
}

const seconds = (at: number) => Math.floor(at / 1000)
const restriction = (...types: [string, unknown?][]) => ({
  event: 'ACCOUNT_RESTRICTION',
  restriction_info: types.map(([restriction_type, expiration]) => ({ restriction_type, expiration })),
})
const ban = (waba_ban_state: string) => ({
  event: 'DISABLED_UPDATE',
  ban_info: { waba_ban_state, waba_ban_date: 'April 17, 2026' },
})
const inTwoHours = () => Date.now() + 2 * hour

describe('what Meta says of the account', () => {
  test('restricts whom it may write to, until the time that Meta names, in either form', async () => {
    const at = inTwoHours()
    const first = restriction(['RESTRICTED_BIZ_INITIATED_MESSAGING', seconds(at)])
    assert.deepEqual(brief(await announce(first)), ['account_restricted new_contacts for 2 h'])
    const iso = new Date(at).toISOString().replace(/\.\d+Z$/, '+0000')
    const both = restriction(
      ['RESTRICTED_BIZ_INITIATED_MESSAGING', iso],
      ['RESTRICTED_CUSTOMER_INITIATED_MESSAGING', iso],
    )
    const [seen] = await announce(both)
    assert.ok(seen?.kind === 'restriction')
    assert.deepEqual(
      [seen.restriction?.scope, seen.restriction?.ends_at],
      ['all_messages', seconds(at) * 1000],
    )
  })

  test('restricts for a day if the time that Meta names makes no sense', async () => {
    for (const odd of [
      2 ** 53 - 1,
      Date.now() + 2 * hour,
      -5,
      '99999999999999',
      '9999-12-31T23:59:59-23:59',
    ]) {
      const type = 'RESTRICTED_BIZ_INITIATED_MESSAGING'
      const day = ['account_restricted new_contacts for 24 h']
      assert.deepEqual(brief(await announce(restriction([type, odd]))), day, String(odd))
      await announce(restriction())
    }
  })

  test('is shown as it is called if nobody knows it, and then holds nothing up', async () => {
    const [seen] = await announce(restriction(['RESTRICTED_SINGING', String(seconds(inTwoHours()))]))
    assert.ok(seen?.kind === 'restriction')
    assert.equal(seen.restriction?.scope, 'none')
    assert.match(seen.restriction.detail, /Meta calls the restriction RESTRICTED_SINGING\.$/)
    const hostile = await announce(restriction(['<script>'], ['RESTRICTED_BIZ_INITIATED_MESSAGING', 'soon']))
    assert.deepEqual(brief(hostile), ['account_restricted new_contacts for 24 h'])
  })

  test('is lifted when Meta restricts nothing any more, or what it restricts is over', async () => {
    const type = 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING'
    for (const over of [restriction(), restriction([type, seconds(Date.now() - hour)])]) {
      assert.equal((await announce(restriction([type, seconds(inTwoHours())]))).length, 1)
      assert.deepEqual(brief(await announce(over)), ['nothing'])
    }
    assert.deepEqual(await announce(restriction()), [], 'nothing changes')
  })

  test('is that it is disabled, until it is reinstated', async () => {
    assert.deepEqual(brief(await announce(ban('SCHEDULE_FOR_DISABLE'))), [
      'account_disabled_soon none for 168 h',
    ])
    assert.deepEqual(brief(await announce(ban('DISABLE'))), ['account_disabled all_messages for 24 h'])
    assert.deepEqual(brief(await announce(ban('REINSTATE'))), ['nothing'])
  })

  test('is that the number moved to another phone, until it is connected again', async () => {
    const offboarded = await announce({ event: 'ACCOUNT_OFFBOARDED' })
    assert.deepEqual(brief(offboarded), ['account_offboarded all_messages for 1 h'])
    assert.deepEqual(brief(await announce({ event: 'ACCOUNT_RECONNECTED' })), ['nothing'])
  })

  test('is a warning, which does not hide a restriction', async () => {
    const violation = { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'ADULT' } }
    assert.deepEqual(brief(await announce(violation)), ['account_violation none for 168 h'])
    const rejected = await announce({ decision: 'REJECTED' }, 'account_review_update')
    assert.deepEqual(brief(rejected), ['account_not_approved none for 168 h'])
    assert.deepEqual(brief(await announce({ decision: 'APPROVED' }, 'account_review_update')), ['nothing'])
    await announce(ban('DISABLE'))
    assert.deepEqual(await announce(violation), [])
  })

  test('is how it rates the number, which the API says itself', async () => {
    const changed = { display_phone_number: '15550001111', event: 'DOWNGRADE' }
    const field = 'phone_number_quality_update'
    await far.cloud.control('rate', { quality_rating: 'RED' })
    await announce(changed, field)
    await session.sees('restriction', (seen) => seen.restriction?.code === 'quality_low')
    await far.cloud.control('rate', { quality_rating: 'YELLOW' })
    session.connection.probe()
    await session.sees('restriction', (seen) => seen.restriction === null)
    await far.cloud.control('rate', { quality_rating: 'RED' })
    const next = await far.open()
    const { restriction } = await next.sees('restriction')
    assert.deepEqual(
      [restriction?.code, restriction?.scope, restriction?.ends_at],
      ['quality_low', 'none', null],
    )
    await next.close()
  })

  test('outlasts the connection that heard it', async () => {
    const [seen] = await announce(ban('DISABLE'))
    assert.ok(seen?.kind === 'restriction' && seen.restriction)
    const next = far.connect({ restriction: seen.restriction })
    await next.sees('caught-up')
    await far.cloud.control('announce', { field: 'account_update', value: ban('REINSTATE') })
    assert.deepEqual(brief((await far.handOver(next)).filter(({ kind }) => kind === 'restriction')), [
      'nothing',
    ])
    await next.close()
  })

  test('makes Posthorn look whether it still may use the number', async () => {
    await far.cloud.control('token', { token: far.cloud.token, wabas: [far.cloud.waba], state: 'revoked' })
    await announce({ event: 'PARTNER_REMOVED' })
    assert.deepEqual(await endOf(session), ['credentials-refused', 'token_refused'])
    await far.cloud.control('token', { token: far.cloud.token, wabas: [far.cloud.waba], state: 'valid' })
  })

  for (const [event, code, scope] of [
    ['ACCOUNT_DELETED', 'account_deleted', 'all_messages for 24 h'],
    ['PARTNER_REMOVED', 'partner_removed', 'none for 168 h'],
    ['PARTNER_APP_UNINSTALLED', 'partner_removed', 'none for 168 h'],
  ] as const)
    test(`is ${event}: shown at once, and why the connection ends when the token loses the number`, async () => {
      const token = (wabas: string[]) =>
        far.cloud.control('token', { token: far.cloud.token, wabas, state: 'valid' })
      const waba_info = { waba_id: far.cloud.waba, owner_business_id: '2329417887457253' }
      const isOfPartner = event.startsWith('PARTNER')
      const said = await announce({ event, ...(isOfPartner && { waba_info }) })
      assert.deepEqual(brief(said), [`${code} ${scope}`])
      assert.equal(
        session.observations.some(({ kind }) => kind.endsWith('refused')),
        false,
      )
      await token([])
      session.connection.probe()
      assert.deepEqual(await endOf(session), ['connection-refused', code])
      const next = far.connect({ restriction: restrictionIn(said) })
      assert.deepEqual(await endOf(next), ['connection-refused', code])
      await token([far.cloud.waba])
    })

  test('is that a partner was removed, about whichever account it names, until it is added again', async () => {
    const value = (event: string, waba_id: string) => ({ event, waba_info: { waba_id } })
    assert.deepEqual(await announce(value('PARTNER_REMOVED', '300000000000003')), [])
    assert.equal((await announce(value('PARTNER_REMOVED', far.cloud.waba))).length, 1)
    assert.deepEqual(brief(await announce(value('PARTNER_ADDED', far.cloud.waba))), ['nothing'])
  })

  test('makes Posthorn look a few times only, however often it is said', async () => {
    for (let said = 0; said < 40; said++) {
      await announce({ event: 'ACCOUNT_UPDATE' })
      // A probe would be answered by now, or soon.
      await far.cloud.control('webhooks', {})
    }
    const looked = () => session.observations.filter(({ kind }) => kind === 'connection-verified').length
    await eventually(
      'the first look',
      async () => looked(),
      (count) => count > 0,
    )
    assert.ok(looked() <= 5, `it looked ${looked()} times`)
  })

  test('is left out if it is about another number or account', async () => {
    await far.cloud.fault('webhook', { kind: 'unknown-number' })
    await far.cloud.act(ada.user_id, { act: 'text', body: 'for somebody else' })
    assert.deepEqual(await far.handOver(session), [])
    const otherAccount = far.connect({ settings: { business_account_id: '300000000000003' } })
    await otherAccount.sees('caught-up')
    await far.cloud.control('announce', { field: 'account_update', value: ban('DISABLE') })
    assert.deepEqual(await far.handOver(otherAccount), [])
    await otherAccount.close()
  })
})

function restrictionIn(seen: readonly Observation[]): Restriction {
  const [first] = seen
  assert.ok(first?.kind === 'restriction' && first.restriction)
  return first.restriction
}

describe('what is told late', () => {
  const receive = async (entry: object) => {
    const before = session.observations.length
    const body = Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry: [entry] }))
    await session.connection.receive?.({ id: 'cb_late', received_at: Date.now(), body })
    return brief(session.observations.slice(before).filter(({ kind }) => kind === 'restriction'))
  }
  const told = (ago: number) => ({
    id: far.cloud.waba,
    time: seconds(Date.now() - ago),
    changes: [{ field: 'account_update', value: ban('DISABLE') }],
  })
  const failed = (ago: number) => {
    const errors = [{ code: 131048, title: 'Spam rate limit hit' }]
    const timestamp = String(seconds(Date.now() - ago))
    const statuses = [{ id: 'wamid.late', status: 'failed', timestamp, errors }]
    const metadata = { phone_number_id: far.cloud.number }
    return { id: far.cloud.waba, changes: [{ field: 'messages', value: { metadata, statuses } }] }
  }

  test('restricts only for what is left of its time', async () => {
    assert.deepEqual(await receive(told(20 * hour)), ['account_disabled all_messages for 4 h'])
    assert.deepEqual(await receive(failed(2 * hour)), [])
  })

  test('restricts nothing if it is over', async () => {
    assert.deepEqual(await receive(told(25 * hour)), [])
    assert.deepEqual(await receive(failed(2 * hour)), [])
    assert.deepEqual(await receive(failed(0)), ['spam_limit all_messages for 1 h'])
  })
})

describe('a message that failed for a restriction', () => {
  test('restricts the account for an hour', async () => {
    await far.cloud.fault('status', { kind: 'failed-after-sent', code: 131048 })
    await session.send(ada.address, 'Hello').outcome
    const seen = await far.handOver(session)
    assert.deepEqual(brief(seen.filter(({ kind }) => kind !== 'contact-known')), [
      'message-acknowledged',
      'spam_limit all_messages for 1 h',
      'message-returned',
    ])
  })
})
