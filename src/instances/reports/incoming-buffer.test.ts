import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { sharesForTests } from '../../../test/kit/shares.ts'
import type { ReceiveArgs } from '../../messages/inbox/inbox.ts'
import type { MessageReceived } from '../../networks/driver/observation.ts'
import { silentLog } from '../../runtime/log.ts'
import { type Store, StoreUnavailable } from '../../store/store.ts'
import { IncomingBuffer } from './incoming-buffer.ts'
import { IncomingCapacity } from './incoming-capacity.ts'

const gone = new StoreUnavailable('the store is away')
const never = new AbortController().signal

const done = () => new Promise(setImmediate)

/** The messages of one instance, with a store that does what the test says. */
function setUp() {
  const time = new FakeTime()
  const fixture = {
    /** Returns the error that is thrown instead of storing a message; null for none. */
    fault: (_args: ReceiveArgs): Error | null => null,
    asked: 0,
    logged: 0,
    overflows: 0,
    fetches: 0,
    kept: [] as string[],
    marks: [] as (readonly [string | null, number | null])[],
    /** The most transactions that were under way at once. */
    atOnce: 0,
    underWay: 0,
  }
  const transact = async (_: unknown, args: ReceiveArgs) => {
    fixture.asked++
    fixture.atOnce = Math.max(fixture.atOnce, ++fixture.underWay)
    await done()
    fixture.underWay--
    const fault = fixture.fault(args)
    if (fault) throw fault
    fixture.kept.push(...args.messages.map((message) => message.network_message_id))
    if (args.mark) fixture.marks.push([args.mark.mark, args.mark.at])
    return { taken: args.messages.length, hasFiles: args.messages.some(({ file }) => file) }
  }
  const read = async () => {
    if (fixture.fault({ instanceId: '', messages: [], mark: null, limit: null, now: 0 })) throw gone
    return { network_message_id: fixture.kept.at(-1) ?? null, at: 0 }
  }
  const context = {
    ...time,
    store: { transact, read } as unknown as Store,
    log: { ...silentLog, error: () => fixture.logged++ } as never,
    filesToFetch: { notify: () => fixture.fetches++ },
    quotas: { incoming_messages: null },
    notices: { refused: () => {} },
  }
  const shares = sharesForTests()
  const share = shares.of('org_1')
  const incomingCapacity = new IncomingCapacity(context)
  const receiver = { id: 'inst_1', organization_id: 'org_1', replyWindow: null }
  const overflowed = () => fixture.overflows++
  const messages = new IncomingBuffer({ ...context, incomingCapacity }, receiver, share, overflowed)
  const take = (id: string, said: Partial<MessageReceived> = {}) => {
    const received = { network_message_id: id, from: 'ana', conversation: 'ana', at: 0, text: 'Hello' }
    return messages.take({ kind: 'message-received', file: null, ...received, ...said })
  }
  const caughtUp = (through: string | null = null) => messages.take({ kind: 'caught-up', through })
  return { fixture, time, shares, messages, take, caughtUp }
}

