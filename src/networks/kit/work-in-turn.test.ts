import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharesForTests } from '../../../test/kit/shares.ts'
import { WorkInTurn } from './work-in-turn.ts'

test('a party with much to do lets another have its turn in between', async () => {
  const shares = sharesForTests()
  const [flooded, neighbour] = [new WorkInTurn(shares.of('org_1')), new WorkInTurn(shares.of('org_2'))]
  const done: string[] = []
  const busy = Array.from({ length: 50 }, () =>
    flooded.do(() => {
      const end = performance.now() + 1
      while (performance.now() < end);
      done.push('flooded')
    }),
  )
  await Promise.all([...busy, neighbour.do(() => done.push('neighbour'))])
  assert.ok(done.indexOf('neighbour') <= 3, `it had to wait for ${done.indexOf('neighbour')} others`)
})

test('work of many steps lets others have their turn between them', async () => {
  const shares = sharesForTests()
  const [flooded, neighbour] = [new WorkInTurn(shares.of('org_1')), new WorkInTurn(shares.of('org_2'))]
  let steps = 0
  const busy = flooded.until(() => {
    const end = performance.now() + 1
    while (performance.now() < end);
    return ++steps === 50 ? 'done' : undefined
  })
  const seen = await neighbour.do(() => steps)
  assert.ok(seen <= 3, `it had to wait for ${seen} steps`)
  assert.deepEqual([await busy, steps], ['done', 50])
  const endless = flooded.until(() => undefined)
  flooded.end()
  await assert.rejects(endless, /has ended/)
})

test('work that throws rejects alone, and what waits when the connection ends is not done', async () => {
  const work = new WorkInTurn(sharesForTests().of('org_1'))
  const failing = work.do(() => assert.fail('broken'))
  const next = work.do(() => 'done')
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'done')
  let count = 0
  const waiting = [1, 2].map(() => work.do(() => count++))
  work.end()
  for (const each of [...waiting, work.do(() => count++)]) await assert.rejects(each, /has ended/)
  assert.equal(count, 0)
})
