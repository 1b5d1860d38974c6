import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { observedPostgres, observedSqlite } from '../../test/kit/observed-plans.ts'
import { startPostgres } from '../../test/kit/postgres.ts'
import type { EventType } from '../contract/resources/event.ts'
import { steps } from '../events/stretches/new-stretches.ts'
import type { Transaction } from '../store/store.ts'
import { describeLife, howToWrite, lifeDocument } from './life.doc.ts'
import {
  life,
  type MessageEvent,
  type MessageState,
  messageEvents,
  messageStates,
  type StateFacts,
  stateOf,
  waitingStates,
} from './life.ts'
import { changedBy, settledStatus, type Waiting } from './transition.ts'

/** Progress of a message in each state; what is known of the message grows with it. */
const progress: Readonly<Record<MessageState, number>> = {
  queued: 0,
  retrying: 0,
  uncertain: 0,
  attempting: 0,
  reattempting: 0,
  unknown: 1,
  sent: 2,
  delivered: 3,
  read: 4,
  failed: 9,
  expired: 9,
  canceled: 9,
  received: 9,
}

const settled = (status: StateFacts['status']) =>
  [0, 1].map((uncertain): StateFacts => ({ status, underway: 0, uncertain }))

/** Rows of a message in each state. */
const rows: Readonly<Record<MessageState, readonly StateFacts[]>> = {
  queued: [{ status: 'queued', underway: 0, uncertain: 0 }],
  retrying: [{ status: 'sending', underway: 0, uncertain: 0 }],
  uncertain: [
    { status: 'queued', underway: 0, uncertain: 1 },
    { status: 'sending', underway: 0, uncertain: 1 },
  ],
  attempting: [{ status: 'sending', underway: 1, uncertain: 0 }],
  reattempting: [{ status: 'sending', underway: 1, uncertain: 1 }],
  sent: settled('sent'),
  delivered: settled('delivered'),
  read: settled('read'),
  failed: settled('failed'),
  expired: settled('expired'),
  canceled: settled('canceled'),
  unknown: settled('unknown'),
  received: settled('received'),
}

const isSettled = (state: MessageState) => progress[state] > 0
const mayBeSent = (state: MessageState) => ['uncertain', 'reattempting', 'unknown'].includes(state)
const event = fc.constantFrom(...messageEvents)

function everyLife(check: (from: MessageState, event: MessageEvent, to: MessageState) => void): void {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let state: MessageState = 'queued'
      for (const each of events) {
        const next: MessageState = life[state][each]
        check(state, each, next)
        state = next
      }
    }),
    { numRuns: 2_000 },
  )
}

describe('whatever happens to a message, in whatever order', () => {
  test('what is settled never comes back into the queue, and what is known never becomes less', () =>
    everyLife((from, _event, to) => {
      if (isSettled(from)) assert.ok(to === from || progress[to] > progress[from], `${from} to ${to}`)
    }))

  test('its steps come in the order that the journal gives to what many messages did at once', () =>
    everyLife((from, _event, to) => {
      const places = [from, to].map((state) => steps.indexOf(`message.${state}` as EventType))
      const [before = -1, after = -1] = places
      if (isSettled(from) && to !== from) assert.ok(before >= 0 && before < after, `${from} to ${to}`)
    }))

  test('what may have been sent is never said not to have been', () =>
    everyLife((from, happened, to) => {
      if (!mayBeSent(from)) return
      assert.ok(!['expired', 'canceled', 'queued', 'retrying', 'attempting'].includes(to), `${from} to ${to}`)
      if (to === 'failed') assert.deepEqual([from, happened], ['unknown', 'returned'])
    }))

  test('what the recipient confirmed is never taken back', () =>
    everyLife((from, _event, to) => {
      if (from === 'delivered' || from === 'read') assert.ok(['delivered', 'read'].includes(to))
    }))

  test('it is sent only if the network said so', () =>
    everyLife((from, happened, to) => {
      if (to === from) return
      if (to === 'sent') assert.ok(['acknowledged', 'shown', 'included'].includes(happened))
      if (to === 'delivered' || to === 'read') assert.equal(happened, to)
    }))

  test('an attempt begins only while none is under way', () =>
    everyLife((from, happened, to) => {
      if (happened !== 'claimed' || to === from) return
      assert.ok(['queued', 'retrying', 'uncertain'].includes(from))
    }))
})