/** Lets everything happen that needs no time to pass. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await done()
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `n-${index}`)

test('messages are kept in order, many at a time and never two transactions at once', async () => {
  const { fixture, take } = setUp()
  for (const id of ids(350)) take(id)
  await settle()
  assert.deepEqual([fixture.kept, fixture.atOnce, fixture.asked], [ids(350), 1, 5])
})

test('a report resolves when it is stored, and to false if it never will be', async () => {
  const { fixture, time, take, caughtUp } = setUp()
  const told: (readonly [string, boolean])[] = []
  const tell = (id: string) => void take(id).then((isStored) => told.push([id, isStored]))
  fixture.fault = () => gone
  tell('n-0')
  tell('n-1')
  void caughtUp('a-1').then((isStored) => told.push(['a-1', isStored]))
  await settle()
  assert.deepEqual(told, [])
  fixture.fault = ({ messages }) =>
    messages[0]?.network_message_id === 'n-0' ? new Error('a mistake') : null
  time.pass(1_000)
  await settle()
  assert.deepEqual(told, [
    ['n-0', false],
    ['n-1', true],
    ['a-1', true],
  ])
  assert.deepEqual([fixture.kept, fixture.marks], [['n-1'], [['a-1', null]]])
  fixture.fault = () => gone
  for (const id of ids(1_000)) void take(id)
  assert.equal(await take('too-many'), false)
})

test('messages outlast a store that is away, in order, and nothing overtakes', async () => {
  const { fixture, time, take } = setUp()
  fixture.fault = () => gone
  for (const id of ids(3)) take(id)
  for (let second = 0; second < 600; second++) {
    time.pass(1_000)
    await settle()
  }
  fixture.fault = () => null
  take('n-3')
  await settle()
  assert.deepEqual(fixture.kept, [])
  time.pass(1_000)
  await settle()
  assert.deepEqual([fixture.kept, fixture.overflows, fixture.logged, time.waiting], [ids(4), 0, 0, 0])
})

for (const [what, count, text] of [
  ['messages', 1_001, 'Hello'],
  ['characters', 66, 'a'.repeat(65_536)],
] as const) {
  test(`more ${what} than are held end the connection, and nothing after them counts until the next one`, async () => {
    const { fixture, time, shares, messages, take, caughtUp } = setUp()
    caughtUp()
    await settle()
    fixture.fault = () => gone
    for (const id of ids(count)) take(id, { text })
    assert.ok(shares.held > 500_000 && shares.held < 2 * 1024 * 1024, `${shares.held} bytes are held`)
    for (const id of ['late-1', 'late-2']) take(id, { text })
    caughtUp()
    await settle()
    assert.deepEqual([fixture.overflows, fixture.logged], [1, 1])
    fixture.fault = () => null
    time.pass(1_000)
    await settle()
    take('late-3')
    await settle()
    assert.ok(fixture.kept.length < count)
    assert.deepEqual(fixture.kept, ids(count).slice(0, fixture.kept.length))
    assert.equal(
      fixture.marks.at(-1)?.[0],
      fixture.kept.at(-1),
      'nothing counts as reached that was not kept',
    )
    messages.begin()
    take('n-new')
    await settle()
    assert.equal(fixture.kept.at(-1), 'n-new')
    assert.equal(shares.held, 0)
  })
}

test('a message that the store finds a fault in costs no other one', async () => {
  const { fixture, take } = setUp()
  fixture.fault = ({ messages }) =>
    messages.some(({ network_message_id: id }) => id === 'n-7') ? new Error('a mistake') : null
  for (const id of ids(20)) take(id)
  await settle()
  assert.deepEqual([fixture.kept, fixture.logged], [ids(20).filter((id) => id !== 'n-7'), 1])
})

test('until a connection has caught up, what it reports moves no mark, but for what it says of an archive', async () => {
  const { fixture, time, messages, take, caughtUp } = setUp()
  time.pass(100)
  for (const id of ids(3)) take(id)
  await settle()
  assert.deepEqual([fixture.marks, messages.nothingMissing], [[], false])
  caughtUp('a-1')
  await settle()
  assert.deepEqual([fixture.marks, messages.nothingMissing], [[['a-1', null]], false])
  caughtUp()
  time.pass(100)
  take('n-3')
  assert.equal(messages.nothingMissing, false, 'it is not kept yet')
  await settle()
  assert.equal(messages.nothingMissing, true)
  assert.deepEqual(fixture.marks.at(-1), ['n-3', 200])
  messages.begin()
  take('n-4')
  await settle()
  assert.deepEqual([fixture.marks.at(-1), messages.nothingMissing], [['n-3', 200], false])
  caughtUp()
  await settle()
  assert.deepEqual(fixture.marks.at(-1), ['n-4', 200])
})

test('a connection that brought nothing leaves the last message where it was', async () => {
  const { fixture, caughtUp } = setUp()
  caughtUp()
  await settle()
  assert.deepEqual(fixture.marks, [[null, 0]])
})

test('the mark is given out once all that was reported is stored, however long the store is away', async () => {
  const { fixture, time, messages, take } = setUp()
  fixture.fault = () => gone
  for (const id of ids(150)) take(id)
  let reached: unknown
  void messages.caughtUp(never).then((place) => {
    reached = place
  })
  take('n-later')
  for (let second = 0; second < 60; second++) {
    time.pass(1_000)
    await settle()
  }
  assert.equal(reached, undefined)
  fixture.fault = () => null
  time.pass(1_000)
  await settle()
  assert.ok(reached && fixture.kept.includes('n-149'))
})

test('nobody waits for a connection that is over', async () => {
  const { fixture, time, messages } = setUp()
  fixture.fault = () => gone
  const connection = new AbortController()
  const asked = messages.caughtUp(connection.signal)
  await settle()
  connection.abort()
  time.pass(1_000)
  assert.equal(await asked, null)
  assert.equal(time.waiting, 0)
})

test('a message with a file wakes those who fetch files, once it is kept', async () => {
  const { fixture, take } = setUp()
  take('n-1')
  take('n-2', { file: { url: 'https://example.org/photo.png', filename: null, mime_type: null } })
  await settle()
  assert.equal(fixture.fetches, 1)
})

test('at the end what is held is tried a last time; if it is lost, nothing after it is stored', async () => {
  for (const back of [true, false]) {
    const { fixture, time, messages, take, caughtUp } = setUp()
    fixture.fault = () => gone
    caughtUp()
    for (const id of ids(250)) take(id)
    await settle()
    let tries = 0
    fixture.fault = () => (back || tries++ > 0 ? null : gone)
    await messages.end()
    assert.deepEqual([fixture.kept, fixture.logged], back ? [ids(250), 0] : [[], 1])
    assert.deepEqual([await messages.caughtUp(never), time.waiting], [null, 0])
  }
})
