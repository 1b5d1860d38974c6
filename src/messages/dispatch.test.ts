import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import type { Connection } from '../networks/driver.ts'
import { accepted, type Outcome } from '../networks/outcome.ts'
import { sandbox } from '../networks/sandbox/driver.ts'
import { Changes } from '../runtime/changes.ts'
import { silentLog } from '../runtime/log.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { Dispatch } from './dispatch.ts'
import type { Claimed, TurnArgs } from './outbox.ts'

const message: Claimed = {
  seq: 1,
  id: 'msg_1',
  recipient: 'ana@delivers.sandbox',
  text: 'Good morning',
  network_message_id: 'network-1',
  attempt: 1,
}

/** A dispatch between a store and a network that do what the test says. */
function staged() {
  const time = new FakeTime()
  const turns: TurnArgs[] = []
  const sent: ((outcome: Outcome) => void)[] = []
  const stage = {
    time,
    turns,
    sent,
    away: false,
    queue: [message],
    /** What is due in the meantime of a turn. */
    meanwhile: () => {},
    connection: {
      send: () => new Promise<Outcome>((resolve) => sent.push(resolve)),
      probe: () => {},
      close: async () => {},
    } satisfies Connection,
  }
  const transact = async (_: unknown, args: TurnArgs) => {
    turns.push(args)
    stage.meanwhile()
    if (stage.away) throw new StoreUnavailable('the store is away')
    return { claimed: stage.queue.splice(0, args.claim), nextTurnAt: null }
  }
  const context = {
    ...time,
    store: { transact } as unknown as Store,
    random: () => 0,
    log: silentLog,
    messageChanges: new Changes(),
    onVerdict: () => {},
  }
  const dispatch = new Dispatch(context as never, sandbox(), 'inst_1', null)
  return { ...stage, stage, dispatch }
}

const settled = () => new Promise(setImmediate)

test('an answer that the store could not keep is kept when it is back, also where the connection went meanwhile', async () => {
  const { stage, dispatch, turns, sent, time, connection } = staged()
  dispatch.open(connection)
  await settled()
  stage.away = true
  sent[0]?.(accepted)
  await settled()
  dispatch.pause()
  await settled()
  stage.away = false
  time.pass(1_000)
  await dispatch.settle()
  assert.deepEqual(turns.at(-1)?.attempted, [
    { seq: 1, recipient: message.recipient, verdict: { kind: 'sent' } },
  ])
})

test('after a turn without an answer, the next says what is really under way; the one after that need not', async () => {
  const { stage, dispatch, turns, time, connection } = staged()
  dispatch.open(connection)
  await settled()
  stage.away = true
  dispatch.wake()
  await settled()
  stage.away = false
  time.pass(1_000)
  await settled()
  dispatch.wake()
  await settled()
  assert.deepEqual(
    turns.slice(-3).map(({ holding }) => holding),
    [null, [1], null],
  )
})

test('what was claimed while the connection went is given back as never begun', async () => {
  const { stage, dispatch, turns, sent, connection } = staged()
  stage.meanwhile = () => dispatch.pause()
  dispatch.open(connection)
  await dispatch.settle()
  assert.equal(sent.length, 0)
  const verdict = turns.at(-1)?.attempted[0]?.verdict
  assert.ok(verdict?.kind === 'again' && verdict.unbegun && !verdict.uncertain)
})

test('a driver that throws has left everybody uncertain', async () => {
  const { dispatch, turns, connection } = staged()
  const send = () => Promise.reject(new Error('a mistake'))
  dispatch.open({ ...connection, send })
  await dispatch.settle()
  const verdict = turns.at(-1)?.attempted[0]?.verdict
  assert.ok(verdict?.kind === 'again' && verdict.uncertain)
})

test('while the network restricts the account nothing is claimed; afterwards it is', async () => {
  const { dispatch, turns, sent, time, connection } = staged()
  dispatch.restrict({ code: 'quota', scope: 'all_messages', since: 0, ends_at: 60_000 })
  dispatch.open(connection)
  await settled()
  assert.deepEqual([turns.length, sent.length], [0, 0])
  time.pass(60_000)
  await settled()
  assert.equal(sent.length, 1)
})
