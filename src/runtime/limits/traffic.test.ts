import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairRate } from './fair-rate.ts'
import { Traffic } from './traffic.ts'

const unlimited = { stanzas: undefined, bytes: undefined }

test('what a connection carries counts against its own rates and those of its organization', () => {
  const shared = new FairRate({ ...unlimited, bytes: { count: 100, seconds: 60 } })
  const rates = { ...unlimited, stanzas: { count: 2, seconds: 60 } }
  const [one, other] = [new Traffic(rates, shared.join()), new Traffic(rates, shared.join())]
  one.take('stanzas', 3)
  assert.ok(one.wait() > 0)
  assert.deepEqual([other.wait(), other.isTurn()], [0, true])
  one.take('bytes', 101)
  assert.deepEqual([other.wait(), other.isTurn()], [0, false], 'its organization carries too much')
  other.leave()
})
