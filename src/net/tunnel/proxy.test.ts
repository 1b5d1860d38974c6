import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyFault, readProxy } from './proxy.ts'

test('a proxy is read from its URL and its credentials', () => {
  assert.deepEqual(readProxy({ url: 'http://proxy.example' }), {
    kind: 'http',
    host: 'proxy.example',
    port: 80,
    credentials: null,
  })
  assert.deepEqual(readProxy({ url: 'socks5h://[2001:db8::1]/', username: 'ana', password: 'x:y' }), {
    kind: 'socks5',
    host: '2001:db8::1',
    port: 1080,
    credentials: { username: 'ana', password: 'x:y' },
  })
  assert.equal(readProxy({ url: 'https://proxy.example:3128' }).port, 3128)
})

test('what is wrong is said without repeating it', () => {
  for (const settings of [
    { url: '' },
    { url: 'proxy.example:8080' },
    { url: 'ftp://proxy.example' },
    { url: 'socks4://proxy.example' },
    { url: 'socks5://' },
    { url: 'http://proxy.example:0' },
    { url: 'http://proxy.example:70000' },
    { url: `http://${'a'.repeat(600)}` },
    { url: 'http://ana:geheim@proxy.example' },
    { url: 'http://proxy.example/path' },
    { url: 'socks5://proxy.example?geheim' },
    { url: 'http://proxy.example', password: 'geheim' },
    { url: 'http://proxy.example', username: 'ana:b', password: 'geheim' },
    { url: 'http://proxy.example', username: 'ana\n', password: 'geheim' },
    { url: 'http://proxy.example', username: 'ana', password: '' },
    { url: 'http://proxy.example', username: 'ana', password: 'geheim'.repeat(50) },
  ]) {
    const fault = proxyFault(settings)
    assert.ok(fault?.endsWith('.') && !fault.includes('geheim'), `${settings.url}: ${fault}`)
    assert.throws(() => readProxy(settings), { message: fault })
  }
})
