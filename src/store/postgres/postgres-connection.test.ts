import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { sentTogether } from '../store.ts'
import { PostgresConnection } from './postgres-connection.ts'

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
