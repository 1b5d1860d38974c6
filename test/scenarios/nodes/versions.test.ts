import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { type Line, PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { longLease, Nodes } from '../../kit/nodes/nodes.ts'
import { create, eventually } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import type { PosthornProcess } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

const instanceNames = ['ana', 'ben', 'cem']
const linesOf = (client: string): Line[] =>
  instanceNames.map((instance) => ({ instance, to: `${client}@accepts.sandbox`, patient: true }))

const preloaded = new URL('../../kit/nodes/later-version.ts', import.meta.url).href

/** The settings of a server with so many more steps of the schema than this version has: one that expands it, and one that contracts it. */
const later = (steps: number) => ({
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${preloaded}`.trimStart(),
  PLANTED_STEPS: String(steps),
})

const more = (sender: PersistentSender) => {
  const enough = sender.acknowledged.length + 6
  return eventually(
    'texts to be acknowledged',
    async () => sender.acknowledged.length,
    (count) => count >= enough,
  )
}

/** Finds the planted column, with its index: whether that is valid. */
const findPlanted = (server: PostgresServer, url: string) =>
  server.query<{ index: boolean | null }>(
    `select (select indisvalid from pg_index where indexrelid = to_regclass('messages_planted')) as index
     from information_schema.columns where table_name = 'messages' and column_name = 'planted'`,
    [],
    url,
  )

/** Leaves the planted index as if building it had been interrupted. */
async function interruptBuilding(server: PostgresServer, url: string): Promise<void> {
  const statements = [
    `update pg_index set indisvalid = false where indexrelid = to_regclass('messages_planted')`,
    `update migrations set indexed = 0 where name = '0002-planted-expansion'`,
  ]
  for (const statement of statements) await server.query(statement, [], url)
}

describe('versions side by side on one database', () => {
  let postgres: PostgresForTests<PostgresServer>
  before(async () => {
    postgres = await startOwnPostgres()
  })
  after(() => (postgres.available ? postgres.server.stop() : undefined))

  test('nodes are upgraded one after the other, and back, while all of them serve; the schema is contracted by the last', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const { server } = postgres
    const nodes = await Nodes.on(server, longLease)
    t.after(() => nodes.end())
    const planted = () => findPlanted(server, nodes.url)
    let one = await nodes.start('one')
    for (const name of instanceNames) await create(one.admin, name)
    const senders = new Map([['one', new PersistentSender(one, linesOf('one'))]])
    const restart = async (name: string, running: PosthornProcess, version = {}) => {
      assert.equal(await running.end('SIGTERM'), 0)
      const again = await nodes.start(name, version)
      senders.get(name)?.moveTo(again)
      return again
    }
    const allGoOn = () => Promise.all([...senders.values()].map(more))
    await allGoOn()

    const two = await nodes.start('two', later(1))
    senders.set('two', new PersistentSender(two, linesOf('two')))
    assert.deepEqual(await planted(), [{ index: true }])
    await allGoOn()

    await interruptBuilding(server, nodes.url)
    one = await restart('one', one)
    assert.deepEqual(await planted(), [{ index: false }], 'one does not know how to build it')
    await allGoOn()

    const three = await nodes.start('three', later(2))
    senders.set('three', new PersistentSender(three, linesOf('three')))
    assert.deepEqual(await planted(), [{ index: true }], 'others need what it would remove')
    await allGoOn()

    one = await restart('one', one, later(2))
    assert.deepEqual(await planted(), [{ index: true }], 'one still needs what it would remove')
    await restart('two', two, later(2))
    assert.deepEqual(await planted(), [])
    await allGoOn()
    await assert.rejects(nodes.start('four'), /newer Posthorn.*0003-planted-contraction.*start that version/s)

    await Promise.all([...senders.values()].map((sender) => sender.finish()))
    for (const name of instanceNames)
      await eventually(
        'an empty queue',
        async () => (await one.admin.call(getInstance, { params: { name } })).body.queue.depth,
        (depth) => depth === 0,
      )
    const acknowledged = [...senders.values()].flatMap((sender) => sender.acknowledged)
    const { repeats: _, ...broken } = countArrivals(acknowledged, nodes.arrived())
    assert.deepEqual(broken, { lost: [], doubled: [], renamed: [], overtaking: [] })
  })

  test('a node serves while another builds the indexes that both want, and builds them at a later start if that never ended', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const { server } = postgres
    const nodes = await Nodes.on(server, longLease)
    t.after(() => nodes.end())
    assert.equal(await (await nodes.start('one')).end('SIGTERM'), 0)
    const another = new pg.Client({ connectionString: nodes.url })
    await another.connect()
    await another.query('select pg_advisory_lock(7067450903)')
    const one = await nodes.start('one', later(1))
    assert.deepEqual(await findPlanted(server, nodes.url), [{ index: null }])
    await create(one.admin, 'ana')
    await another.end()
    assert.equal(await one.end('SIGTERM'), 0)
    await nodes.start('one', later(1))
    assert.deepEqual(await findPlanted(server, nodes.url), [{ index: true }])
  })
})
