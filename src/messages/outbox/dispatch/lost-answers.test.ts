import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { FakeTime } from '../../../../test/kit/fake-time.ts'
import { startPostgres } from '../../../../test/kit/postgres.ts'
import { randomOf } from '../../../../test/kit/random.ts'
import { accepting } from '../../../../test/kit/stores/accepting.ts'
import { inspectOutbox, outboxFunctions, resetOutbox } from '../../../../test/kit/stores/outbox-store.ts'
import { takeOverInstances } from '../../../instances/lifecycle/take-over.ts'
import type { DriverConnection } from '../../../networks/driver/connection.ts'
import type { OutgoingMessage } from '../../../networks/driver/message.ts'
import { accepted, type Outcome, rejected, uncertain } from '../../../networks/driver/outcome.ts'
import { sandbox } from '../../../networks/sandbox/driver.ts'
import { Changes } from '../../../runtime/changes.ts'
import { silentLog } from '../../../runtime/log.ts'
import { openPostgresStore } from '../../../store/postgres/postgres.ts'
import { beginWrite, PostgresConnection, postgresSql } from '../../../store/postgres/postgres-connection.ts'
import { postgresDialect } from '../../../store/postgres/postgres-work.ts'
import { StoreSession } from '../../../store/session.ts'
import { openSqliteStore } from '../../../store/sqlite/sqlite.ts'
import { type Store, StoreUnavailable, type TransactionFunction, type Turn } from '../../../store/store.ts'
import { isSettled } from '../../life.ts'
import { ownNetworkId } from '../../message.ts'
import { acceptMessage } from '../accept/accept.ts'
import { type SettleAndClaimArgs, type SettledAndClaimed, settleAndClaim } from '../queue/settle-and-claim.ts'
import { Dispatch } from './dispatch.ts'

/* The answer to a transaction of the outbox is lost: its commit took place, or it did not, or it is still to take place. */

const given = process.env.POSTHORN_TEST_SEED
const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)

const instance = { id: 'inst_1', network: 'sandbox' }
const recipients = ['ana', 'bert', 'carla', 'dora']
const refused = rejected({ code: 'recipient_gone', detail: 'Gone.', permanent: true })
const busy = rejected({ code: 'recipient_busy', detail: 'Busy.', permanent: false })
const outcomes = [accepted, accepted, refused, busy, uncertain('The connection broke.')]

/** Its network may take as long as it likes to answer. */
const driver = sandbox()
const patient = { ...driver, limits: { ...driver.limits, answer_timeout_seconds: 1_000_000 } }

let composed = 0

/** Accepts a message to the recipient, and tells its id. */
async function accept(store: Store, recipient: string, now: number): Promise<string> {
  const id = `msg_${++composed}`
  const message = { id, instance_id: instance.id, recipient, created_at: now }
  const { kind } = await store.transact(acceptMessage, accepting(message))
  assert.equal(kind, 'accepted')
  return id
}

interface Sent {
  readonly message: OutgoingMessage
  readonly answer: (outcome: Outcome) => void
}

/**
 * A dispatch over a store that loses answers to transactions, and a network that notices everything that must not happen.
 */
class Fixture {
  readonly time = new FakeTime()
  /** The part of all transactions whose answer is lost. */
  losses = 0.3
  /** Attempts that the network has not answered. */
  readonly open: Sent[] = []
  /** Times that each message was handed over, in the order of the first. */
  readonly handedOver = new Map<string, number>()
  /** The ids of all messages, in the order of acceptance. */
  readonly accepted: string[] = []
  /** Events that must not happen, and did. A connection that threw instead would be taken for one that broke. */
  readonly faults: string[] = []
  readonly #done = new Set<string>()
  readonly #asked = new Set<Promise<unknown>>()
  readonly #store: Store
  readonly #random: () => number
  readonly dispatch: Dispatch

