import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setDeadline } from './deadline.ts'

/** Keeps the process from doing anything. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

test('a deadline rings after its time, and not before', async () => {
  const begun = performance.now()
  await new Promise<void>((resolve) => void setDeadline(30, resolve))
  assert.ok(performance.now() - begun >= 30)
})

test('one that was taken back never rings', async () => {
  let rung = false
  setDeadline(10, () => {
    rung = true
  }).cancel()
  await new Promise<void>((resolve) => void setDeadline(50, resolve))
  assert.equal(rung, false)
})

for (const [name, delay] of [
  ['during', 300],
  ['right after', 1_490],
] as const)
  test(`an answer that came while the process was held up is read before a deadline ${name} that`, async (t) => {
    const server = createServer((socket) => socket.write('the answer'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const told: string[] = []
    const socket = connect(address.port, '127.0.0.1').on('error', () => {})
    t.after(() => {
      socket.destroy()
      server.close()
    })
    const over = Promise.withResolvers<void>()
    const tell = (what: string) => {
      told.push(what)
      over.resolve()
    }
    socket.once('data', () => tell('the answer'))
    const deadline = setDeadline(delay, () => tell('nobody answered'))
    // The server is in this process, too: the answer is in the socket once the connection is.
    await once(socket, 'connect')
    block(1_500)
    await over.promise
    deadline.cancel()
    assert.deepEqual(told, ['the answer'])
  })
