import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { stopInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { longLease, Nodes } from '../../kit/nodes/nodes.ts'
import { areHeldTogether, slowRate } from '../../kit/nodes/shared-rate.ts'
import { create, reaches } from '../../kit/play.ts'
import { startOwnPostgres } from '../../kit/postgres.ts'
import { startPgBouncer, whyNoPgBouncer } from '../../kit/processes/pgbouncer.ts'

/** Two nodes behind PgBouncer in transaction mode, where no word of the other comes; undefined if the test was skipped. */
async function twoNodes(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const missing = whyNoPgBouncer()
  if (missing) return void t.skip(missing)
  const postgres = await startOwnPostgres()
  if (!postgres.available) return void t.skip(postgres.reason)
  t.after(() => postgres.server.stop())
  const database = await postgres.server.createDatabase()
  const pooler = await startPgBouncer(database)
  t.after(() => pooler.stop())
  const url = pooler.url(new URL(database).pathname.slice(1))
  const nodes = Nodes.at(url, environment)
  t.after(() => nodes.end())
  return { nodes, first: await nodes.start('first'), second: await nodes.start('second') }
}

test('two nodes behind PgBouncer send, order and take over', async (t) => {
  const scene = await twoNodes(t)
  if (!scene) return
  const { nodes, first, second } = scene
  await create(first.admin, 'trial')
  for (let number = 0; number < 6; number++) {
    const body = { instance: 'trial', to: 'ana@accepts.sandbox', text: `${number}` }
    const { body: sent } = await (number % 2 ? first : second).admin.call(sendTextMessage, {
      body,
      waitSeconds: 10,
    })
    await reaches(second.admin, sent.id, 'sent')
  }
  const stopped = await second.admin.call(stopInstance, { params: { name: 'trial' }, waitSeconds: 10 })
  assert.equal(stopped.body.status, 'stopped')
  assert.deepEqual(
    nodes.arrived().map(({ text }) => text),
    Array.from({ length: 6 }, (_, number) => `${number}`),
  )
  // A node that dies is replaced here as well.
  await first.end('SIGKILL')
  await create(second.admin, 'other')
})

test('two nodes behind PgBouncer hold a key to its rate together', async (t) => {
  const scene = await twoNodes(t, { ...slowRate, ...longLease })
  if (scene) await areHeldTogether([scene.first, scene.second])
})
