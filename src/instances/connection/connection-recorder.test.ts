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

function setUp(isLinked = false, linked_at: number | null = null) {
  const time = new FakeTime()
  const written: Written[] = []
  const fixture = { time, written, away: false }
  const transact = async (_: unknown, args: Written) => {
    if (fixture.away) throw new StoreUnavailable('the store is away')
    written.push(args)
  }
  const store = { transact } as unknown as Store
  const recorder = new ConnectionRecorder(
    { ...time, store, log: silentLog, instanceChanges: new Changes() },
    { id: 'inst_1', linked_at },
    isLinked ? { linking: { kinds: ['qr'], isLinked: () => true } } : {},
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
  const { time, written, recorder } = setUp()
  for (const at of [10_000, 11_000, 14_999, 15_000, 16_000]) {
    time.pass(at - time.now)
    recorder.verified(true, false)
  }
  assert.deepEqual(
    written.map(({ at }) => at),
    [10_000, 15_000],
  )
  recorder.keep({ status: 'connected' })
  assert.equal(written.at(-1)?.verifiedAt, 16_000)
  recorder.keep({ status: 'reconnecting' })
  assert.equal(written.at(-1)?.verifiedAt, null)
})

for (const step of [-3_600_000, 3_600_000])
  test(`when the wall clock is set by ${step} ms, verifications are kept as often, and none is from another time`, () => {
    const { time, written, recorder } = setUp()
    time.pass(10_000)
    recorder.verified(true, false)
    time.pass(1_000)
    recorder.verified(true, false)
    time.setClock(step)
    time.pass(1_000)
    recorder.keep({ status: 'connected' })
    assert.equal(written.at(-1)?.verifiedAt, step + 11_000, 'a second ago, by the clock as it is now')
    time.pass(5_000)
    recorder.verified(true, false)
    assert.equal(written.at(-1)?.at, step + 17_000)
    assert.equal(written.length, 3)
  })

test('an account counts as linked from its first connection after it was not, however often it reconnects', async () => {
  const { fixture, time, written, recorder } = setUp(true, 5)
  const become = async (...statuses: readonly NonNullable<ConnectionChange['status']>[]) => {
    time.pass(100)
    for (const status of statuses) recorder.keep({ status })
    await recorder.kept
    return Object.assign({}, ...written.map(({ change }) => change)).linked_at
  }
  assert.equal(await become('reconnecting', 'connecting', 'connected'), undefined, 'it stays as it was')
  assert.equal(recorder.linkedAt, 5)
  assert.equal(await become('awaiting_link'), null)
  assert.equal(await become('reconnecting', 'connecting'), null)
  assert.equal(await become('connected', 'reconnecting', 'connected'), 400)
  assert.equal(await become('logged_out', 'connecting'), null)
  fixture.away = true
  await become('connected')
  time.pass(100)
  fixture.away = false
  time.pass(1_000)
  assert.equal(
    await become('reconnecting', 'connected'),
    600,
    'the moment counts, not when it could be stored',
  )
  assert.equal(recorder.linkedAt, 600)
})

test('a network that needs no link has no such moment', async () => {
  const { written, recorder } = setUp()
  for (const status of ['connecting', 'connected', 'logged_out', 'connected'] as const)
    recorder.keep({ status })
  await recorder.kept
  assert.equal(recorder.linkedAt, null)
  assert.ok(written.every(({ change }) => !change?.linked_at))
})
