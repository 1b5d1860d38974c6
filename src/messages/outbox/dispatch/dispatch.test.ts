import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../../test/kit/fake-time.ts'
import type { DriverConnection } from '../../../networks/driver/connection.ts'
import type { Pacing, Pausing } from '../../../networks/driver/limits.ts'
import { accepted, type Outcome, rejected, uncertain, unproven } from '../../../networks/driver/outcome.ts'
import { sandbox } from '../../../networks/sandbox/driver.ts'
import { Changes } from '../../../runtime/changes.ts'
import { silentLog } from '../../../runtime/log.ts'
import { type Store, StoreUnavailable } from '../../../store/store.ts'
import { windowError } from '../../contacts/reply-window.ts'
import type { ClaimedMessage } from '../queue/claim.ts'
import type { SettleAndClaimArgs } from '../queue/settle-and-claim.ts'
import type { Verdict } from '../queue/verdict.ts'
import { Dispatch } from './dispatch.ts'

const message: ClaimedMessage = {
  seq: 1,
  id: 'msg_1',
  recipient: 'ana@delivers.sandbox',
  kind: 'text',
  text: 'Good morning',
  ...{ content: {}, relation: null, file: null },
  networkId: 'network-1',
  attempt: 1,
}

/** Makes the n-th message, each to another recipient. */
function another(seq: number): ClaimedMessage {
  return { ...message, seq, id: `msg_${seq}`, recipient: `person-${seq}@delivers.sandbox` }
}

const driver = sandbox()
const answerTimeout = driver.limits.answer_timeout_seconds * 1_000

/** A dispatch between a store and a network that do what the test says. */
function setUp(
  inFlight = driver.limits.in_flight,
  pacing_per_recipient: Pacing | null = null,
  pacing: Pausing | null = null,
) {
  const time = new FakeTime()
  const calls: SettleAndClaimArgs[] = []
  const sent: ((outcome: Outcome) => void)[] = []
  const fixture = {
    node: { trusted: true },
    time,
    calls,
    sent,
    away: false,
    /** Times that the connection was to be ended. */
    ended: 0,
    queue: [message],
    refused: [] as { id: string; error: typeof windowError }[],
    verdicts: [] as Verdict[],
    /** Does the work that is due while a call is under way. */
    meanwhile: () => {},
    /** When its answer comes. */
    answered: Promise.resolve() as Promise<unknown>,
    connection: {
      send: () => new Promise<Outcome>((resolve) => sent.push(resolve)),
      probe: () => {},
      close: async () => {},
    } satisfies DriverConnection,
  }
  const transact = async (_: unknown, args: SettleAndClaimArgs) => {
    calls.push(args)
    fixture.meanwhile()
    await fixture.answered
    if (fixture.away) throw new StoreUnavailable('the store is away')
    const refused = fixture.refused.splice(0)
    // Those behind are due in the next call.
    return {
      claimed: refused.length > 0 ? [] : fixture.queue.splice(0, args.claim),
      refused,
      nextDueAt: null,
    }
  }
  const context = {
    ...time,
    node: fixture.node,
    store: { transact } as unknown as Store,
    random: () => 0,
    log: silentLog,
    messageChanges: new Changes(),
    metrics: { attempted: (verdict: Verdict) => void fixture.verdicts.push(verdict) },
  }
  const narrow = { ...driver, limits: { ...driver.limits, in_flight: inFlight, pacing_per_recipient } }
  const endConnection = () => fixture.ended++
  const dispatch = new Dispatch(context as never, narrow, { id: 'inst_1', epoch: 0, pacing, endConnection })
  return { ...fixture, fixture, dispatch }
}

const settled = () => new Promise(setImmediate)

test('an answer that the store could not take is stored when it is back, even if the connection was lost meanwhile', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp()
  dispatch.open(connection)
  await settled()
  fixture.away = true
  sent[0]?.(accepted)
  await settled()
  dispatch.pause()
  await settled()
  fixture.away = false
  time.pass(1_000)
  await dispatch.settle()
  assert.deepEqual(calls.at(-1)?.attempted, [
    { seq: 1, attempt: 1, recipient: message.recipient, verdict: { kind: 'sent' } },
  ])
})

test('after a call without an answer, the next says what is really under way; the one after that need not', async () => {
  const { fixture, dispatch, calls, time, connection } = setUp()
  dispatch.open(connection)
  await settled()
  fixture.away = true
  dispatch.wake()
  await settled()
  fixture.away = false
  time.pass(1_000)
  await settled()
  dispatch.wake()
  await settled()
  assert.deepEqual(
    calls.slice(-3).map(({ holding }) => holding?.attempts ?? null),
    [null, [{ seq: 1, attempt: 1 }], null],
  )
})

const ends = ['the connection went', 'the lease of the node ended'] as const
for (const what of ends)
  test(`what was claimed while ${what} is given back as never begun`, async () => {
    const { fixture, dispatch, calls, sent, connection } = setUp()
    const endLease = () => Object.assign(fixture.node, { trusted: false })
    fixture.meanwhile = what === ends[0] ? () => dispatch.pause() : endLease
    dispatch.open(connection)
    await settled()
    assert.equal(sent.length, 0)
    const verdict = calls.find(({ attempted }) => attempted.length > 0)?.attempted[0]?.verdict
    assert.ok(verdict?.kind === 'again' && verdict.unbegun && !verdict.uncertain)
  })

