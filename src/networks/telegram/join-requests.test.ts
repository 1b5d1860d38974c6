import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryKeys } from '../../../test/kit/networks/memory-keys.ts'
import { systemClock } from '../../runtime/clock.ts'
import { silentLog } from '../../runtime/log.ts'
import { SealBroken } from '../../runtime/secrets/seal.ts'
import type { KeyChange, KeyStore } from '../driver/keys.ts'
import { KeptJoinRequests, maxKeptRequests } from './join-requests.ts'

const opened = (keys: KeyStore) => new KeptJoinRequests({ keys, clock: systemClock, log: silentLog })
const asked = (group: number, person: number, at = person) => {
  return { group: String(group), person: String(person), at }
}

test('of very many people who ask, the last are kept, in a value that stays small', async () => {
  const keys = memoryKeys()
  const sizes: number[] = []
  const set = (changes: readonly KeyChange[]) => {
    sizes.push(...changes.map(({ value }) => value?.length ?? 0))
    return keys.set(changes)
  }
  const requests = opened({ ...keys, set })
  const from = 2 ** 51
  for (let count = 0; count < 5_000; count += 100)
    await requests.add(Array.from({ length: 100 }, (_, index) => asked(-1, from + count + index)))
  const kept = await requests.of('-1')
  assert.equal(kept.length, maxKeptRequests)
  assert.deepEqual(
    [kept[0]?.person, kept.at(-1)?.person],
    [String(from + 5_000 - maxKeptRequests), String(from + 4_999)],
  )
  assert.ok(Math.max(...sizes) < 64 * 1024, `${Math.max(...sizes)} bytes`)
})

test('a person who asks again is kept once, and each group has its own', async () => {
  const requests = opened(memoryKeys())
  await requests.add([asked(-1, 5, 10), asked(-2, 5, 10), asked(-1, 6, 11)])
  await requests.add([asked(-1, 5, 12)])
  assert.deepEqual(await requests.of('-1'), [
    { person: '6', at: 11 },
    { person: '5', at: 12 },
  ])
  await requests.forget('-1', ['5', '7'])
  assert.deepEqual(await requests.of('-1'), [{ person: '6', at: 11 }])
  assert.deepEqual(await requests.of('-2'), [{ person: '5', at: 10 }])
})

test('changes at the same time lose nothing', async () => {
  const keys = memoryKeys()
  // Each write takes a turn longer than the next one.
  let turns = 40
  const set = async (changes: readonly KeyChange[]) => {
    for (let turn = turns--; turn > 0; turn--) await Promise.resolve()
    await keys.set(changes)
  }
  const requests = opened({ ...keys, set })
  const all = Array.from({ length: 30 }, (_, index) => requests.add([asked(-1, index + 1)]))
  await Promise.all([...all, requests.forget('-1', ['1', '30'])])
  assert.equal((await requests.of('-1')).length, 28)
})

test('what cannot be read, or is none, counts as nothing and is replaced', async () => {
  const keys = memoryKeys()
  for (const text of [
    '',
    '[]',
    '{"requests":5}',
    '{"requests":[null,{},{"person":7,"at":1},{"person":"7"}]}',
  ])
    await keys.set([{ type: 'join-requests', id: '-1', value: Buffer.from(text) }]).then(async () => {
      assert.deepEqual(await opened(keys).of('-1'), [])
    })
  let isBroken = true
  const get: KeyStore['get'] = (...ask) => (isBroken ? Promise.reject(new SealBroken('x')) : keys.get(...ask))
  const requests = opened({ ...keys, get })
  assert.deepEqual(await requests.of('-1'), [])
  await requests.add([asked(-1, 8)])
  isBroken = false
  assert.deepEqual(await requests.of('-1'), [{ person: '8', at: 8 }])
})
