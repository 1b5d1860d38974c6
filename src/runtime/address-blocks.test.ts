import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressBlocks, checkBlock } from './address-blocks.ts'

test('an address lies in the blocks or beside them', () => {
  const blocks = new AddressBlocks(['10.0.0.0/8', '192.168.7.9/24', '203.0.113.5/32', 'fd00::/8', '::1/128'])
  for (const address of ['10.0.0.0', '10.255.255.255', '192.168.7.0', '192.168.7.255', '203.0.113.5']) {
    assert.equal(blocks.has(address), true, address)
  }
  for (const address of ['fd00::', 'fdff:ffff::1', '::1', '0:0:0:0:0:0:0:1']) {
    assert.equal(blocks.has(address), true, address)
  }
  for (const address of [
    '9.255.255.255',
    '11.0.0.0',
    '192.168.8.0',
    '203.0.113.4',
    'fc00::1',
    'fe00::',
    '::2',
  ]) {
    assert.equal(blocks.has(address), false, address)
  }
})

test('an IPv4 address that is written as IPv6 lies in no block of IPv4', () => {
  const blocks = new AddressBlocks(['0.0.0.0/0'])
  for (const address of ['::ffff:10.0.0.1', '::ffff:a00:1', '::10.0.0.1', '64:ff9b::a00:1']) {
    assert.equal(blocks.has(address), false, address)
  }
})

test('a name, a short form and an address with a zone lie nowhere', () => {
  const blocks = new AddressBlocks(['0.0.0.0/0', '::/0'])
  for (const text of ['', 'localhost', '127.1', '2130706433', '[::1]', 'fe80::1%eth0', '10.0.0.1/8']) {
    assert.equal(blocks.has(text), false, text)
  }
})

test('no blocks hold nothing', () => {
  for (const address of ['127.0.0.1', '::1', '8.8.8.8'])
    assert.equal(new AddressBlocks([]).has(address), false)
})

test('blocks that are none are refused with a sentence', () => {
  const none = [
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.1/16',
    '0x0a.0.0.0/8',
  ]
  for (const block of [
    ...none,
    'fd00::/129',
    'fe80::%eth0/10',
    '[::1]/128',
    'example.org/8',
    '10.0.0.0/8 ',
  ]) {
    assert.throws(() => checkBlock(block), /such as/, block)
    assert.throws(() => new AddressBlocks([block]), /such as/, block)
  }
})
