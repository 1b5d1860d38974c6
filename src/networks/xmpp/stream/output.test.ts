import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { Output } from './output.ts'

const timeout = 40
const kilobyte = 'x'.repeat(1_024)

/** A socket whose other side takes a piece of what was written each time that it is told to. */
function slowSocket() {
  let take: (() => void) | undefined
  const socket = new Writable({
    highWaterMark: 1_024,
    write: (_chunk, _encoding, taken) => {
      take = taken
    },
  })
  return { socket: socket as unknown as Socket, take: () => take?.() }
}

test('whoever takes slowly, and is sent more all the time, is not cut off', async (t) => {
  const { socket, take } = slowSocket()
  let stalled = false
  const output = new Output(socket, timeout, { written() {}, taken() {}, stalled: () => (stalled = true) })
  t.after(() => output.end())
  for (let piece = 0; piece < 3; piece++) output.write(kilobyte)
  for (let round = 0; round < 12; round++) {
    await new Promise((resolve) => setTimeout(resolve, timeout / 2))
    take()
    for (let piece = 0; piece < 2; piece++) output.write(kilobyte)
  }
  assert.equal(stalled, false)
})

test('whoever takes nothing is', async (t) => {
  const { socket } = slowSocket()
  const { promise, resolve } = Promise.withResolvers<void>()
  const output = new Output(socket, timeout, { written() {}, taken() {}, stalled: resolve })
  t.after(() => output.end())
  output.write(kilobyte)
  output.write(kilobyte)
  await promise
})

test('whoever is told that it is full is told when it no longer is', async (t) => {
  const { socket, take } = slowSocket()
  const { promise, resolve } = Promise.withResolvers<void>()
  const output = new Output(socket, timeout, { written() {}, taken: resolve, stalled: () => assert.fail() })
  t.after(() => output.end())
  output.write(kilobyte.repeat(65))
  assert.equal(output.isFull(), true)
  take()
  await promise
  assert.equal(output.isFull(), false)
})
