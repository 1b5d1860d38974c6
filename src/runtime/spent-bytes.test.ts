import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { giveBack, giveBackReading } from './spent-bytes.ts'

test('bytes that fill their memory are gone, and so is the memory', () => {
  const bytes = Buffer.allocUnsafeSlow(100_000)
  const { buffer } = bytes
  giveBack(bytes)
  assert.equal(bytes.length, 0)
  assert.equal(buffer.byteLength, 0)
})

test('bytes that share their memory are left alone, and so are the others', () => {
  const memory = Buffer.alloc(100_000, 'x')
  const shared = new Uint8Array(new SharedArrayBuffer(100_000))
  for (const bytes of [memory.subarray(1), memory.subarray(0, -1), Buffer.from('pooled'), shared]) {
    const { length } = bytes
    giveBack(bytes)
    assert.equal(bytes.length, length)
  }
  assert.deepEqual(memory, Buffer.alloc(100_000, 'x'))
})

test('what is too small to matter may be a constant, and is left alone', () => {
  const constant = Buffer.alloc(2, '--')
  giveBack(constant)
  assert.equal(constant.toString(), '--')
})

test('of what is read from a connection no memory stays, however much came at a time', async (context) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [receiver] = (await once(server, 'connection')) as [Socket]
  context.after(() => {
    for (const socket of [sender, receiver]) socket.destroy()
    server.close()
  })
  for (const size of [200, 5_000, 40_000, 50_000, 60_000, 65_535, 65_536]) {
    sender.write(Buffer.alloc(size, 'x'))
    for (let left = size; left > 0; ) {
      const [chunk] = (await once(receiver, 'data')) as [Buffer]
      left -= chunk.length
      const { buffer } = chunk
      giveBackReading(chunk)
      assert.equal(buffer.byteLength, 0, `${size} bytes`)
    }
  }
})

test('of memory that others may have a part of, nothing is taken', () => {
  const memory = Buffer.alloc(64 * 1024, 'x')
  const pooled = Buffer.from('pooled'.repeat(100))
  for (const bytes of [memory.subarray(0, 32 * 1024), memory.subarray(1), pooled]) {
    const { length } = bytes
    giveBackReading(bytes)
    assert.equal(bytes.length, length)
  }
})