test('a driver that throws has left everybody uncertain', async () => {
  const { dispatch, calls, connection } = setUp()
  const send = () => Promise.reject(new Error('a mistake'))
  dispatch.open({ ...connection, send })
  await dispatch.settle()
  const verdict = calls.at(-1)?.attempted[0]?.verdict
  assert.ok(verdict?.kind === 'again' && verdict.uncertain)
})

test('while the network restricts the account nothing is claimed; afterwards it is', async () => {
  const { dispatch, calls, sent, time, connection } = setUp()
  dispatch.restrict({ code: 'quota', detail: 'Full.', scope: 'all_messages', since: 0, ends_at: 60_000 })
  dispatch.open(connection)
  await settled()
  assert.deepEqual([calls.length, sent.length], [0, 0])
  time.pass(60_000)
  await settled()
  assert.equal(sent.length, 1)
})

/** Everything that was found out about a message, in order. */
function verdictsOn(seq: number, calls: readonly SettleAndClaimArgs[]) {
  return calls.flatMap(({ attempted }) =>
    attempted.filter((each) => each.seq === seq).map((each) => each.verdict),
  )
}

const givenUp = { kind: 'again', at: 2 * answerTimeout, error: null, uncertain: true } as const

test('an attempt without an answer is given up when its time is over, and its place is free', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp(2)
  fixture.queue = [message, another(2), another(3)]
  dispatch.open(connection)
  await settled()
  sent[1]?.(accepted)
  await settled()
  assert.equal(sent.length, 3, 'all places are taken again')
  fixture.queue = [another(4)]
  sent[2]?.(accepted)
  time.pass(answerTimeout - 1)
  await settled()
  assert.deepEqual(verdictsOn(1, calls), [])
  fixture.queue.push(another(5))
  time.pass(1)
  await settled()
  assert.deepEqual(verdictsOn(1, calls), [givenUp])
  assert.equal(sent.length, 5)
})

test('of an attempt that was given up, only an acknowledgement still counts', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp()
  const error = { code: 'refused', detail: 'No.', permanent: true }
  const late = [
    rejected(error),
    uncertain('lost'),
    { kind: 'deferred', until: 0, scope: 'recipient', error } as const,
    accepted,
  ]
  fixture.queue = late.map((_, index) => another(index))
  dispatch.open(connection)
  await settled()
  time.pass(answerTimeout)
  for (const [index, outcome] of late.entries()) sent[index]?.(outcome)
  await settled()
  for (const seq of [0, 1, 2]) assert.deepEqual(verdictsOn(seq, calls), [givenUp])
  assert.deepEqual(verdictsOn(3, calls), [givenUp, { kind: 'sent', late: true }])
})

test('that the network counted an attempt without a proof still counts late, unless another is under way', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp()
  fixture.queue = [message, another(2)]
  dispatch.open(connection)
  await settled()
  time.pass(answerTimeout)
  await settled()
  fixture.queue = [{ ...another(2), attempt: 2 }]
  dispatch.wake()
  await settled()
  for (const answer of sent.slice(0, 2)) answer(unproven('Counted.'))
  await settled()
  assert.deepEqual(verdictsOn(1, calls), [givenUp, { kind: 'unknown', late: true }])
  assert.deepEqual(verdictsOn(2, calls), [givenUp])
  sent[2]?.(accepted)
  await dispatch.settle()
})

test('a message that is acknowledged late, while its next attempt is being claimed, is not sent again', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp()
  dispatch.open(connection)
  await settled()
  time.pass(answerTimeout)
  await settled()
  fixture.queue = [{ ...message, attempt: 2 }]
  fixture.meanwhile = () => sent[0]?.(accepted)
  // The answer of the store must not overtake the acknowledgement, which takes a few steps to be heard.
  fixture.answered = settled()
  dispatch.wake()
  await settled()
  await dispatch.settle()
  assert.equal(sent.length, 1)
  assert.deepEqual(verdictsOn(1, calls), [givenUp, { kind: 'sent', late: true }])
})

test('the next attempt under way goes on when the one before it is acknowledged', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp()
  dispatch.open(connection)
  await settled()
  fixture.queue = [{ ...message, attempt: 2 }]
  time.pass(answerTimeout)
  await settled()
  assert.equal(sent.length, 2)
  sent[0]?.(accepted)
  await settled()
  sent[1]?.(rejected({ code: 'duplicate', detail: 'It is here already.', permanent: true }))
  await dispatch.settle()
  assert.deepEqual(
    verdictsOn(1, calls).map(({ kind }) => kind),
    ['again', 'sent', 'failed'],
    'the store takes the first that settles it',
  )
})

