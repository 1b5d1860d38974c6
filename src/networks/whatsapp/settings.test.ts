import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validator } from '../../contract/validate.ts'
import { readProxy } from '../../net/tunnel/proxy.ts'
import { check, credentialsSchema, proxyOf, settingsSchema } from './settings.ts'

const validSettings = validator(settingsSchema, '/settings')
const validCredentials = validator(credentialsSchema, '/credentials')
const login = { proxy_username: 'ana', proxy_password: 'a pass:word' }

for (const [proxy, host, port] of [
  ['socks5://proxy.example.org:1081', 'proxy.example.org', 1081],
  ['socks5://proxy.example.org', 'proxy.example.org', 1080],
  ['http://proxy.example.org', 'proxy.example.org', 80],
  ['http://proxy.example.org:80/', 'proxy.example.org', 80],
  ['https://proxy.example.org', 'proxy.example.org', 443],
  ['https://192.0.2.1:8443', '192.0.2.1', 8443],
  ['socks5://[2001:db8::1]:1080', '2001:db8::1', 1080],
] as const) {
  test(`${proxy} is a proxy`, () => {
    assert.deepEqual(validSettings({ proxy }), [])
    assert.deepEqual(check({ proxy }, {}), [])
    assert.deepEqual(check({ proxy }, login), [])
    const found = readProxy(proxyOf({ proxy }, login) ?? assert.fail())
    assert.deepEqual([found.host, found.port], [host, port])
    assert.deepEqual(found.credentials, { username: 'ana', password: 'a pass:word' })
  })
}

for (const proxy of [
  '',
  'proxy.example.org:1080',
  'socks4://proxy.example.org:1080',
  'file:///etc/passwd',
  'http://ana:secret@proxy.example.org:80',
  'http://proxy.example.org:0',
  'http://proxy.example.org:70000',
  'http://proxy.example.org/path',
  'http://proxy.example.org?query',
  'http://proxy.example.org#x',
  'http://proxy.example.org\\@other',
  'http://proxy example.org',
  `http://${'x'.repeat(600)}.org`,
]) {
  test(`${proxy.slice(0, 60)} is no proxy`, () => {
    const faults = [...validSettings({ proxy }), ...check({ proxy }, {})]
    assert.notEqual(faults.length, 0)
  })
}

for (const [settings, credentials, pointer] of [
  [{}, login, '/credentials/proxy_username'],
  [{}, { proxy_password: 'secret' }, '/credentials/proxy_password'],
  [{ proxy: 'http://proxy.example.org' }, { proxy_username: 'ana' }, '/credentials/proxy_password'],
  [{ proxy: 'http://proxy.example.org' }, { proxy_password: 'x' }, '/credentials/proxy_username'],
] as const) {
  test(`${JSON.stringify([settings, credentials])} is refused at ${pointer}`, () => {
    assert.deepEqual(validCredentials(credentials), [])
    assert.deepEqual(
      check(settings, credentials).map((fault) => fault.pointer),
      [pointer],
    )
  })
}

test('nothing is needed', () => {
  assert.deepEqual([...validSettings({}), ...validCredentials({}), ...check({}, {})], [])
  assert.equal(proxyOf({}, {}), null)
})
