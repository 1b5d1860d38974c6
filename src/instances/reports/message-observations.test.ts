import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import type { ReportedMessage } from '../../messages/outbox/receipts/receipts.ts'
import { Changes } from '../../runtime/changes.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { MessageObservations } from './message-observations.ts'

const gone = new StoreUnavailable('the store is away')

/** The observations of one instance, with a store that does what the test says. */
function setUp() {
  const time = new FakeTime()
  const kept: { networkMessageId: string; at: number }[] = []
  const fixture = {
    time,
    kept,
    fault: null as Error | null,
    changed: { id: 'msg_1', wasUnsettled: true } as ReportedMessage | null,
    asked: 0,
    settled: 0,
    /** Errors that were logged. */
    logged: 0,
  }
  const transact = async (_: unknown, args: (typeof kept)[number]) => {
    fixture.asked++
    if (fixture.fault) throw fixture.fault
    kept.push(args)
    return fixture.changed
  }
  const context = {
    ...time,
    store: { transact } as unknown as Store,
    log: { ...silentLog, error: () => fixture.logged++ } as never,
    messageChanges: new Changes(),
    incomingCapacity: { limit: null },
  }
  const shares = sharesForTests()
  const observations = new MessageObservations(
    context,
    'inst_1',
    shares.of('org_1').holding('incoming'),
    () => fixture.settled++,
  )
  const take = (id: string): Promise<boolean> =>
    observations.take({ kind: 'receipt', network_message_id: id, from: 'ana', state: 'read' })
  const ids = () => kept.map(({ networkMessageId }) => networkMessageId)
  return { fixture, time, shares, observations, take, ids }
}

const done = () => new Promise(setImmediate)

test('a receipt that settled a message wakes its instance, since its lane may be free, and no other does', async () => {
  const { fixture, take } = setUp()
  take('n-1')
  await done()
  for (const changed of [null, { id: 'msg_1', wasUnsettled: false }]) {
    fixture.changed = changed
    take('n-2')
    await done()
  }
  assert.deepEqual([fixture.kept.length, fixture.settled], [3, 1])
})

test('a receipt that was kept without an answer, and is kept again for nothing, wakes its instance too', async () => {
  const { fixture, time, take } = setUp()
  fixture.fault = gone
  take('n-1')
  await done()
  Object.assign(fixture, { fault: null, changed: null })
  time.pass(1_000)
  await done()
  assert.equal(fixture.settled, 1)
})

test('receipts outlast a store that is away, however long, in order and with the time at which they came', async () => {
  const { fixture, time, take, ids } = setUp()
  fixture.fault = gone
  take('n-1')
  await done()
  time.pass(500)
  take('n-2')
  for (let second = 0; second < 600; second++) {
    time.pass(1_000)
    await done()
  }
  assert.deepEqual(ids(), [])
  fixture.fault = null
  take('n-3')
  await done()
  assert.deepEqual(ids(), [], 'nobody overtakes')
  time.pass(1_000)
  await done()
  assert.deepEqual(ids(), ['n-1', 'n-2', 'n-3'])
  assert.deepEqual([fixture.kept[0]?.at, fixture.kept[1]?.at, fixture.settled, time.waiting], [0, 500, 3, 0])
})

test('a network that tells more than is held while the store is away loses the rest, and the log says so once', async () => {
  const { fixture, time, take, ids } = setUp()
  const tell = async () => {
    for (let number = 0; number < 1_500; number++) take(`n-${number}`)
    await done()
  }
  fixture.fault = gone
  await tell()
  time.pass(1_000)
  await tell()
  assert.equal(fixture.logged, 1)
  fixture.fault = null
  time.pass(1_000)
  await done()
  assert.equal(ids().length, 1_000)
  fixture.fault = gone
  await tell()
  assert.equal(fixture.logged, 2, 'of each time that the store is away')
})

test('a report resolves when it is stored, and to false if it never will be', async () => {
  const { fixture, time, take } = setUp()
  fixture.fault = gone
  let isStored: boolean | undefined
  void take('n-1').then((known) => {
    isStored = known
  })
  await done()
  assert.equal(isStored, undefined)
  fixture.fault = null
  time.pass(1_000)
  await done()
  assert.equal(isStored, true)
  fixture.fault = new Error('a mistake')
  assert.equal(await take('n-2'), false)
})

test('if the store finds a fault in a receipt, it is logged and given up', async () => {
  const { fixture, time, take } = setUp()
  fixture.fault = new Error('a mistake')
  take('n-1')
  await done()
  assert.deepEqual([fixture.asked, fixture.logged, time.waiting], [1, 1, 0])
})

test('at the end of the process what is held is tried a last time; what is lost then is logged', async () => {
  for (const back of [true, false]) {
    const { fixture, time, observations, take, ids } = setUp()
    fixture.fault = gone
    take('n-1')
    await done()
    if (back) fixture.fault = null
    observations.end()
    await done()
    assert.deepEqual([ids().length, fixture.logged, time.waiting], back ? [1, 0, 0] : [0, 1, 0])
  }
})

test('contacts that are told in a row are stored together, a few at a time, and before what comes after them', async () => {
  const { fixture, observations, take } = setUp()
  for (let number = 0; number < 25; number++)
    void observations.take({ kind: 'contact-known', addresses: [`id-${number}`, `+${number}`] })
  take('n-1')
  await observations.take({ kind: 'contact-known', addresses: ['id-last', '+99'] })
  const counts = fixture.kept.map((args) => ('contacts' in args ? (args.contacts as []).length : 'receipt'))
  assert.deepEqual(counts, [10, 10, 5, 'receipt', 1])
})