test('a message that was never attempted ends failed for its file or its recipient alone, and is never unknown', () => {
  const ends = messageEvents.filter((each) => isSettled(life.queued[each]))
  assert.deepEqual(ends, [
    'window-closed',
    'opted-out',
    'target-lost',
    'included',
    'file-failed',
    'expired',
    'canceled',
    'discarded',
  ])
})

test('an event that comes twice changes nothing the second time', () => {
  for (const state of messageStates)
    for (const each of messageEvents) {
      const once = life[state][each]
      // Each attempt can be given back, so a second return is that of the other attempt.
      if (each !== 'returned') assert.equal(life[once][each], once, `${state} ${each}`)
    }
})

test('every message that is sent can be settled', () => {
  for (const state of messageStates)
    assert.ok(isSettled(state) || messageEvents.some((each) => isSettled(life[state][each])))
})

test('the drawing in the documentation is of this table', () => {
  const drawn = readFileSync(lifeDocument, 'utf8')
  assert.equal(drawn, describeLife(), `docs/message-life.md is out of date: run ${howToWrite}`)
})

test('a row tells the state that it is in', () => {
  for (const state of messageStates) for (const row of rows[state]) assert.equal(stateOf(row), state)
})

/**
 * Puts a message of every kind of row into the outbox, and carries out an event on all of them; returns the state of each before
 * and after.
 */
async function carryOut(tx: Transaction, happened: MessageEvent): Promise<[MessageState, MessageState][]> {
  await tx.run(tx.sql.deleteFrom('outbox'))
  const before: MessageState[] = []
  for (const state of waitingStates)
    for (const row of rows[state]) {
      await tx.run(tx.sql.insertInto('outbox').values({ ...waiting(before.length), ...(row as Waiting) }))
      before.push(state)
    }
  await tx.run(tx.sql.updateTable('outbox').set({ error: 'changed' }).where(changedBy(happened)))
  const kept = await tx.all(tx.sql.selectFrom('outbox').selectAll().orderBy('seq'))
  const settles = waitingStates.some((state) => isSettled(life[state][happened]))
  return kept.map((row, index) => {
    const was = before[index] as MessageState
    if (row.error !== 'changed') return [was, was]
    // An event that settles nothing only shows here which messages it changes.
    return [was, settles ? (settledStatus(row, happened) as MessageState) : life[was][happened]]
  })
}

test('a receipt that was noted says more than the event that settles a message', () => {
  const noted: Waiting = { status: 'sending', underway: 1, uncertain: 0, delivered_at: 1, read_at: null }
  for (const happened of ['acknowledged', 'refused', 'unanswered', 'discarded'] as const) {
    assert.equal(settledStatus(noted, happened), 'delivered')
    assert.equal(settledStatus({ ...noted, read_at: 2 }, happened), 'read')
  }
})

const waiting = (seq: number) => ({ seq, instance: 1, recipient: 'ana', expires_at: 1 })

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

describe('the statements of both stores say what the table says', () => {
  async function agree(tx: Transaction): Promise<void> {
    for (const happened of messageEvents)
      for (const [from, to] of await carryOut(tx, happened))
        assert.equal(to, life[from][happened], `${from} ${happened}`)
  }

  test('SQLite', async () => {
    const database = await observedSqlite()
    await agree(database.session)
    await database.close()
  })

  test('PostgreSQL', { skip: postgres.available ? false : postgres.reason }, async () => {
    assert.ok(postgres.available)
    const database = await observedPostgres(await postgres.server.createDatabase())
    await agree(database.session)
    await database.close()
  })
})