test('a connection that owes as many answers as may be in flight is ended; one that came late is not owed', async () => {
  const { fixture, dispatch, sent, time, connection } = setUp(2)
  fixture.queue = [message, another(2)]
  dispatch.open(connection)
  await settled()
  sent[1]?.(accepted)
  await settled()
  time.pass(answerTimeout)
  assert.equal(fixture.ended, 0)
  sent[0]?.(uncertain('late'))
  await settled()
  fixture.queue = [another(3), another(4)]
  dispatch.wake()
  await settled()
  time.pass(answerTimeout)
  await settled()
  assert.equal(fixture.ended, 1)
  fixture.queue = [another(5)]
  dispatch.wake()
  await settled()
  dispatch.pause()
  time.pass(answerTimeout)
  assert.equal(fixture.ended, 1, 'there is none to be ended')
})

test('if the network defers the whole account, nothing is claimed until then; if it defers a recipient, the others go on', async () => {
  for (const scope of ['recipient', 'instance'] as const) {
    const { fixture, dispatch, calls, sent, time, connection } = setUp()
    dispatch.open(connection)
    await settled()
    const error = { code: 'slow_down', detail: 'Not so fast.', permanent: false }
    sent[0]?.({ kind: 'deferred', until: time.clock.now() + 60_000, scope, error })
    await settled()
    fixture.queue.push(another(2))
    dispatch.wake()
    await settled()
    assert.equal(sent.length, scope === 'recipient' ? 2 : 1)
    if (scope === 'recipient') continue
    assert.deepEqual(
      calls.slice(2).filter(({ claim }) => claim > 0),
      [],
    )
    time.pass(60_000)
    await settled()
    assert.equal(sent.length, 2)
  }
})

test('a deferral until a time that no calendar has holds nothing up, and counts as refused for now', async () => {
  for (const until of [Number.NaN, 8.64e15 + 1, Number.POSITIVE_INFINITY]) {
    const { fixture, dispatch, calls, sent, connection } = setUp()
    dispatch.open(connection)
    await settled()
    const error = { code: 'slow_down', detail: 'Not so fast.', permanent: false }
    sent[0]?.({ kind: 'deferred', until, scope: 'instance', error })
    await settled()
    const [attempted] = calls.flatMap(({ attempted }) => attempted)
    assert.equal(attempted?.verdict.kind, 'again')
    fixture.queue.push(another(2))
    dispatch.wake()
    await settled()
    assert.equal(sent.length, 2)
  }
})

test('a recipient gets no more than the pace allows, and what is too early is given back as never begun', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp(64, { messages: 2, seconds: 1 })
  const toAna = (seq: number) => ({ ...another(seq), recipient: message.recipient })
  const next = async (claimed: ClaimedMessage) => {
    fixture.queue.push(claimed)
    dispatch.wake()
    await settled()
  }
  dispatch.open(connection)
  await settled()
  sent[0]?.(accepted)
  await next(toAna(2))
  sent[1]?.(accepted)
  await next(toAna(3))
  await next(another(4))
  assert.equal(sent.length, 3, 'two to Ana, and one to another')
  const { verdict } =
    calls.flatMap(({ attempted }) => attempted).find(({ seq }) => seq === 3) ?? assert.fail()
  assert.ok(verdict.kind === 'again' && verdict.unbegun)
  assert.equal(verdict.at, time.clock.now() + 1_000)
  time.pass(1_000)
  await next(toAna(3))
  assert.equal(sent.length, 4)
})

test('what may no longer be sent is told to those who wait, and makes room for what is behind it at once', async () => {
  const { fixture, dispatch, sent, connection } = setUp()
  fixture.refused.push({ id: 'msg_late', error: windowError })
  dispatch.open(connection)
  await settled()
  assert.deepEqual(
    fixture.verdicts.map((verdict) => verdict.kind === 'failed' && verdict.error.code),
    ['outside_reply_window'],
  )
  assert.equal(sent.length, 1)
})

test('with pauses, one message leaves at a time, retries as well, and one alarm waits for all; a new connection waits like the last', async () => {
  const { fixture, dispatch, calls, sent, time, connection } = setUp(64, null, {
    min_seconds: 2,
    max_seconds: 2,
    warm_up: [],
  })
  fixture.queue.push(another(2), { ...message, attempt: 2 })
  dispatch.open(connection)
  await settled()
  assert.equal(calls.length, 0, 'a server that starts begins with a pause')
  const passes = async (milliseconds: number) => {
    time.pass(milliseconds)
    await settled()
  }
  for (let left = 1; left <= 2; left++) {
    await passes(1_999)
    for (let index = 0; index < 10; index++) dispatch.wake()
    assert.equal(sent.length, left - 1)
    assert.equal(time.waiting, left, 'one alarm for the pause, and one for each answer that is owed')
    await passes(1)
    assert.equal(sent.length, left)
  }
  assert.ok(calls.every(({ claim }) => claim === 1))
  sent[0]?.(uncertain('the connection was lost'))
  await settled()
  dispatch.pause()
  dispatch.open(connection)
  await passes(1_999)
  assert.equal(sent.length, 2)
  await passes(1)
  assert.equal(sent.length, 3)
})
