import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakingChanges } from './breaking-changes.ts'
import { contractToday, nameOfReleased, releasedContracts } from './released-contract.ts'

const released = releasedContracts()

test('the contract of this version is kept', () => {
  assert.ok(
    released.some(([file]) => file === nameOfReleased()),
    'run `node test/contract/keep-contract.ts`',
  )
})

for (const [file, contract] of released)
  test(`callers of ${file} are served as they were`, async () => {
    const breaks = breakingChanges(contract, await contractToday())
    assert.deepEqual(breaks, [], 'docs/releasing.md says what may change, and what to do if this one must')
  })
