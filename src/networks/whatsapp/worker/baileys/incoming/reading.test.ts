import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { maxHeld, Reading } from './reading.ts'

function begin() {
  const ws = new EventEmitter()
  const seen: string[] = []
  const note = (what: string) => () => seen.push(what)
  const reading = new Reading(ws, note('overflow'))
  ws.emit('upgrade', {
    socket: { pause: note('pause'), resume: note('resume'), destroy: note('destroy') },
  })
  return { reading, seen }
}

test('nothing more is read while much waits to be stored, until half of it is', () => {
  const { reading, seen } = begin()
  reading.hold(maxHeld)
  assert.deepEqual(seen, [])
  reading.hold(1)
  assert.deepEqual(seen, ['pause'])
  reading.release(1)
  reading.release(maxHeld / 2 - 1)
  assert.deepEqual(seen, ['pause'])
  reading.release(1)
  reading.release(1)
  assert.deepEqual(seen, ['pause', 'resume'])
})

test('what comes all the same ends the connection before it fills the memory', () => {
  const { reading, seen } = begin()
  for (let each = 0; each < 6; each++) reading.hold(maxHeld / 4)
  assert.ok(!seen.includes('overflow'))
  reading.hold(1)
  assert.equal(seen.at(-1), 'overflow')
})

test('a socket that is not read is destroyed at the end, and no other', () => {
  const { reading, seen } = begin()
  reading.end()
  reading.hold(maxHeld + 1)
  reading.end()
  assert.deepEqual(seen, ['pause', 'destroy'])
})
