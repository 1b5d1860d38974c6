import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { Admission } from './admission.ts'

const instance = (id: string, organization_id = 'org_1') => ({ id, organization_id })

function admission(rate: { count: number; seconds: number } | undefined, nodes = 1) {
  const time = new FakeTime()
  const gone: { who: number; at: number }[] = []
  const gate = new Admission(rate, { ...time, nodes: () => nodes })
  const ask = (...whos: number[]) => {
    for (const who of whos) gate.ask(instance(String(who)), () => gone.push({ who, at: time.now }))
  }
  return { time, gate, ask, gone }
}

test('without a rate everybody goes at once', () => {
  const { ask, gone, time } = admission(undefined)
  ask(1, 2, 3)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1, 2, 3],
  )
  assert.equal(time.waiting, 0)
})

test('no more go in a time than the rate says, in the order in which they asked', () => {
  const { ask, gone, time } = admission({ count: 2, seconds: 1 })
  ask(1, 2, 3, 4, 5)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1, 2],
  )
  time.pass(999)
  assert.equal(gone.length, 2)
  time.pass(1)
  assert.deepEqual(gone.slice(2), [
    { who: 3, at: 1_000 },
    { who: 4, at: 1_000 },
  ])
  ask(6)
  time.pass(10_000)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1, 2, 3, 4, 5, 6],
  )
  assert.equal(time.waiting, 0, 'nothing is left to wake up for')
})

test('nodes share the rate: of three, each lets a third go', () => {
  const { ask, gone, time } = admission({ count: 6, seconds: 1 }, 3)
  ask(1, 2, 3, 4, 5, 6)
  assert.equal(gone.length, 2)
  time.pass(1_000)
  assert.equal(gone.length, 4)
})

test('nodes share the rate also if there are more of them than may go in a second, or it cannot be divided by them', () => {
  for (const nodes of [30, 100, 120]) {
    const { ask, gone, time } = admission({ count: 50, seconds: 1 }, nodes)
    ask(...Array.from({ length: 1_000 }, (_, who) => who))
    time.pass(120_000)
    const all = gone.length * nodes
    assert.ok(all >= 50 * 120 && all <= 50 * 120 + 50 + 2 * nodes, `${nodes} nodes let ${all} go`)
  }
})

test('who asks while another goes is not forgotten', () => {
  const { gate, gone, time } = admission({ count: 1, seconds: 1 })
  gate.ask(instance('1'), () => {
    gone.push({ who: 1, at: time.now })
    gate.ask(instance('2'), () => gone.push({ who: 2, at: time.now }))
  })
  time.pass(1_000)
  assert.deepEqual(gone, [
    { who: 1, at: 0 },
    { who: 2, at: 1_000 },
  ])
})

test('after the end nobody who waited goes', () => {
  const { gate, ask, gone, time } = admission({ count: 1, seconds: 1 })
  ask(1, 2)
  gate.end()
  time.pass(10_000)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1],
  )
})

test('whoever asks again and again has one place, and takes nobody else’s', () => {
  const { time, gate, gone } = admission({ count: 1, seconds: 1 })
  const go = (who: number) => () => gone.push({ who, at: time.now })
  gate.ask(instance('first'), go(1))
  for (let again = 0; again < 100; again++) gate.ask(instance('restless'), go(2))
  gate.ask(instance('patient'), go(3))
  time.pass(2_500)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1, 2, 3],
  )
})

test('organizations take turns: nobody waits for the thousands of somebody else', () => {
  const { time, gate } = admission({ count: 1, seconds: 1 })
  const gone: string[] = []
  const ask = (id: string, organization: string) =>
    gate.ask(instance(id, organization), () => void gone.push(id))
  for (let number = 0; number < 5_000; number++) ask(`large-${number}`, 'large')
  for (const id of ['a-0', 'a-1']) ask(id, 'a')
  ask('b-0', 'b')
  time.pass(7_000)
  const large = (...numbers: number[]) => numbers.map((number) => `large-${number}`)
  assert.deepEqual(gone, [...large(0, 1), 'a-0', 'b-0', ...large(2), 'a-1', ...large(3, 4)])
})

test('who no longer wants a connection takes nobody else’s, and is not let in', () => {
  const { time, gate, ask, gone } = admission({ count: 1, seconds: 1 })
  const fickle = instance('alone', 'fickle')
  ask(1, 2, 3, 4)
  for (const who of ['2', '3', 'stranger']) gate.withdraw(instance(who))
  gate.withdraw(instance('4', 'another'))
  time.pass(1_000)
  gate.ask(fickle, () => assert.fail('it wants none'))
  gate.withdraw(fickle)
  time.pass(1_500)
  ask(5)
  assert.deepEqual(gone, [
    { who: 1, at: 0 },
    { who: 4, at: 1_000 },
    { who: 5, at: 2_500 },
  ])
  assert.equal(time.waiting, 0)
})

test('what takes more counts for more', () => {
  const { gate, gone, time } = admission({ count: 5, seconds: 1 })
  for (const who of [1, 2, 3, 4]) gate.ask(instance(String(who)), () => gone.push({ who, at: time.now }), 3)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1, 2],
  )
  time.pass(1_000)
  assert.deepEqual(
    gone.map(({ who }) => who),
    [1, 2, 3, 4],
  )
})
