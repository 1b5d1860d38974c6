import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnBatch } from './turn-batch.ts'

const turn = () => new Promise(setImmediate)

test('what is added in one turn is given away together and in order, once', async () => {
  const given: (readonly number[])[] = []
  const batch = new TurnBatch<number>((items) => given.push(items))
  batch.add(1)
  await Promise.resolve()
  batch.add(2)
  assert.deepEqual(given, [])
  await turn()
  batch.add(3)
  await turn()
  assert.deepEqual(given, [[1, 2], [3]])
  batch.add(4)
  batch.flush()
  batch.add(5)
  await turn()
  await turn()
  assert.deepEqual(given, [[1, 2], [3], [4], [5]])
})
