import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../../runtime/log.ts'
import { Workers } from './workers.ts'

const nowhere = {
  server: 'wss://127.0.0.1:9/ws/chat',
  ca: null,
  rootKey: null,
  version: null,
  browser: ['Posthorn', 'Chrome', '1'],
  allowedCidrs: [],
  proxy: null,
  isShownOnline: false,
  isLinked: false,
  link: { kind: 'qr' },
} as const

const answers = {
  keys: () => new Map(),
  setKeys: () => {},
  room: () => {},
  store: () => {},
  storeReceipts: () => true,
  storeGroupChanges: () => true,
  isStored: () => false,
  linked: () => {},
}

test('a worker whose only client comes and goes gathers nothing', { timeout: 60_000 }, async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  const workers = new Workers(1)
  for (let cycle = 0; cycle < 15; cycle++) {
    const listener = { answers, event: () => {}, workerEnded: () => assert.fail('the worker ended') }
    await workers.open(nowhere, listener, silentLog, { instance: 'inst_1', party: 'org_1' }).close()
  }
  process.off('warning', note)
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [],
  )
})

test('a worker that was prepared gets the next client', { timeout: 60_000 }, async () => {
  const workers = new Workers(2)
  workers.prepare(silentLog)
  workers.prepare(silentLog)
  assert.deepEqual(workers.counts(), { running: 1, accounts: 0, ended: 0 })
  const listener = { answers, event: () => {}, workerEnded: () => assert.fail('the worker ended') }
  const client = workers.open(nowhere, listener, silentLog, { instance: 'inst_1', party: 'org_1' })
  workers.prepare(silentLog)
  assert.deepEqual(workers.counts(), { running: 1, accounts: 1, ended: 0 })
  await client.close()
})
