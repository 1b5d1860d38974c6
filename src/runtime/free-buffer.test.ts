import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeBuffer } from './free-buffer.ts'

test('bytes that fill their memory are gone, and so is the memory', () => {
  const bytes = Buffer.allocUnsafeSlow(100_000)
  const { buffer } = bytes
  freeBuffer(bytes)
  assert.equal(bytes.length, 0)
  assert.equal(buffer.byteLength, 0)
})

test('bytes that share their memory are left alone, and so are the others', () => {
  const memory = Buffer.alloc(100_000, 'x')
  const shared = new Uint8Array(new SharedArrayBuffer(100_000))
  for (const bytes of [memory.subarray(1), memory.subarray(0, -1), Buffer.from('pooled'), shared]) {
    const { length } = bytes
    freeBuffer(bytes)
    assert.equal(bytes.length, length)
  }
  assert.deepEqual(memory, Buffer.alloc(100_000, 'x'))
})

test('what is too small to matter may be a constant, and is left alone', () => {
  const constant = Buffer.alloc(2, '--')
  freeBuffer(constant)
  assert.equal(constant.toString(), '--')
})
