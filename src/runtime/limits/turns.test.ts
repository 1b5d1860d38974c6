import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

const turn = () => new Promise(setImmediate)

/** Works for a millisecond. */
function busy(): void {
  for (const end = performance.now() + 1; performance.now() < end; ) Math.sqrt(end)
}

test('a party with a hundred workers takes no more turns than one with a single worker', async () => {
  const turns = new Turns()
  // Milliseconds: the machine may stop the process in any step, which then used so much more.
  const used = { many: 0, one: 0 }
  let longest = 0
  let isDone = false
  const join = (party: 'many' | 'one') => {
    let left = 20
    const worker = turns.join(party, () => {
      const began = performance.now()
      busy()
      const step = performance.now() - began
      if (!isDone) used[party] += step
      longest = Math.max(longest, step)
      left -= 1
      isDone ||= party === 'one' && left === 0
      return left > 0
    })
    worker.wake()
  }
  for (let index = 0; index < 100; index += 1) join('many')
  join('one')
  while (!isDone) await turn()
  assert.ok(
    used.many <= used.one + 2 * longest,
    `the others used ${used.many} ms, and one used ${used.one} ms`,
  )
})

test('everything else has its turn between two runs', async () => {
  const turns = new Turns()
  let steps = 0
  let most = 0
  const worker = turns.join('one', () => {
    steps += 1
    busy()
    return steps < 100
  })
  worker.wake()
  for (let before = 0; steps < 100; before = steps) {
    await turn()
    most = Math.max(most, steps - before)
  }
  assert.ok(most <= 6, `${most} steps of a millisecond in one run`)
})

test('who left works no more, and who has nothing to do waits until it is woken', async () => {
  const turns = new Turns()
  let steps = 0
  const worker = turns.join('one', () => {
    steps += 1
    return false
  })
  for (const expected of [1, 2]) {
    worker.wake()
    worker.wake()
    await turn()
    await turn()
    assert.equal(steps, expected)
  }
  worker.wake()
  worker.leave()
  await turn()
  assert.equal(steps, 2)
})
