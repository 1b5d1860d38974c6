import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairRate, type RateMember } from './fair-rate.ts'

/** A member that takes so many each time that it may, as long as it is told to. */
function eager(rate: FairRate<'stanzas'>, each: number, onTaken: () => void = () => {}) {
  const state = { taken: 0, stopped: false }
  const member: RateMember<'stanzas'> = rate.join(() => setImmediate(goOn))
  const goOn = () => {
    while (!state.stopped && member.mayGoOn()) {
      member.take('stanzas', each)
      state.taken += each
      onTaken()
    }
  }
  goOn()
  const stop = () => {
    state.stopped = true
    member.leave()
  }
  return { state, stop }
}

test('what all take together stays within the rate, and it is told once when they begin to wait', async () => {
  const reached: string[] = []
  const begun = performance.now()
  const rate = new FairRate({ stanzas: { count: 100, seconds: 1 } }, (name) => reached.push(name))
  const { promise, resolve } = Promise.withResolvers<void>()
  let taken = 0
  const count = () => {
    taken++
    if (taken === 200) resolve()
  }
  const members = Array.from({ length: 30 }, () => eager(rate, 1, count))
  await promise
  const allowed = 100 + ((performance.now() - begun) / 1000) * 100 + 2
  for (const { stop } of members) stop()
  assert.ok(taken <= allowed, `${taken} of ${allowed}`)
  assert.deepEqual(reached, ['stanzas'])
})

test('those who want all they can get have the same, and one who wants little waits for no more than one turn', async () => {
  const rate = new FairRate({ stanzas: { count: 200, seconds: 0.1 } })
  const greedy = Array.from({ length: 30 }, () => eager(rate, 20))
  while (greedy.some(({ state }) => state.taken === 0)) await new Promise(setImmediate)
  const before = greedy.map(({ state }) => state.taken)
  const turns: number[] = []
  const modest = rate.join()
  for (let count = 0; count < 20; count++) {
    const begun = greedy.reduce((sum, { state }) => sum + state.taken, 0)
    await modest.turn(new AbortController().signal)
    modest.take('stanzas', 1)
    turns.push((greedy.reduce((sum, { state }) => sum + state.taken, 0) - begun) / 20)
  }
  const got = greedy.map(({ state }, index) => state.taken - (before[index] as number))
  for (const { stop } of greedy) stop()
  assert.ok(
    turns.every((others) => others <= 3),
    `others had ${turns} turns before`,
  )
  assert.ok(Math.max(...got) - Math.min(...got) <= 40, `they got ${got}`)
})

test('one who leaves, or has nothing to take in its turn, holds up nobody', async () => {
  const rate = new FairRate({ stanzas: { count: 10, seconds: 0.01 } })
  const first = rate.join(() => {})
  first.take('stanzas', 100)
  const idle = rate.join(() => {})
  assert.equal(idle.mayGoOn(), false)
  const gone = rate.join(() => assert.fail('it has left'))
  assert.equal(gone.mayGoOn(), false)
  gone.leave()
  await new Promise<void>((resolve) => {
    const last = rate.join(() => {
      assert.ok(last.mayGoOn())
      resolve()
    })
    assert.equal(last.mayGoOn(), false)
  })
})

test('without rates, everybody goes on', () => {
  const member = new FairRate({ stanzas: undefined }).join(() => {})
  member.take('stanzas', 1_000_000)
  assert.ok(member.mayGoOn())
})
