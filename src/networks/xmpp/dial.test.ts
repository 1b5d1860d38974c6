import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './dial.ts'

const record = (name: string, priority: number, weight: number) => ({ name, priority, weight })

test('servers are tried by ascending priority', () => {
  const records = [record('last', 20, 100), record('first', 5, 0), record('second', 10, 1)]
  for (const random of [() => 0, () => 0.5, () => 0.999]) {
    const names = inOrder(records, random).map(({ name }) => name)
    assert.deepEqual(names, ['first', 'second', 'last'])
  }
})

test('within one priority a server comes first in proportion to its weight', () => {
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const records = [record('heavy', 1, 90), record('light', 1, 10)]
  let heavyFirst = 0
  for (let draw = 0; draw < 2_000; draw++) if (inOrder(records, random)[0]?.name === 'heavy') heavyFirst += 1
  assert.ok(heavyFirst > 1_700 && heavyFirst < 1_900, `${heavyFirst} of 2000`)
})
