import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { observedPostgres } from '../../../test/kit/observed-plans.ts'
import { startPostgres } from '../../../test/kit/postgres.ts'
import { accepting as textArgs } from '../../../test/kit/stores/accepting.ts'
import { bothStores } from '../../../test/kit/stores/both-stores.ts'
import { insertRows, outboxFunctions, selectRows } from '../../../test/kit/stores/outbox-store.ts'
import { acceptMessage } from '../../messages/outbox/accept/accept.ts'
import { networksOf } from '../../networks/driver/registry.ts'
import { joinNode } from '../../nodes/node-store.ts'
import { openPostgresStore } from '../../store/postgres/postgres.ts'
import { type Store, StoreUnavailable, transaction } from '../../store/store.ts'
import {
  type Candidate,
  findFree,
  hasFreeInstances,
  listOwn,
  listWaiting,
  releaseInstance,
  takeOverInstances,
} from './take-over.ts'
import { InstanceTaker } from './taker.ts'

interface Held {
  readonly args: Parameters<typeof takeOverInstances.run>[1]
  readonly holds: () => void
  readonly until: AbortSignal
}

/** Takes instances over, and does not commit that while it is held. */
const takeAndHold = transaction(
  'test.take-and-hold',
  async (tx, { args, holds, until }: Held) => {
    const taken = await takeOverInstances.run(tx, args)
    holds()
    // PostgreSQL ends a transaction that says nothing.
    while (!until.aborted) await tx.first(tx.sql.selectFrom('nodes').select('id'))
    return taken
  },
  { touches: ({ args }) => takeOverInstances.touches?.(args) ?? 'all' },
)

/** All instances. */
const listInstances = async (store: Store) => {
  const rows = await store.read(selectRows, { table: 'instances', columns: ['id', 'organization_id'] })
  return rows as unknown as Candidate[]
}

const functions = { ...outboxFunctions, transactions: [...outboxFunctions.transactions, takeAndHold] }
const thread = new URL('../../../test/kit/stores/outbox-store-thread.ts', import.meta.url)
const stores = await bothStores(functions, thread)
const postgres = await startPostgres()
after(() => (postgres.available ? postgres.server.stop() : undefined))

/** Stores organizations with so many free instances each, whose ids are `inst_a_0` and so on, and nodes that run. */
async function fill(store: Store, instances: Readonly<Record<string, number>>, nodes: readonly string[]) {
  for (const id of nodes)
    await store.transact(joinNode, { id, boot: id, version: '1', media: 'postgres', started_at: 0 })
  for (const [letter, count] of Object.entries(instances)) {
    const organization_id = `org_${letter}`
    const rows = [{ id: organization_id, name: letter, created_at: 0 }]
    await store.transact(insertRows, { table: 'organizations', rows })
    const ids = Array.from({ length: count }, (_, index) => `inst_${letter}_${index}`)
    const fixed = { network: 'sandbox', wanted: 'running', status: 'connected', status_since: 0 }
    const empty = { settings: '{}', credentials: new Uint8Array(), metadata: '{}', created_at: 0 }
    await store.transact(insertRows, {
      table: 'message_instances',
      rows: ids.map((id) => ({ instance_id: id, organization_id, instance_name: id })),
    })
    await store.transact(insertRows, {
      table: 'instances',
      rows: ids.map((id) => ({ id, organization_id, name: id, updated_at: 0, ...fixed, ...empty })),
    })
  }
}

/** The arguments of a take-over about messages. */
const recovery = { dedupingNetworks: [], limit: 100 }

const textOf = (letter: string) =>
  textArgs({ id: `msg_${letter}`, organization_id: `org_${letter}`, instance_id: `inst_${letter}_0` })

