import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outboundGuard } from './outbound-guard.ts'

test('what is public is allowed, and what the operator lists, and nothing beside it', () => {
  const guard = outboundGuard(['10.0.0.0/8', 'fd00::/8'])
  for (const address of ['9.9.9.9', '2606:4700::1111', '10.255.0.1', 'fd12::1']) {
    assert.equal(guard.allows(address), true, address)
  }
  for (const address of ['192.168.0.1', '127.0.0.1', '::1', 'fc00::1', '::ffff:10.0.0.1', 'localhost', '']) {
    assert.equal(guard.allows(address), false, address)
  }
})

test('it tells what the operator listed from what is public', () => {
  const guard = outboundGuard(['10.0.0.0/8'])
  assert.equal(guard.lists('10.0.0.1'), true)
  assert.equal(guard.lists('9.9.9.9'), false)
  assert.equal(guard.lists('192.168.0.1'), false)
})

test('a name that leads to an address inside is refused', async () => {
  const guard = outboundGuard([])
  await new Promise<void>((resolve) => {
    guard.lookup('localhost', { all: true }, (error) => {
      assert.equal(error?.name, 'AddressRefused')
      resolve()
    })
  })
})
