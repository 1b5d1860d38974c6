import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WASocket } from 'baileys'
import { Departures } from './departures.ts'

const turn = () => new Promise(setImmediate)

/** A guarded socket, through which frames are sent by name. */
function guarded() {
  const left: string[] = []
  const socket = {
    send: (frame: Uint8Array, done?: () => void) => {
      left.push(Buffer.from(frame).toString())
      done?.()
    },
  }
  const departures = new Departures()
  departures.guard({ ws: { socket } } as unknown as WASocket)
  const send = (name: string) => new Promise<void>((done) => socket.send(Buffer.from(name), done))
  return { left, departures, send }
}

test('what is sent leaves at once, unless something was encrypted whose keys are not durable', async () => {
  const { left, departures, send } = guarded()
  await send('ping')
  await departures.left()
  assert.deepEqual(left, ['ping'])
  const durable = Promise.withResolvers<void>()
  departures.onlyAfter(durable.promise)
  await Promise.all([send('text'), send('pong')])
  let gone = false
  void departures.left().then(() => {
    gone = true
  })
  await turn()
  assert.deepEqual([left, gone], [['ping'], false])
  durable.resolve()
  await turn()
  assert.deepEqual([left, gone], [['ping', 'text', 'pong'], true])
  await send('ping')
  assert.deepEqual(left, ['ping', 'text', 'pong', 'ping'])
})

test('each waits for its own keys and not for later ones, and nothing overtakes', async () => {
  const { left, departures, send } = guarded()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  departures.onlyAfter(first.promise)
  await send('1')
  departures.onlyAfter(first.promise)
  await send('2')
  departures.onlyAfter(second.promise)
  await send('3')
  first.resolve()
  await turn()
  assert.deepEqual(left, ['1', '2'])
  await send('4')
  await turn()
  assert.deepEqual(left, ['1', '2'])
  second.resolve()
  await turn()
  assert.deepEqual(left, ['1', '2', '3', '4'])
})

test('nothing leaves any more once keys could not be stored', async () => {
  const { left, departures, send } = guarded()
  departures.onlyAfter(Promise.reject(new Error('the store is full')))
  await send('text')
  await turn()
  await send('ping')
  await turn()
  assert.deepEqual(left, [])
})
