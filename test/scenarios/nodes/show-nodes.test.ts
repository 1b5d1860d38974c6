import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../../src/contract/operations/message-operations.ts'
import { drainNode, listNodes } from '../../../src/contract/operations/node-operations.ts'
import { createCheckedClient } from '../../kit/http/checked-client.ts'
import { longLease, Nodes } from '../../kit/nodes/nodes.ts'
import { create, eventually, reaches } from '../../kit/play.ts'
import { type PostgresForTests, startOwnPostgres } from '../../kit/postgres.ts'
import { startPosthorn } from '../../kit/posthorn.ts'
import type { PostgresServer } from '../../kit/processes/postgres-server.ts'

test('on the embedded store the operator sees one node, which cannot be drained', async (t) => {
  const posthorn = await startPosthorn()
  t.after(() => posthorn.stop())
  await posthorn.admin.call(createInstance, { body: { name: 'trial' }, waitSeconds: 10 })
  const operator = posthorn.client(readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim())
  const { data } = (await operator.call(listNodes)).body
  assert.equal(data.length, 1)
  const [node = assert.fail()] = data
  const { status, instances, keeps_house, delivery_parts, responded } = node
  assert.deepEqual(
    { status, instances, keeps_house, delivery_parts, responded },
    { status: 'running', instances: 1, keeps_house: true, delivery_parts: 64, responded: true },
  )
  await assert.rejects(operator.call(drainNode, { params: { node: node.id } }), { code: 'no_other_node' })
  const unknown = { params: { node: `node_${'0'.repeat(26)}` } }
  await assert.rejects(operator.call(drainNode, unknown), { code: 'node_not_found' })
})

describe('two nodes on one database', () => {
  let postgres: PostgresForTests<PostgresServer>
  before(async () => {
    postgres = await startOwnPostgres()
  })
  after(() => (postgres.available ? postgres.server.stop() : undefined))

  test('one is drained once however often it is asked, the last one is not, and one that is killed is gone', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const token = `operator-${'x'.repeat(40)}`
    const nodes = await Nodes.on(postgres.server, { POSTHORN_OPERATOR_TOKEN: token })
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    const second = await nodes.start('second')
    const operator = createCheckedClient({ baseUrl: second.url, key: token })
    const shown = async () => (await operator.call(listNodes)).body.data
    const [other = assert.fail()] = (await shown()).filter(({ responded }) => !responded)
    const [own = assert.fail()] = (await shown()).filter(({ responded }) => responded)
    for (const _ of ['first', 'again']) {
      const { body } = await operator.call(drainNode, { params: { node: other.id } })
      assert.equal(body.status, 'draining')
    }
    await assert.rejects(operator.call(drainNode, { params: { node: own.id } }), { code: 'no_other_node' })
    await first.end('SIGKILL')
    const statusOfOther = async () => (await shown()).find(({ id }) => id === other.id)?.status
    await eventually('it to be gone', statusOfOther, (status) => status === 'gone')
  })

  test('one that is drained gives its instances and its work to the other, which goes on at once', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const token = `operator-${'y'.repeat(40)}`
    const nodes = await Nodes.on(postgres.server, { ...longLease, POSTHORN_OPERATOR_TOKEN: token })
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    await create(first.admin, 'one')
    await create(first.admin, 'two')
    const second = await nodes.start('second')
    const operator = createCheckedClient({ baseUrl: second.url, key: token })
    const shown = async () => (await operator.call(listNodes)).body.data
    const drained = (await shown()).find(({ responded }) => !responded)?.id ?? assert.fail()
    await eventually('the work to be shared', shown, (data) =>
      data.every(({ delivery_parts }) => delivery_parts > 0),
    )

    await operator.call(drainNode, { params: { node: drained } })
    const has = (id: string) => async () => (await shown()).find((node) => node.id === id)
    await eventually(
      'it to have nothing',
      has(drained),
      (node) => node?.instances === 0 && node.delivery_parts === 0,
    )
    for (const instance of ['one', 'two']) {
      const body = { instance, to: 'ana@accepts.sandbox', text: 'Hello' }
      const sent = await first.admin.call(sendTextMessage, { body, waitSeconds: 10 })
      await reaches(first.admin, sent.body.id, 'sent')
    }
    assert.deepEqual(
      nodes.arrived().map(({ epoch }) => epoch),
      [2, 2],
    )
    assert.equal(await first.end('SIGTERM'), 0)
  })

  test('one that is drained takes everything back when the last other one dies', async (t) => {
    if (!postgres.available) return t.skip(postgres.reason)
    const token = `operator-${'z'.repeat(40)}`
    const nodes = await Nodes.on(postgres.server, { POSTHORN_OPERATOR_TOKEN: token })
    t.after(() => nodes.end())
    const first = await nodes.start('first')
    await create(first.admin, 'one')
    const second = await nodes.start('second')
    const operator = createCheckedClient({ baseUrl: first.url, key: token })
    const own = async () =>
      (await operator.call(listNodes)).body.data.find(({ responded }) => responded) ?? assert.fail()
    await operator.call(drainNode, { params: { node: (await own()).id } })
    await eventually('it to have nothing', own, (node) => node.instances === 0 && node.delivery_parts === 0)
    await second.end('SIGKILL')
    await eventually('it to have all', own, (node) => node.instances === 1 && node.delivery_parts === 64)
    const body = { instance: 'one', to: 'ana@accepts.sandbox', text: 'Hello' }
    const sent = await first.admin.call(sendTextMessage, { body, waitSeconds: 10 })
    await reaches(first.admin, sent.body.id, 'sent')
    assert.equal((await own()).status, 'draining')
  })
})
