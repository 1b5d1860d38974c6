import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../networks/config.ts'
import { isInTheOpen, localUrl } from './listening.ts'

test('a URL leads to what listens, also on all addresses and on those of IPv6', () => {
  const hosts = ['127.0.0.1', 'localhost', '0.0.0.0', '::', '::1', '192.0.2.1', '2001:db8::1']
  assert.deepEqual(
    hosts.map((host) => localUrl({ host, port: 8080 })),
    [
      'http://127.0.0.1:8080',
      'http://localhost:8080',
      'http://127.0.0.1:8080',
      'http://[::1]:8080',
      'http://[::1]:8080',
      'http://192.0.2.1:8080',
      'http://[2001:db8::1]:8080',
    ],
  )
})

test('a server is in the open where others reach it and nothing says that TLS is in front', () => {
  const open = (listen: string, url = '') =>
    isInTheOpen(readConfig({ POSTHORN_LISTEN: listen, POSTHORN_BASE_URL: url }))
  for (const listen of ['127.0.0.1:80', '127.9.9.9:80', 'localhost:80', '[::1]:80'])
    assert.equal(open(listen), false, listen)
  for (const listen of [
    '0.0.0.0:80',
    '[::]:80',
    '192.0.2.1:80',
    'messages.example.org:80',
    '127.0.0.1.example.org:80',
  ]) {
    assert.equal(open(listen), true, listen)
    assert.equal(open(listen, 'http://messages.example.org'), true, listen)
    assert.equal(open(listen, 'https://messages.example.org'), false, listen)
  }
})
