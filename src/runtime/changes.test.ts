import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Changes } from './changes.ts'

const long = 60_000
const never = new AbortController().signal

test('all who wait for a thing wake when it is announced to have changed, and those for another thing do not', async () => {
  const changes = new Changes()
  const other = new AbortController()
  let otherWoke = false
  const waiting = changes.next('b', long, other.signal).then(() => {
    otherWoke = true
  })
  const both = Promise.all([changes.next('a', long, never), changes.next('a', long, never)])
  changes.notify('a')
  await both
  assert.equal(otherWoke, false)
  other.abort()
  await waiting
})

test('a wait ends when its caller goes, also when that was before', async () => {
  const changes = new Changes()
  const caller = new AbortController()
  const waiting = changes.next('a', long, caller.signal)
  caller.abort()
  await waiting
  await changes.next('a', long, caller.signal)
})

test('a wait ends when its time is over', async () => {
  await new Changes().next('a', 1, never)
})

test('reading goes on until what was read is enough', async () => {
  const changes = new Changes()
  const readings: number[] = []
  const read = async () => {
    readings.push(readings.length + 1)
    // Notified while the read is under way: a change in between is not missed.
    if (readings.length < 3) changes.notify('a')
    return readings.length
  }
  const last = await changes.until('a', { ms: long, signal: never }, read, (reading) => reading === 3)
  assert.equal(last, 3)
  assert.deepEqual(readings, [1, 2, 3])
})

test('without time to wait, and for a caller who went, it is read once', async () => {
  for (const wait of [
    { ms: 0, signal: never },
    { ms: long, signal: AbortSignal.abort() },
  ]) {
    let readings = 0
    const read = async () => ++readings
    assert.equal(await new Changes().until('a', wait, read, () => false), 1)
  }
})

test('a reading that fails leaves nobody waiting', async () => {
  const changes = new Changes()
  const failing = changes.until(
    'a',
    { ms: long, signal: never },
    () => Promise.reject(new Error('gone')),
    () => true,
  )
  await assert.rejects(failing, /gone/)
  // The wait would hold a timer, and with it this test's process, for a minute.
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout'),
    [],
  )
})
