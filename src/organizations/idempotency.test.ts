import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isMainThread } from 'node:worker_threads'
import { freshFolder } from '../../test/kit/posthorn.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import { serveSqliteStore } from '../store/sqlite/sqlite-thread.ts'
import { read, type Store, transaction } from '../store/store.ts'
import {
  forgetReplies,
  type IdempotencyScope,
  type KeptReply,
  keepReply,
  recallReply,
} from './idempotency.ts'

/** Answers as an operation does: a repeated request gets the stored reply, and a new reply is stored with the answer. */
const answer = transaction(
  'test.answer',
  async (tx, { scope, reply, at }: { scope: IdempotencyScope; reply: KeptReply; at: number }) => {
    const before = await recallReply(tx, scope)
    if (before) return before
    await keepReply(tx, scope, reply, at)
    return { kind: 'first' as const }
  },
)

const countKept = read('test.count', async (reader, _: null) => {
  const query = reader.sql.selectFrom('idempotency').select((eb) => eb.fn.countAll<number>().as('count'))
  return (await reader.first(query))?.count
})

const scope: IdempotencyScope = {
  organizationId: 'org_1',
  operation: 'sendTextMessage',
  key: 'my-key',
  fingerprint: 'f1',
}
const reply: KeptReply = { status: 202, location: '/v1/messages/msg_1', body: '{"id":"msg_1"}' }
const other: KeptReply = { status: 201, location: null, body: '{}' }

/** The store's functions run on its thread, where this file is loaded again. */
if (isMainThread) play()
else await serveSqliteStore({ reads: [countKept], transactions: [answer, forgetReplies] })

function play(): void {
  const data = freshFolder()
  let store: Store

  before(async () => {
    store = await openSqliteStore({ file: join(data, 'posthorn.db'), thread: new URL(import.meta.url) })
  })

  after(async () => {
    await store.close()
    rmSync(data, { recursive: true, force: true })
  })

  test('the same key and the same request get the first reply, word for word', async () => {
    assert.deepEqual(await store.transact(answer, { scope, reply, at: 1 }), { kind: 'first' })
    assert.deepEqual(await store.transact(answer, { scope, reply: other, at: 2 }), { kind: 'replay', reply })
  })

  test('another request with the same key is recognised', async () => {
    const altered = { ...scope, fingerprint: 'f2' }
    assert.deepEqual(await store.transact(answer, { scope: altered, reply, at: 3 }), { kind: 'mismatch' })
  })

  test('a key means nothing to another organization or another operation', async () => {
    for (const elsewhere of [{ organizationId: 'org_2' }, { operation: 'createInstance' }]) {
      const result = await store.transact(answer, { scope: { ...scope, ...elsewhere }, reply: other, at: 4 })
      assert.deepEqual(result, { kind: 'first' })
    }
  })

  test('of two requests of one moment with the same key, one is the first and the other its repetition', async () => {
    const both = { ...scope, key: 'twice' }
    const results = await Promise.all([
      store.transact(answer, { scope: both, reply, at: 5 }),
      store.transact(answer, { scope: both, reply: other, at: 5 }),
    ])
    assert.deepEqual(results, [{ kind: 'first' }, { kind: 'replay', reply }])
  })

  test('replies are forgotten from the oldest on, a few at a time, and none that is young', async () => {
    for (let at = 100; at < 110; at++)
      await store.transact(answer, { scope: { ...scope, key: `key-${at}` }, reply, at })
    const kept = Number(await store.read(countKept, null))
    assert.equal(await store.transact(forgetReplies, { before: 105, limit: kept - 7 }), kept - 10 + 3)
    const again = (at: number) =>
      store.transact(answer, { scope: { ...scope, key: `key-${at}` }, reply: other, at: 200 })
    assert.deepEqual(await again(103), { kind: 'replay', reply })
    assert.deepEqual(await again(102), { kind: 'first' })
    assert.equal(await store.transact(forgetReplies, { before: 105, limit: 100 }), 2)
    assert.equal(await store.transact(forgetReplies, { before: 105, limit: 100 }), 0)
    assert.deepEqual(await again(105), { kind: 'replay', reply })
  })
}
