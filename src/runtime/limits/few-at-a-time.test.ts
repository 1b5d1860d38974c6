import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FewAtATime } from './few-at-a-time.ts'

test('a burst is done in its order, and others have their turn meanwhile', async () => {
  const few = new FewAtATime()
  const done: number[] = []
  for (let number = 0; number < 100; number += 1) few.do(() => done.push(number))
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
  const few = new FewAtATime()
  const done: string[] = []
  few.do(() => {
    done.push('first')
    few.do(() => done.push('added'))
  })
  for (let number = 0; number < 20; number += 1) few.do(() => done.push('waiting'))
  while (!done.includes('added')) await turn()
  assert.deepEqual([done.at(0), done.at(-1), done.length], ['first', 'added', 22])
})
