import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountOf, check, isLoopback } from './settings.ts'

const address = 'gateway@example.org'
const withPassword = { password: 'secret' }
const pointers = (settings: Record<string, unknown>, credentials: Record<string, unknown> = withPassword) =>
  check({ address, ...settings }, credentials).map(({ pointer, code }) => `${pointer} ${code}`)

test('an account needs an address of a person and a password', () => {
  assert.deepEqual(pointers({}), [])
  assert.deepEqual(pointers({ address: 'example.org' }), ['/settings/address address_invalid'])
  assert.deepEqual(pointers({ address: `${address}/phone` }), ['/settings/address address_invalid'])
  assert.deepEqual(pointers({}, {}), ['/credentials/password password_required'])
})

test('an account that is to be registered needs no password', () => {
  assert.deepEqual(pointers({ register: true }, {}), [])
  assert.deepEqual(pointers({ register: false }, {}), ['/credentials/password password_required'])
})

test('a service names a scheme, a host and a port, and nothing else', () => {
  for (const service of ['xmpp://h', 'xmpps://h:5223', 'xmpp://127.0.0.1:1', 'xmpps://[::1]:65535/']) {
    assert.deepEqual(pointers({ service }), [], service)
  }
  for (const service of [
    'http://h',
    'xmpp://',
    'xmpp://h:0',
    'xmpp://h:65536',
    'xmpp://u:p@h',
    'xmpp://h/x',
    'h',
  ]) {
    assert.deepEqual(pointers({ service }), ['/settings/service service_invalid'], service)
  }
})

test('plaintext is for services on this machine only', () => {
  const fault = ['/settings/allow_plaintext plaintext_not_local']
  for (const service of [
    'xmpp://127.0.0.1:5222',
    'xmpp://127.8.9.1',
    'xmpp://[::1]',
    'xmpp://LOCALHOST:5222',
  ]) {
    assert.deepEqual(pointers({ service, allow_plaintext: true }), [], service)
  }
  for (const service of [
    'xmpp://192.168.0.1',
    'xmpp://example.org',
    'xmpp://127.0.0.1.example.org',
    'xmpp://localhost.example.org',
    'xmpp://[::2]',
    'xmpp://[::ffff:192.168.0.1]',
    'xmpp://0.0.0.0',
    'xmpp://2130706433',
  ]) {
    assert.deepEqual(pointers({ service, allow_plaintext: true }), fault, service)
  }
  assert.deepEqual(pointers({ allow_plaintext: true }), fault)
  assert.deepEqual(pointers({ service: 'xmpp://example.org', allow_plaintext: false }), [])
})

test('plaintext needs both the permission and the place, even if nobody checked', () => {
  const plaintext = (settings: Record<string, unknown>) => accountOf({ address, ...settings }).plaintext
  assert.equal(plaintext({ service: 'xmpp://127.0.0.1', allow_plaintext: true }), true)
  assert.equal(plaintext({ service: 'xmpp://127.0.0.1' }), false)
  assert.equal(plaintext({ service: 'xmpp://example.org', allow_plaintext: true }), false)
  assert.equal(plaintext({ allow_plaintext: true }), false)
  assert.equal(isLoopback('127.0.0.1.evil.test'), false)
})

test('an account is read as the connection needs it', () => {
  assert.deepEqual(accountOf({ address: 'Gateway@Example.org', service: 'xmpps://[::1]' }), {
    address: 'gateway@example.org',
    local: 'gateway',
    domain: 'example.org',
    service: { host: '::1', port: 5223, directTls: true },
    register: false,
    plaintext: false,
  })
})