  constructor(store: Store, random: () => number, epoch = 0) {
    this.#store = store
    this.#random = random
    const context = {
      ...this.time,
      node: { id: 'node_one', trusted: true },
      store: { transact: (...call: Parameters<Store['transact']>) => this.#ask(...call) } as Store,
      random,
      log: silentLog,
      openFile: () => assert.fail('a text has no file'),
      messageChanges: new Changes(),
      metrics: { attempted: () => {} },
    }
    const options = { id: instance.id, epoch, pacing: null, endConnection: () => {} }
    this.dispatch = new Dispatch(context, patient, options)
  }

  readonly connection: DriverConnection = {
    send: (message) => {
      if (this.#done.has(message.id)) this.faults.push(`${message.id} was sent after it had been settled`)
      if (this.open.some(({ message: { to } }) => to === message.to))
        this.faults.push('two were sent at once')
      this.handedOver.set(message.id, (this.handedOver.get(message.id) ?? 0) + 1)
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      this.open.push({ message, answer: resolve })
      return promise
    },
    probe: () => {},
    close: async () => {},
  }

  async #ask<A, R>(transaction: TransactionFunction<A, R>, args: A, turn?: Turn): Promise<R> {
    const asked = this.#loseSome(() => this.#store.transact(transaction, args, turn))
    this.#asked.add(asked)
    return asked.finally(() => this.#asked.delete(asked))
  }

  async #loseSome<R>(transact: () => Promise<R>): Promise<R> {
    const fate = this.#random()
    if (fate < this.losses / 2) throw new StoreUnavailable('lost before the commit')
    const answer = await transact()
    if (fate < this.losses) throw new StoreUnavailable('lost after the commit')
    return answer
  }

  /** The network answers the n-th attempt that is open. */
  answer(place: number, outcome: Outcome): void {
    const [sent] = this.open.splice(place, 1)
    if (sent && (outcome.kind === 'accepted' || outcome === refused)) this.#done.add(sent.message.id)
    sent?.answer(outcome)
  }

  /** The network answers everything, also what follows from that. */
  async answerAll(how: () => Outcome): Promise<void> {
    for (await this.quiet(); this.open.length > 0; await this.quiet()) this.answer(0, how())
  }

  async accept(recipient: string): Promise<void> {
    this.accepted.push(await accept(this.#store, recipient, this.time.now))
    this.dispatch.wake()
  }

  /** Until no transaction is under way and none follows by itself. */
  async quiet(): Promise<void> {
    do {
      await Promise.allSettled(this.#asked)
      await new Promise(setImmediate)
    } while (this.#asked.size > 0)
  }
}

async function playStory(store: Store, random: () => number): Promise<void> {
  const fixture = new Fixture(store, random)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const outcome = () => pick(outcomes)
  const deeds: (() => unknown)[] = [
    () => fixture.accept(pick(recipients)),
    () => fixture.answer(Math.floor(random() * fixture.open.length), outcome()),
    () => fixture.time.pass(Math.floor(random() * 2_000)),
    () => fixture.dispatch.open(fixture.connection),
    () => (random() < 0.3 ? fixture.dispatch.pause() : undefined),
  ]
  for (let round = 0; round < 80; round++) {
    await pick(deeds)()
    // Sometimes the next thing happens while a transaction is under way.
    if (random() < 0.7) await fixture.quiet()
  }
  fixture.losses = 0
  fixture.time.pass(1_000)
  await fixture.answerAll(outcome)
  await loseConnectionInDoubt(fixture, store, pick(recipients))
  fixture.dispatch.open(fixture.connection)
  for (let round = 0; round < 10; round++) {
    await fixture.answerAll(() => accepted)
    fixture.time.pass(300_000)
  }
  await checkEnd(fixture, store)
}

/** The connection goes while nothing is heard from the store. Once it is heard again, no message is left in between. */
async function loseConnectionInDoubt(fixture: Fixture, store: Store, recipient: string): Promise<void> {
  const { dispatch, time } = fixture
  fixture.losses = 1
  dispatch.open(fixture.connection)
  await fixture.accept(recipient)
  await fixture.quiet()
  dispatch.pause()
  await fixture.quiet()
  const settled = dispatch.settle().then(() => store.read(inspectOutbox, null))
  await fixture.quiet()
  fixture.losses = 0
  time.pass(1_000)
  const { messages } = await settled
  const stuck = messages.filter(({ underway }) => underway === 1)
  assert.deepEqual(stuck, [], 'nobody has these messages, and none of them is under way')
}

/** Every message was settled once, and its attempts are those that the network saw, the first ones in order. */
async function checkEnd({ accepted: ids, handedOver, faults }: Fixture, store: Store): Promise<void> {
  assert.deepEqual(faults, [])
  const { messages, depths } = await store.read(inspectOutbox, null)
  assert.deepEqual(
    messages.map(({ id, status, attempts }) => [id, isSettled(status), attempts]),
    ids.map((id) => [id, true, handedOver.get(ownNetworkId(id))]),
  )
  assert.deepEqual(depths, [{ id: instance.id, queue_depth: 0 }])
  for (const recipient of recipients) {
    const lane = messages.filter((row) => row.recipient === recipient).map(({ id }) => ownNetworkId(id))
    const order = [...handedOver.keys()].filter((id) => lane.includes(id))
    assert.deepEqual(order, lane, `the order in which ${recipient} had them for the first time`)
  }
}

async function playStories(store: Store, count: number): Promise<void> {
  for (let story = 0; story < count; story++) {
    await store.transact(resetOutbox, [instance])
    await playStory(store, randomOf(seed + story))
  }
}

/** A node gives an instance away while it does not hear from the store; the one that takes it over sends, and then it is heard. */
async function playHandOver(store: Store): Promise<void> {
  await store.transact(resetOutbox, [instance])
  const certain = () => 0.9
  const first = new Fixture(store, certain)
  first.losses = 0
  first.dispatch.open(first.connection)
  await first.accept('ana')
  await first.quiet()
  first.losses = 2
  await first.accept('bert')
  await first.quiet()
  first.dispatch.pause()
  await first.quiet()
  const candidates = [{ id: instance.id, organization_id: 'org_test' }]
  const taking = { node: 'node_two', now: 0, candidates, dedupingNetworks: ['sandbox'], limit: 100 }
  const { instances } = await store.transact(takeOverInstances, taking)
  const second = new Fixture(store, certain, instances[0]?.epoch)
  second.losses = 0
  second.dispatch.open(second.connection)
  await second.quiet()
  assert.equal(second.open.length, 2)
  first.losses = 0
  first.time.pass(1_000)
  await first.quiet()
  second.dispatch.wake()
  await second.quiet()
  assert.deepEqual([second.faults, second.open.length], [[], 2])
  await second.answerAll(() => accepted)
  const { messages } = await store.read(inspectOutbox, null)
  assert.deepEqual(
    messages.map(({ status }) => status),
    ['sent', 'sent'],
  )
  for (const count of second.handedOver.values()) assert.equal(count, 1)
}

const isNotUndone =
  'a dispatch that doubts what it has does not undo what another has claimed since it took the instance over'

const nothingIsLostOrSentTwice =
  'if answers to transactions are lost at random, nothing is handed over twice at once or again, and nothing is stuck'

test(`SQLite: ${nothingIsLostOrSentTwice}`, async (context) => {
  context.diagnostic(`POSTHORN_TEST_SEED=${seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-answers-'))
  const thread = new URL('../../../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
  const store = await openSqliteStore({ file: join(folder, 'test.db'), thread })
  try {
    await playStories(store, 40)
    await context.test(isNotUndone, () => playHandOver(store))
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
})

const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

describe('PostgreSQL', { skip: postgres.available ? false : postgres.reason }, () => {
  test(nothingIsLostOrSentTwice, async (context) => {
    context.diagnostic(`POSTHORN_TEST_SEED=${seed}`)
    const { store } = await openFresh()
    try {
      await playStories(store, 15)
    } finally {
      await store.close()
    }
  })

  test(isNotUndone, async () => {
    const { store } = await openFresh()
    await playHandOver(store).finally(() => store.close())
  })

  for (const end of ['commit', 'rollback'] as const) {
    test(`a transaction that is not over when its connection is lost is waited for: ${end}`, async () => {
      const { store, url } = await openFresh()
      const first = new pg.Client({ connectionString: url })
      try {
        await store.transact(resetOutbox, [instance])
        const id = await accept(store, 'ana', 0)
        await first.connect()
        const connection = new PostgresConnection(first, beginWrite('on'), false)
        const args: SettleAndClaimArgs = {
          instanceId: instance.id,
          attempted: [],
          claim: 1,
          claimPerRecipient: 1,
          now: 0,
          holding: null,
        }
        await connection.begin()
        const session = new StoreSession(postgresSql, postgresDialect, connection)
        const lost = await settleAndClaim.run(session, args)
        await session.sentArrived()
        assert.deepEqual(idsOf(lost), [id])
        // The next call could claim nothing, as if the connection to the network were gone.
        const doubting = store.transact(settleAndClaim, {
          ...args,
          claim: 0,
          holding: { attempts: [], epoch: 0 },
        })
        await Promise.race([untilWaiting(first), doubting.then(() => assert.fail('it did not wait'))])
        await connection[end]()
        await doubting
        const again = await store.transact(settleAndClaim, args)
        assert.deepEqual(
          again.claimed.map(({ id, attempt }) => [id, attempt]),
          [[id, 1]],
        )
      } finally {
        await first.end()
        await store.close()
      }
    })
  }
})

async function openFresh(): Promise<{ store: Store; url: string }> {
  assert.ok(postgres.available)
  const url = await postgres.server.createDatabase()
  return { store: await openPostgresStore({ url, functions: outboxFunctions }), url }
}

function idsOf({ claimed }: SettledAndClaimed): string[] {
  return claimed.map(({ id }) => id)
}

/** Waits until another connection waits for what this one has written. */
async function untilWaiting(holder: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await holder.query(
      'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
    )
    if (rows.length > 0) return
  }
}