for (const { name, skip, newPlace } of stores)
  describe(`taking instances over, ${name}`, { skip }, () => {
    test('nodes that look at the same time find different ones, all of them together', async () => {
      const nodes = ['node_a', 'node_b', 'node_c']
      const store = await (await newPlace())()
      await fill(store, { a: 4, b: 5 }, nodes)
      const find = async (node: string, has: number) => {
        const found = await store.read(findFree, { node, has, total: 9, limit: 200 })
        return found.map(({ id }) => id)
      }
      const found = await Promise.all(nodes.map((node) => find(node, 0)))
      assert.deepEqual(
        found.map((ids) => ids.length),
        [3, 3, 3],
      )
      assert.equal(new Set(found.flat()).size, 9)
      assert.deepEqual(await find('node_c', 3), [], 'it has its part')
      assert.deepEqual(await find('node_none', 0), [], 'it does not run')
      // More are missing than are free: each begins elsewhere, and the last finds those before its beginning as well.
      const candidates = (await listInstances(store)).slice(0, 7)
      await store.transact(takeOverInstances, { node: 'node_a', now: 1, candidates, ...recovery })
      for (const node of nodes) assert.deepEqual((await find(node, 0)).toSorted(), ['inst_b_3', 'inst_b_4'])
      assert.deepEqual(await find('node_c', 2), ['inst_b_4'])
    })

    test('what another node has taken meanwhile is left to it, and its events are those of one take-over', async () => {
      const store = await (await newPlace())()
      await fill(store, { a: 3 }, ['node_a', 'node_b'])
      const candidates = await listInstances(store)
      const take = (node: string, some: typeof candidates) =>
        store.transact(takeOverInstances, { node, now: 1, candidates: some, ...recovery })
      await take('node_a', candidates.slice(1))
      const { instances } = await take('node_b', candidates)
      assert.deepEqual(
        instances.map(({ id, status, epoch }) => ({ id, status, epoch })),
        [{ id: 'inst_a_0', status: 'connecting', epoch: 1 }],
      )
      const own = await store.read(listOwn, { node: 'node_a', after: '', limit: 9 })
      assert.deepEqual(own, candidates.slice(1))
      assert.equal(await store.read(hasFreeInstances, null), false)
    })

    test('what may have been taken when the store did not answer is taken once it does', async () => {
      const store = await (await newPlace())()
      await fill(store, { a: 2 }, ['node_a'])
      // Four attempts to take, and one more.
      const unanswered = [1, 2, 3, 4, 5]
      let calls = 0
      const took: string[] = []
      const taker = new InstanceTaker({
        clock: new FakeTime().clock,
        store: {
          read: store.read.bind(store),
          async transact(...call) {
            const answer = await store.transact(...call)
            if (unanswered.includes(++calls)) throw new StoreUnavailable('the connection was lost')
            return answer
          },
        },
        ...{ node: { id: 'node_a', isAlone: false }, networks: networksOf([]), has: () => took.length },
        runs: (id) => took.includes(id),
        took: (instances) => took.push(...instances.map(({ id }) => id)),
      })
      await assert.rejects(taker.takeFree(), StoreUnavailable)
      assert.equal(await taker.isSomeFree(), true)
      assert.deepEqual(await taker.takeFree(), { instances: 2, interrupted_messages: 0 })
      assert.deepEqual(took, ['inst_a_0', 'inst_a_1'])
      assert.equal(await taker.isSomeFree(), false)
    })

    test('what a node is given is taken without a search, and not again if it runs already', async () => {
      const store = await (await newPlace())()
      await fill(store, { a: 3 }, ['node_a', 'node_b'])
      const [first, second] = (await listInstances(store)) as [Candidate, Candidate, Candidate]
      const reads: string[] = []
      const took: { id: string; epoch: number }[] = []
      const taker = new InstanceTaker({
        clock: new FakeTime().clock,
        store: {
          read(...call) {
            reads.push(call[0].name)
            return store.read(...call)
          },
          transact: store.transact.bind(store),
        },
        ...{ node: { id: 'node_a', isAlone: false }, networks: networksOf([]), has: () => took.length },
        runs: (id) => took.some((instance) => instance.id === id),
        took: (instances) => took.push(...instances),
      })
      taker.doubt(first)
      assert.equal((await taker.takeFree()).instances, 1)
      assert.deepEqual(reads, [])
      // It hears of it again, when it has it.
      taker.doubt(first)
      taker.doubt(second)
      await taker.takeFree()
      assert.deepEqual(
        took.map(({ id, epoch }) => ({ id, epoch })),
        [first, second].map(({ id }) => ({ id, epoch: 1 })),
      )
      await store.transact(releaseInstance, { id: first.id, organization: 'org_b', node: 'node_a' })
      await Promise.all(
        [first, second].map(({ id, organization_id: organization }) =>
          store.transact(releaseInstance, { id, organization, node: 'node_b' }),
        ),
      )
      assert.equal((await store.read(listOwn, { node: 'node_a', after: '', limit: 9 })).length, 2)
      await Promise.all(
        [first, second].map(({ id, organization_id: organization }) =>
          store.transact(releaseInstance, { id, organization, node: 'node_a' }),
        ),
      )
      assert.deepEqual(await store.read(listOwn, { node: 'node_a', after: '', limit: 9 }), [])
    })
  })

