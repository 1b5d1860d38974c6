import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SingleFlight } from './single-flight.ts'

/** Readings that end when the test says so. */
function setUp() {
  const readings = new SingleFlight<number>()
  const begun: PromiseWithResolvers<number>[] = []
  const ask = (key = 'a') => {
    return readings.read(key, () => {
      const reading = Promise.withResolvers<number>()
      begun.push(reading)
      return reading.promise
    })
  }
  return { begun, ask }
}

const done = () => new Promise(setImmediate)

test('all who ask at the same moment share one reading; who asks for something else does not', async () => {
  const { begun, ask } = setUp()
  const answers = Promise.all([ask(), ask(), ask('b'), ask()])
  await done()
  assert.equal(begun.length, 2)
  begun[0]?.resolve(1)
  begun[1]?.resolve(2)
  assert.deepEqual(await answers, [1, 1, 2, 1])
})

test('who asks while a reading is under way is not told what may be old: all of them share the next', async () => {
  const { begun, ask } = setUp()
  const first = ask()
  await done()
  const later = Promise.all([ask(), ask()])
  await done()
  assert.equal(begun.length, 1)
  begun[0]?.resolve(1)
  assert.equal(await first, 1)
  await done()
  begun[1]?.resolve(2)
  assert.deepEqual(await later, [2, 2])
  assert.equal(begun.length, 2)
})

test('a reading that fails is the failure of those who shared it, and of nobody else', async () => {
  const { begun, ask } = setUp()
  const first = assert.rejects(ask(), /away/)
  await done()
  const second = ask()
  begun[0]?.reject(new Error('the store is away'))
  await first
  await done()
  begun[1]?.resolve(2)
  assert.equal(await second, 2)
  const third = ask()
  await done()
  begun[2]?.resolve(3)
  assert.equal(await third, 3)
})
