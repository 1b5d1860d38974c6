import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import type { ConnectContext } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { sandbox } from '../../networks/sandbox/driver.ts'
import { Changes } from '../../runtime/changes.ts'
import { silentLog } from '../../runtime/log.ts'
import { type ConnectionChange, recordConnection } from '../connection/connection-store.ts'
import { Runner } from './runner.ts'

const reason = { code: 'connection_lost', detail: 'The line broke.' }

async function done(): Promise<void> {
  for (let step = 0; step < 10; step++) await new Promise(setImmediate)
}

/**
 * Returns the seconds that an instance waits before each new attempt, at a network that verifies every connection each
 * second, and ends it when it has lasted for as long as the test says. `whileOpen` is told of each second.
 */
async function delays(seconds: readonly number[], whileOpen: (ahead: { ms: number }) => void = () => {}) {
  const time = new FakeTime()
  const ahead = { ms: 0 }
  const waits: number[] = []
  let report: ConnectContext['report'] = async () => true
  const driver: Driver = {
    ...sandbox(),
    connect(context) {
      report = context.report
      setImmediate(() => report({ kind: 'connection-opened' }))
      return { send: () => new Promise(() => {}), probe: () => {}, close: async () => {} }
    },
  }
  const context = {
    ...time,
    node: { id: 'node_one', trusted: true },
    clock: { now: () => time.now + ahead.ms, monotonic: () => time.now },
    store: {
      transact: async (transaction: unknown, args: { change: ConnectionChange }) => {
        if (transaction === recordConnection && args.change.next_attempt_at)
          waits.push((args.change.next_attempt_at - time.now - ahead.ms) / 1_000)
        return { claimed: [], refused: [], nextDueAt: null }
      },
      read: async () => ({ settings: '{}', credentials: new Uint8Array(), restriction: null }),
    },
    secrets: { access: () => ({}), openCredentials: () => ({}) },
    admission: { ask: (_: unknown, go: () => void) => go(), withdraw: () => {} },
    shares: sharesForTests(),
    callbackUrls: { of: () => null, isAbandoned: async () => false },
    http: { of: () => ({}) },
    random: () => 1,
    log: silentLog,
    metrics: { attempted: () => {}, disconnected: () => {} },
    instanceChanges: new Changes(),
    messageChanges: new Changes(),
  }
  const instance = { id: 'inst_1', organization_id: 'org_1', name: 'one', network: 'sandbox' } as const
  const runner = new Runner(context as never, driver, {
    ...instance,
    wanted: 'running',
    status: 'connecting',
    linked_at: null,
    epoch: 1,
  })
  runner.begin('running')
  for (const lasts of seconds) {
    await done()
    assert.equal(runner.status, 'connected')
    for (let second = 0; second < lasts; second++) {
      time.pass(1_000)
      whileOpen(ahead)
      report({ kind: 'connection-verified' })
    }
    report({ kind: 'connection-lost', reason })
    time.pass((waits.at(-1) ?? 0) * 1_000)
  }
  await runner.end(AbortSignal.abort())
  return waits
}

test('a connection that is up for less than ten seconds again and again is opened later each time', async () => {
  assert.deepEqual(await delays([9, 9, 9, 9, 9]), [1, 2, 4, 8, 16])
})

test('one that has lasted for ten seconds is a new beginning', async () => {
  assert.deepEqual(await delays([9, 9, 10, 9, 9]), [1, 2, 1, 2, 4])
})

test('a clock that is set does not make a connection last', async () => {
  const setAhead = (ahead: { ms: number }) => {
    ahead.ms += 3_600_000
  }
  assert.deepEqual(await delays([9, 9, 9], setAhead), [1, 2, 4])
})
