import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { TickQueue } from './tick-queue.ts'

test('a burst is done in its order, and others have their turn meanwhile', async () => {
  const queue = new TickQueue()
  const done: number[] = []
  for (let number = 0; number < 100; number += 1) queue.do(() => done.push(number))
  assert.deepEqual(done, [])
  let turns = 0
  for (; done.length < 100; turns += 1) await turn()
  assert.ok(turns > 10, `it was done in ${turns} turns`)
  assert.deepEqual(
    done,
    done.toSorted((one, other) => one - other),
  )
})

test('what comes meanwhile comes behind', async () => {
  const queue = new TickQueue()
  const done: string[] = []
  queue.do(() => {
    done.push('first')
    queue.do(() => done.push('added'))
  })
  for (let number = 0; number < 20; number += 1) queue.do(() => done.push('waiting'))
  while (!done.includes('added')) await turn()
  assert.deepEqual([done.at(0), done.at(-1), done.length], ['first', 'added', 22])
})