describe('nodes on one PostgreSQL', { skip: postgres.available ? false : postgres.reason }, () => {
  test('while a take-over of one organization is held open, another accepts, and that one waits for it', async (t) => {
    assert.ok(postgres.available)
    const { server } = postgres
    const url = await server.createDatabase()
    const open = async () => {
      const store = await openPostgresStore({ url, functions })
      t.after(() => store.close())
      return store
    }
    const [taking, accepting] = [await open(), await open()]
    await fill(taking, { a: 2, b: 1 }, ['node_a'])
    const candidates = (await listInstances(taking)).slice(0, 2)
    const holds = Promise.withResolvers<void>()
    const released = new AbortController()
    const args = { node: 'node_a', now: 1, candidates, ...recovery }
    const taken = taking.transact(takeAndHold, { args, holds: holds.resolve, until: released.signal })
    await Promise.race([holds.promise, taken])
    const accept = (letter: string) =>
      accepting.transact(acceptMessage, textOf(letter), { party: `org_${letter}` })
    let isAccepted = false
    try {
      assert.equal((await accept('b')).kind, 'accepted')
      const same = accept('a').then(({ kind }) => {
        isAccepted = true
        return kind
      })
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      while ((await server.query(waiting, [], url)).length === 0) await Promise.race([same, pause()])
      assert.equal(isAccepted, false)
      released.abort()
      assert.equal((await taken).instances.length, 2)
      assert.equal(await same, 'accepted')
    } finally {
      released.abort()
    }
  })

  test('instances of an owner, or of none, are found by the index of owners, also if the statistics say that all are that', async () => {
    assert.ok(postgres.available)
    const database = await observedPostgres(await postgres.server.createDatabase())
    await database.execute(`insert into nodes (id, boot, seen_at, version, schema, media, started_at)
      values ('node_a', 'a', 0, '1', '1', 'postgres', 0), ('node_gone', '', 0, '1', '1', 'postgres', 0)`)
    await database.execute(`insert into organizations (id, name, created_at) values ('org_a', 'a', 0)`)
    await database.execute(`insert into instances (id, organization_id, name, network, wanted, status, status_since, settings, credentials, metadata, created_at, updated_at)
      select 'inst_' || lpad(n::text, 6, '0'), 'org_a', 'instance-' || n, 'sandbox', 'running', 'connected', 0, '{}', '', '{}', 0, 0 from generate_series(1, 10000) as n`)
    for (const [before, now] of [
      [null, 'node_a'],
      ['node_gone', 'node_a'],
      ['node_a', 'node_gone'],
    ] as const) {
      await database.execute(`update instances set owner = ${before === null ? 'null' : `'${before}'`}`)
      await database.execute('analyze')
      await database.execute(`update instances set owner = '${now}' where id < 'inst_009000'`)
      const args = { node: 'node_a', has: 0, total: 10_000, limit: 200 }
      await database.observe(async () => {
        assert.equal((await findFree.run(database.session, args)).length, 200)
        assert.equal((await listOwn.run(database.session, { ...args, after: '' })).length, 200)
        await listWaiting.run(database.session, { ...args, after: '' })
      })
      const found = database.observed.splice(0).filter(({ sql }) => /"owner" is null|"owner", "id"/.test(sql))
      assert.ok(found.length >= 3)
      for (const { indexes, sql } of found) assert.deepEqual(indexes, ['instances_by_owner'], sql)
    }
    await database.close()
  })
})

/** Lets a moment pass before PostgreSQL is asked again. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 10))
