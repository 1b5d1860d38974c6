import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../runtime/log.ts'
import { StoreUnavailable } from '../store/store.ts'
import { Successors } from './successors.ts'

function successors(takers: readonly string[], counts: Readonly<Record<string, number>> | undefined) {
  return new Successors({
    store: {
      async read() {
        if (!counts) throw new StoreUnavailable('the store is away')
        return Object.entries(counts).map(([id, instances]) => ({ id, instances }))
      },
    },
    peers: { takers },
    log: silentLog,
  } as never)
}

const named = (some: Successors, count: number) => Array.from({ length: count }, () => some.next())

test('each instance goes to the node that will have the fewest', async () => {
  const some = successors(['b', 'c'], { a: 4, b: 3, c: 1 })
  await some.count()
  assert.deepEqual(named(some, 4), ['c', 'c', 'b', 'c'])
})

test('a store that does not say how many they have holds nothing up: each gets as many', async () => {
  const some = successors(['b', 'c'], undefined)
  await some.count()
  assert.deepEqual(named(some, 4), ['b', 'c', 'b', 'c'])
})

test('no node is named if none takes instances', async () => {
  const some = successors([], { a: 4 })
  await some.count()
  assert.equal(some.next(), undefined)
})
