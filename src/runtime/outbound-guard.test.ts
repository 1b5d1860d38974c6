import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkBlock, isPublic, outboundGuard } from './outbound-guard.ts'

const inside = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.19.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  '2600::1%eth0',
  'ff02::1',
]

test('addresses that are not the public internet are not public, in whatever form they stand', () => {
  for (const address of inside) assert.equal(isPublic(address), false, address)
  for (const text of ['', 'localhost', '127.1', '0x7f.1', '2130706433', 'example.org'])
    assert.equal(isPublic(text), false, text)
})

test('addresses of the public internet are public', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ]) {
    assert.equal(isPublic(address), true, address)
  }
})

test('what the operator lists is allowed, and nothing beside it', () => {
  const guard = outboundGuard(['10.0.0.0/8', 'fd00::/8'])
  assert.equal(guard.allows('10.255.0.1'), true)
  assert.equal(guard.allows('fd12::1'), true)
  assert.equal(guard.allows('192.168.0.1'), false)
  assert.equal(guard.allows('127.0.0.1'), false)
  assert.equal(guard.allows('9.9.9.9'), true)
})

test('no IPv4 address becomes public by being written as IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(isPublic(`::ffff:${address}`), false)
      assert.equal(isPublic(`::${address}`), false)
      assert.equal(isPublic(`64:ff9b::${address}`), false)
    }),
  )
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

test('blocks that are none are refused with a sentence', () => {
  for (const block of ['', '10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'example.org/8', '10.0.0.0/-1']) {
    assert.throws(() => checkBlock(block), /such as/, block)
  }
})
