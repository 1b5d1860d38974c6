import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { BodyOf } from '../../../src/contract/operation.ts'
import { listAudit } from '../../../src/contract/operations/audit-operations.ts'
import { cancelMessages } from '../../../src/contract/operations/cancellation-operations.ts'
import {
  getInstance,
  startInstance,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { getMessage, sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import { getQuotas } from '../../../src/contract/operations/quota-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { databaseFor } from '../../kit/database.ts'
import type { CheckedClient } from '../../kit/http/checked-client.ts'
import { journalOf } from '../../kit/journal.ts'
import { create, eventually, everythingListed, inMs, reaches, text } from '../../kit/play.ts'
import { freshFolder, type Posthorn, spawnPosthorn, startPosthorn } from '../../kit/posthorn.ts'

type Body = BodyOf<typeof cancelMessages>
const later = () => inMs(3_600_000)

/** Calls until everything was looked through; resolves with how many were canceled, and in how many calls. */
async function cancelAll(client: CheckedClient, body: Body): Promise<{ canceled: number; calls: number }> {
  let canceled = 0
  let cursor = null as string | null
  for (let calls = 1; ; calls++) {
    const { body: done }: { body: { canceled: number; next_cursor: string | null } } = await client.call(
      cancelMessages,
      { body: { ...body, ...(cursor !== null && { cursor }) } },
    )
    canceled += done.canceled
    cursor = done.next_cursor
    if (cursor === null) return { canceled, calls }
  }
}

const canceledEvents = async (data: string) =>
  (await journalOf(data))
    .filter(({ type }) => type === 'message.canceled')
    .map((event) => event.data.message.id)

describe('canceling messages by filter', () => {
  let posthorn: Posthorn
  let admin: CheckedClient

  before(async () => {
    posthorn = await startPosthorn()
    ;({ admin } = posthorn)
    for (const name of ['first', 'second']) await create(admin, name)
  })

  after(() => posthorn.stop())

  const schedule = (instance: string, to: string, more: { text?: string; client_ref?: string } = {}) =>
    text(admin, { instance, to, send_at: later(), ...more })

  const statuses = async (messages: readonly Message[]) =>
    Promise.all(
      messages.map(async ({ id }) => (await admin.call(getMessage, { params: { id } })).body.status),
    )

  test('takes what is queued and matches every filter, and nothing else', async () => {
    const ana = await schedule('first', 'ana@accepts.sandbox', { text: 'Summer SALE', client_ref: 'one' })
    const bert = await schedule('first', 'bert@accepts.sandbox', { text: 'Winter', client_ref: 'one' })
    const other = await schedule('second', 'ana@accepts.sandbox', { text: 'Summer sale' })
    const sent = await text(admin, { instance: 'first', to: 'ana@accepts.sandbox', text: 'sale' }, 10)
    const all = [ana, bert, other]
    const waiting = { queued: 'queued', canceled: 'canceled' } as const
    const { queued, canceled } = waiting
    const cases: readonly [Body, number, readonly string[]][] = [
      [{ text: 'autumn' }, 0, [queued, queued, queued]],
      [{ created_before: ana.created_at, status: 'queued' }, 0, [queued, queued, queued]],
      [{ instance: 'first', text: 'sale' }, 1, [canceled, queued, queued]],
      [{ conversation: 'ana@accepts.sandbox', to: 'bert@accepts.sandbox' }, 0, [canceled, queued, queued]],
      [{ client_ref: 'one', created_after: bert.created_at }, 1, [canceled, canceled, queued]],
      [{ to: 'ana@accepts.sandbox' }, 1, [canceled, canceled, canceled]],
      [{ all: true }, 0, [canceled, canceled, canceled]],
    ]
    for (const [body, count, after_] of cases) {
      assert.deepEqual(await cancelAll(admin, body), { canceled: count, calls: 1 }, JSON.stringify(body))
      assert.deepEqual(await statuses(all), after_, JSON.stringify(body))
    }
    assert.deepEqual(await statuses([sent]), ['sent'])
    const entries = (await admin.call(listAudit, { query: { action: 'cancelMessages' } })).body.data
    assert.deepEqual(
      entries.map(({ instance }) => instance),
      [null, null, 'first'],
      'one entry for each call that changed something',
    )
  })

  test('refuses what names nothing, an instance that is not there, and a strange cursor', async () => {
    for (const [body, code] of [
      [{}, 'invalid_request'],
      [{ all: false }, 'invalid_request'],
      [{ all: true, cursor: 'bm90LWEtY3Vyc29y' }, 'invalid_request'],
      [{ instance: 'third' }, 'instance_not_found'],
    ] as const)
      await assert.rejects(admin.call(cancelMessages, { body }), { code })
  })

  test('takes the messages of nobody else', async () => {
    const [own, others] = [
      await schedule('second', 'ana@accepts.sandbox'),
      await schedule('first', 'ana@accepts.sandbox'),
    ]
    await posthorn.createOrganization('other')
    const foreign = posthorn.client((await posthorn.createKey('other', 'send')).key)
    assert.deepEqual(await cancelAll(foreign, { all: true }), { canceled: 0, calls: 1 })
    await assert.rejects(foreign.call(cancelMessages, { body: { instance: 'first' } }), {
      code: 'instance_not_found',
    })
    const limited = posthorn.client(
      (await posthorn.createKey('default', 'send', { instances: ['second'] })).key,
    )
    await assert.rejects(limited.call(cancelMessages, { body: { instance: 'first' } }), {
      code: 'instance_not_found',
    })
    assert.deepEqual(await cancelAll(limited, { to: 'ana@accepts.sandbox' }), { canceled: 1, calls: 1 })
    assert.deepEqual(await statuses([own, others]), ['canceled', 'queued'])
    await cancelAll(admin, { all: true })
  })

  test('gives back the places, the quota and the files, and lets go on who waited behind', async () => {
    const form = new FormData()
    const fields = { instance: 'first', to: 'zoe@accepts.sandbox', kind: 'document', send_at: later() }
    for (const [field, value] of Object.entries(fields)) form.set(field, value)
    form.set('file', new Blob(['x'.repeat(200_000)]), 'large.txt')
    const file = (await admin.call(sendMediaMessage, { body: form })).body
    const queue = async () => (await admin.call(getInstance, { params: { name: 'first' } })).body.queue.depth
    const usage = async () => (await admin.call(getQuotas)).body
    const [depth, used] = [await queue(), await usage()]
    assert.equal((await cancelAll(admin, { conversation: 'zoe@accepts.sandbox' })).canceled, 1)
    assert.deepEqual(await statuses([file]), ['canceled'])
    assert.equal(await queue(), depth - 1)
    const { unsettled_messages, file_bytes } = await usage()
    assert.equal(unsettled_messages.used, used.unsettled_messages.used - 1)
    assert.ok(file_bytes.used <= used.file_bytes.used - 200_000)
    const params = { name: 'second' }
    await admin.call(stopInstance, { params, waitSeconds: 10 })
    const queued = (said: string) =>
      text(admin, { instance: 'second', to: 'zoe@accepts.sandbox', text: said })
    const [ahead, behind] = [await queued('Taken back'), await queued('Still sent')]
    assert.equal((await cancelAll(admin, { text: 'taken back' })).canceled, 1)
    await admin.call(startInstance, { params, waitSeconds: 10 })
    await reaches(admin, behind.id, 'sent')
    assert.deepEqual(await statuses([ahead]), ['canceled'])
  })
})

test('what is canceled in many parts is canceled once, although the server is killed in between', async (context) => {
  const data = freshFolder()
  const start = async () => spawnPosthorn(data, await databaseFor(data))
  let server = await start()
  context.after(async () => {
    await server.end('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  })
  await create(server.admin, 'many')
  const count = 700
  const send_at = later()
  const send = (index: number) =>
    text(server.admin, {
      instance: 'many',
      to: `p${index % 40}@accepts.sandbox`,
      text: `No. ${index}`,
      send_at,
    })
  for (let sent = 0; sent < count; sent += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => send(sent + index)))
  const kept = await text(server.admin, { instance: 'many', to: 'p1@accepts.sandbox', text: 'Kept', send_at })
  const first = await server.admin.call(cancelMessages, { body: { text: 'no. ' } })
  assert.ok(first.body.canceled > 0 && first.body.canceled < count && first.body.next_cursor !== null)
  const killed = server.admin
    .call(cancelMessages, { body: { text: 'no. ', cursor: first.body.next_cursor ?? '' } })
    .catch(() => undefined)
  await eventually(
    'another part',
    async () => (await canceledEvents(data)).length,
    (canceled) => canceled > first.body.canceled,
  )
  await server.end('SIGKILL')
  await killed
  server = await start()
  await cancelAll(server.admin, { text: 'no. ' })
  const messages = await everythingListed(server.admin, { limit: 200 })
  assert.deepEqual(
    messages.filter(({ status }) => status !== 'canceled').map(({ id }) => id),
    [kept.id],
  )
  const events = await canceledEvents(data)
  assert.equal(events.length, count)
  assert.equal(new Set(events).size, count)
  const { body: instance } = await server.admin.call(getInstance, { params: { name: 'many' } })
  assert.equal(instance.queue.depth, 1)
})
