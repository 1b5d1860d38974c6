import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { commitTogether } from '../commit.ts'
import { StoreSession } from '../session.ts'
import { batchOf } from '../statement.ts'
import { sentTogether, transaction } from '../store.ts'
import { PostgresConnection, postgresSql } from './postgres-connection.ts'
import { postgresDialect } from './postgres-work.ts'

/** A connection whose BEGIN is answered when the test says so; it tells what was sent. */
function setUp() {
  const sent: string[] = []
  const begun = Promise.withResolvers<void>()
  const query = async ({ text }: { text: string }) => {
    sent.push(text)
    if (text === 'BEGIN') await begun.promise
    return { rows: [], rowCount: 0, command: text }
  }
  const connection = new PostgresConnection({ query } as unknown as pg.ClientBase, 'BEGIN', false)
  connection.begin()
  return { connection, sent, begun }
}

test('what reads is sent behind BEGIN at once, what writes when BEGIN is answered, and the rest behind that', async () => {
  const { connection, sent, begun } = setUp()
  await connection.all('select 1', [])
  const writing = connection.run('insert into things values (1)', [])
  const reading = connection.all('select 2', [])
  await new Promise(setImmediate)
  assert.deepEqual(sent, ['BEGIN', 'select 1'])
  begun.resolve()
  await Promise.all([writing, reading])
  assert.deepEqual(sent, ['BEGIN', 'select 1', 'insert into things values (1)', 'select 2'])
})

test('nothing is written if BEGIN failed', async () => {
  const { connection, sent, begun } = setUp()
  begun.reject(new Error('the connection is gone'))
  await assert.rejects(connection.run('insert into things values (1)', []), /the connection is gone/)
  assert.deepEqual(sent, ['BEGIN'])
})

test('of statements that are sent together, all are waited for, also if one fails', async () => {
  const last = Promise.withResolvers<string>()
  let isOver = false
  const together = sentTogether([Promise.reject(new Error('the first')), last.promise]).finally(() => {
    isOver = true
  })
  together.catch(() => {})
  await new Promise(setImmediate)
  assert.equal(isOver, false)
  last.resolve('the last')
  await assert.rejects(together, /the first/)
})

const insertFact = batchOf('service', ['name', 'value'])((sql, row) => sql.insertInto('service').values(row))

const writeLast = transaction('write-last', async (tx, _: unknown) => {
  tx.sendForEach(insertFact, [{ name: 'name', value: 'value' }])
})

/** Commits a write that is answered when the test says so; tells whether COMMIT was sent before that. */
async function commitsBehind(fence?: () => Promise<void>): Promise<boolean> {
  const sent: string[] = []
  const written = Promise.withResolvers<void>()
  const query = async ({ text }: { text: string }) => {
    sent.push(text)
    if (text.startsWith('insert')) await written.promise
    return { rows: [], rowCount: 1, command: text }
  }
  const client = { query, on: () => {}, off: () => {} } as unknown as pg.ClientBase
  const connection = new PostgresConnection(client, 'BEGIN', false)
  const session = new StoreSession(postgresSql, postgresDialect, connection)
  const committing = commitTogether(connection, session, [{ transaction: writeLast, args: null }], fence)
  await new Promise(setImmediate)
  const isBehind = sent.includes('COMMIT')
  written.resolve()
  await committing
  assert.equal(sent.at(-1), 'COMMIT')
  return isBehind
}

test('COMMIT is sent behind the last write of a group with a fence, by which the next group waits for it', async () => {
  assert.equal(await commitsBehind(async () => {}), true)
})

test('without a fence, COMMIT waits until the last write was answered', async () => {
  assert.equal(await commitsBehind(), false)
})
