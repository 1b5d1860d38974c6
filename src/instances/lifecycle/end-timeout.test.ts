import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import type { ClaimedMessage } from '../../messages/outbox/queue/claim.ts'
import { settleAndClaim } from '../../messages/outbox/queue/settle-and-claim.ts'
import type { ConnectContext } from '../../networks/driver/connection.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { sandbox } from '../../networks/sandbox/driver.ts'
import { Changes } from '../../runtime/changes.ts'
import { silentLog } from '../../runtime/log.ts'
import { Runner } from './runner.ts'

const message: ClaimedMessage = {
  ...{ seq: 1, id: 'msg_1', recipient: 'ana@accepts.sandbox', kind: 'text', text: 'Hello' },
  ...{ content: {}, relation: null, file: null, networkId: 'network-1', attempt: 1 },
}

async function done(): Promise<void> {
  for (let step = 0; step < 10; step++) await new Promise(setImmediate)
}

/** A network that never answers an attempt, and tells when one begins and when the connection is closed. */
function silentNetwork(dedupes_by_id: boolean, tell: (what: 'sent' | 'closed') => void): Driver {
  const { limits, ...driver } = sandbox()
  return {
    ...driver,
    limits: { ...limits, dedupes_by_id },
    connect({ report }: ConnectContext) {
      setImmediate(() => report({ kind: 'connection-opened' }))
      return {
        send() {
          tell('sent')
          return new Promise(() => {})
        },
        probe: () => {},
        close: async () => tell('closed'),
      }
    },
  }
}

/** The context of a runner, over a store in which one message is due. */
function contextOf(time: FakeTime) {
  const claims = [[message]]
  return {
    ...time,
    node: { id: 'node_one', trusted: true },
    store: {
      transact: async (transaction: unknown) =>
        transaction === settleAndClaim
          ? { claimed: claims.shift() ?? [], refused: [], nextDueAt: null }
          : undefined,
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
}

/** Returns the milliseconds for which the end waits for an attempt that the network does not answer. */
async function waits(dedupes_by_id: boolean, isHandedOver: boolean): Promise<number> {
  const time = new FakeTime()
  const told = new Map<string, number>()
  const network = silentNetwork(dedupes_by_id, (what) => told.set(what, time.now))
  const runner = new Runner(contextOf(time) as never, network, {
    ...{ id: 'inst_1', organization_id: 'org_1', name: 'one', network: 'sandbox', wanted: 'running' },
    ...{ status: 'connecting', linked_at: null, epoch: 1 },
  })
  runner.begin('running')
  await done()
  assert.ok(told.has('sent'))
  const begun = time.now
  const over = new AbortController()
  const ended = runner.end(over.signal, { isHandedOver })
  for (let second = 0; second < 10 && !told.has('closed'); second++) {
    time.pass(1_000)
    await done()
  }
  over.abort()
  await ended
  return (told.get('closed') ?? Number.POSITIVE_INFINITY) - begun
}

test('during a hand-over, an attempt that a network recognizes if it is repeated is not waited for as long as others', async () => {
  assert.equal(await waits(true, true), 1_000)
  assert.equal(await waits(true, false), 5_000)
  assert.equal(await waits(false, true), 5_000)
})
