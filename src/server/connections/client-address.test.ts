import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, test } from 'node:test'
import { addressBlockOf, ClientAddresses, plainAddress } from './client-address.ts'

const proxies = ['10.0.0.0/8', 'fd00::/8']
const nearest = '10.0.0.1'
const behind = (headers: IncomingHttpHeaders, from = nearest) =>
  new ClientAddresses(proxies).of(from, headers)

describe('the address of a client', () => {
  const written: Readonly<Record<string, string>> = {
    '192.0.2.1': '192.0.2.1',
    '192.0.2.1:4711': '192.0.2.1',
    '2001:db8::1': '2001:db8::1',
    '2001:DB8:0::1': '2001:db8::1',
    '[2001:db8::1]': '2001:db8::1',
    '[2001:db8::1]:4711': '2001:db8::1',
    '::ffff:192.0.2.1': '192.0.2.1',
  }
  for (const [hop, address] of Object.entries(written)) {
    test(`is read from ${hop}, in either header`, () => {
      assert.equal(behind({ 'x-forwarded-for': hop }), address)
      assert.equal(behind({ forwarded: `proto=https;For="${hop}";by=10.0.0.1` }), address)
    })
  }

  test('is what the nearest proxy saw, whatever stands before it', () => {
    assert.equal(behind({ 'x-forwarded-for': '198.51.100.9, 192.0.2.1' }), '192.0.2.1')
    assert.equal(behind({ forwarded: 'for=198.51.100.9, for=192.0.2.1' }), '192.0.2.1')
  })

  test('is found behind several trusted proxies', () => {
    assert.equal(behind({ 'x-forwarded-for': '198.51.100.9, 192.0.2.1, fd00::2, 10.9.9.9' }), '192.0.2.1')
  })

  test('is the last known proxy if the one before hides, or writes something that is no address', () => {
    for (const hop of ['unknown', '_hidden', 'example.org', '', '10.0.0', '999.1.1.1'])
      assert.equal(behind({ 'x-forwarded-for': `192.0.2.1, ${hop}, 10.0.0.2` }), '10.0.0.2')
    assert.equal(behind({ forwarded: 'for=192.0.2.1, for=unknown, for=10.0.0.2' }), '10.0.0.2')
  })

  test('is that of the connection if nothing can be believed', () => {
    assert.equal(behind({}), nearest)
    assert.equal(behind({ forwarded: 'for="192.0.2.1' }), nearest)
    // One of the two is the client's own invention.
    assert.equal(behind({ forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.2' }), nearest)
    assert.equal(behind({ forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' }), '192.0.2.1')
    assert.equal(behind({ 'x-forwarded-for': '192.0.2.1' }, '203.0.113.1'), '203.0.113.1')
    assert.equal(new ClientAddresses([]).of(nearest, { 'x-forwarded-for': '192.0.2.1' }), nearest)
  })

  test('takes no longer to read if thousands are named', () => {
    const long = Array.from({ length: 2_000 }, () => '10.0.0.2').join(', ')
    assert.equal(behind({ 'x-forwarded-for': `192.0.2.1, ${long}` }), '10.0.0.2')
  })
})

test('one client has one address of IPv4, and a whole /64 of IPv6', () => {
  const networks = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '2001:db8:0:1:a:b:c:d': '2001:db8:0:1::/64',
    '2001:db8:0:1::ffff': '2001:db8:0:1::/64',
    '2001:db8:0:2::1': '2001:db8:0:2::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
  }
  for (const [address, network] of Object.entries(networks))
    assert.equal(addressBlockOf(plainAddress(address) ?? ''), network)
})
