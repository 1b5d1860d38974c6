import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createInstance,
  deleteInstance,
  getInstance,
  listInstances,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { countArrivals } from '../../kit/crash/count-arrivals.ts'
import { type Line, PersistentSender } from '../../kit/crash/persistent-sender.ts'
import { Nodes } from '../../kit/nodes/nodes.ts'
import { areHeldTogether, slowRate } from '../../kit/nodes/shared-rate.ts'
import { eventually } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import type { PosthornProcess } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

const otherKey = 'fedcba9876543210ffeeddccbbaa99887766554433221100fedcba9876543210'
const names = ['one', 'two', 'three', 'four', 'five', 'six']
const lines: Line[] = names.flatMap((instance) =>
  ['delivers', 'accepts'].map((behaviour) => ({ instance, to: `ana@${behaviour}.sandbox`, patient: true })),
)

/** All instances are connected, as this node sees it. */
const allConnected = ({ admin }: PosthornProcess) =>
  eventually(
    'all instances to be connected',
    async () => (await admin.call(listInstances)).body.data.map(({ status }) => status),
    (statuses) => statuses.length === names.length && statuses.every((status) => status === 'connected'),
  )

describe('several nodes on one database', () => {
  let postgres: PostgresForTests<PostgresServer>
  before(async () => {
    postgres = await startOwnPostgres()
  })
  after(() => (postgres.available ? postgres.server.stop() : undefined))

  const someMore = (sender: PersistentSender, count: number) => {
    const enough = sender.acknowledged.length + count
    return eventually(
      'some load',
      async () => sender.acknowledged.length,
      (now) => now >= enough,
    )
  }

  test('each answers for the instances of all: creates, sends, waits, orders and removes', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    await first.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })

    const text = { instance: 'trial', to: 'ana@delivers.sandbox', text: 'Hello' }
    const asked = performance.now()
    const sent = await second.admin.call(sendTextMessage, { body: text, waitSeconds: 60 })
    assert.ok(['sent', 'delivered'].includes(sent.body.status), sent.body.status)
    assert.ok(performance.now() - asked < 55_000, 'it heard that the other node had sent the text')
    const shown = await second.admin.call(getInstance, { params: { name: 'trial' } })
    assert.equal(shown.body.status, 'connected')

    const stopped = await second.admin.call(stopInstance, { params: { name: 'trial' }, waitSeconds: 10 })
    assert.equal(stopped.body.status, 'stopped')
    assert.equal((await first.admin.call(getInstance, { params: { name: 'trial' } })).body.status, 'stopped')
    const removed = await second.admin.call(deleteInstance, { params: { name: 'trial' } })
    assert.equal(removed.status, 204)
    await assert.rejects(first.admin.call(getInstance, { params: { name: 'trial' } }), {
      code: 'instance_not_found',
    })
  })

  test('hold a key to its rate together', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server, slowRate)
    t.after(() => nodes.end())
    const processes = [await nodes.start('first'), await nodes.start('second')] as const
    await areHeldTogether(processes)
  })

  test('refuse one that would not find their files, or that knows better what happened', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const withFiles = nodes.start('second', { POSTHORN_MEDIA_STORE: 'files' })
    await assert.rejects(
      withFiles,
      /keeps files in `postgres`, where this one would not find them; set POSTHORN_MEDIA_STORE/,
    )
    const withKey = nodes.start('third', { POSTHORN_MASTER_KEY: otherKey })
    await assert.rejects(withKey, /the master key .* is not the one/)
    assert.equal((await first.admin.call(listInstances)).status, 200)
  })

  test('one that is killed loses nothing and doubles nothing: the others run its instances within seconds', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const nodes = await Nodes.on(postgres.server)
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    for (const [index, name] of names.entries())
      await (index % 2 ? first : second).admin.call(createInstance, { body: { name }, waitSeconds: 10 })
    await allConnected(first)
    const sender = new PersistentSender(second, lines)
    await someMore(sender, 100)

    await first.end('SIGKILL')
    await someMore(sender, 100)
    await allConnected(second)
    await sender.finish()
    for (const { id } of sender.acknowledged.slice(-50)) {
      const read = async () => (await second.admin.call(getMessage, { params: { id } })).body.status
      await eventually('it to be sent', read, (status) => status === 'sent' || status === 'delivered')
    }
    const { repeats, ...count } = countArrivals(sender.acknowledged, nodes.arrived())
    assert.deepEqual(count, { lost: [], doubled: [], renamed: [], overtaking: [] })
    assert.ok(repeats <= lines.length, `${repeats} were repeated, and at most one of each line was under way`)
  })
})
