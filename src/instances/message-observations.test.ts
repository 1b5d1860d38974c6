import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { sharesForTests } from '../../test/kit/shares.ts'
import { Changes } from '../runtime/changes.ts'
import { silentLog } from '../runtime/log.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { MessageObservations } from './message-observations.ts'

const gone = new StoreUnavailable('the store is away')

/** The observations of one instance, with a store that does what the test says. */
function staged() {
  const time = new FakeTime()
  const kept: { networkMessageId: string; at: number }[] = []
  const stage = {
    time,
    kept,
    fault: null as Error | null,
    changed: 'msg_1' as string | null,
    asked: 0,
    settled: 0,
    /** What the log was told. */
    told: 0,
  }
  const transact = async (_: unknown, args: (typeof kept)[number]) => {
    stage.asked++
    if (stage.fault) throw stage.fault
    kept.push(args)
    return stage.changed
  }
  const context = {
    ...time,
    store: { transact } as unknown as Store,
    log: { ...silentLog, error: () => stage.told++ } as never,
    messageChanges: new Changes(),
  }
  const shares = sharesForTests()
  const observations = new MessageObservations(
    context,
    'inst_1',
    shares.of('org_1').holding('incoming'),
    () => stage.settled++,
  )
  const take = (id: string) =>
    observations.take({ kind: 'receipt', network_message_id: id, from: 'ana', state: 'read' })
  const ids = () => kept.map(({ networkMessageId }) => networkMessageId)
  return { stage, time, shares, observations, take, ids }
}

const done = () => new Promise(setImmediate)

test('a receipt that moved a message on wakes its instance: its lane may be free', async () => {
  const { stage, take } = staged()
  take('n-1')
  await done()
  stage.changed = null
  take('n-2')
  await done()
  assert.deepEqual([stage.kept.length, stage.settled], [2, 1])
})

test('a receipt that was kept without an answer, and is kept again for nothing, wakes its instance too', async () => {
  const { stage, time, take } = staged()
  stage.fault = gone
  take('n-1')
  await done()
  Object.assign(stage, { fault: null, changed: null })
  time.pass(1_000)
  await done()
  assert.equal(stage.settled, 1)
})

test('receipts outlast a store that is away, however long, in order and with the time at which they came', async () => {
  const { stage, time, take, ids } = staged()
  stage.fault = gone
  take('n-1')
  await done()
  time.pass(500)
  take('n-2')
  for (let second = 0; second < 600; second++) {
    time.pass(1_000)
    await done()
  }
  assert.deepEqual(ids(), [])
  stage.fault = null
  take('n-3')
  await done()
  assert.deepEqual(ids(), [], 'nobody overtakes')
  time.pass(1_000)
  await done()
  assert.deepEqual(ids(), ['n-1', 'n-2', 'n-3'])
  assert.deepEqual([stage.kept[0]?.at, stage.kept[1]?.at, stage.settled, time.waiting], [0, 500, 3, 0])
})

test('a network that tells more than is held while the store is away loses the rest, and the log says so once', async () => {
  const { stage, time, take, ids } = staged()
  const tell = async () => {
    for (let number = 0; number < 1_500; number++) take(`n-${number}`)
    await done()
  }
  stage.fault = gone
  await tell()
  time.pass(1_000)
  await tell()
  assert.equal(stage.told, 1)
  stage.fault = null
  time.pass(1_000)
  await done()
  assert.equal(ids().length, 1_000)
  stage.fault = gone
  await tell()
  assert.equal(stage.told, 2, 'of each time that the store is away')
})

test('where the store finds a fault in a receipt, it is told and given up', async () => {
  const { stage, time, take } = staged()
  stage.fault = new Error('a mistake')
  take('n-1')
  await done()
  assert.deepEqual([stage.asked, stage.told, time.waiting], [1, 1, 0])
})

test('at the end of the process what is held is tried a last time; what is lost then is told', async () => {
  for (const back of [true, false]) {
    const { stage, time, observations, take, ids } = staged()
    stage.fault = gone
    take('n-1')
    await done()
    if (back) stage.fault = null
    observations.end()
    await done()
    assert.deepEqual([ids().length, stage.told, time.waiting], back ? [1, 0, 0] : [0, 1, 0])
  }
})
