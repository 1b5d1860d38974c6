import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { Changes } from '../../runtime/changes.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { ConnectionRecorder } from './connection-recorder.ts'
import type { ConnectionChange } from './connection-store.ts'

interface Written {
  readonly change?: ConnectionChange
  readonly verifiedAt?: number | null
  readonly at?: number
}

function setUp() {
  const time = new FakeTime()
  const written: Written[] = []
  const fixture = { time, written, away: false }
  const transact = async (_: unknown, args: Written) => {
    if (fixture.away) throw new StoreUnavailable('the store is away')
    written.push(args)
  }
  const store = { transact } as unknown as Store
  const recorder = new ConnectionRecorder(
    { ...time, store, log: silentLog, changes: new Changes() },
    'inst_1',
  )
  return { fixture, time, written, recorder }
}

test('what the store could not keep is kept when it is back, and nothing older overwrites what is newer', async () => {
  const { fixture, time, written, recorder } = setUp()
  fixture.away = true
  recorder.keep({ status: 'connecting', reason: null })
  recorder.keep({ status: 'reconnecting', reason: 'why' })
  await recorder.kept
  fixture.away = false
  recorder.keep({ status: 'connected' })
  await recorder.kept
  time.pass(1_000)
  await recorder.kept
  const row = Object.assign({}, ...written.map(({ change }) => change))
  assert.deepEqual(row, { status: 'connected', reason: 'why' })
  time.pass(60_000)
  assert.equal(time.waiting, 0, 'it is not kept again and again')
})

test('verifications are kept now and then, and with every change', async () => {
  const { written, recorder } = setUp()
  for (const at of [10_000, 11_000, 14_999, 15_000, 16_000]) recorder.verified(at, true, false)
  assert.deepEqual(
    written.map(({ at }) => at),
    [10_000, 15_000],
  )
  recorder.keep({ status: 'connected' })
  assert.equal(written.at(-1)?.verifiedAt, 16_000)
  recorder.keep({ status: 'reconnecting' })
  assert.equal(written.at(-1)?.verifiedAt, null)
})
