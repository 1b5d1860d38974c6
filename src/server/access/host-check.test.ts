import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostCheck } from './host-check.ts'

const check = new HostCheck('https://gateway.example/posthorn', ['posthorn', 'Büro.example'])

test('the name of the base URL, those of the setting, localhost and addresses are good, with any port', () => {
  for (const host of [
    'gateway.example',
    'GATEWAY.example:8443',
    'gateway.example.',
    'posthorn:8080',
    'xn--bro-hoa.example',
    'localhost',
    'localhost:8080',
    '127.0.0.1',
    '192.0.2.1:80',
    '[::1]:8080',
    '[2001:db8::1]',
  ])
    assert.ok(check.allows(host), host)
})

test('every other name is none', () => {
  for (const host of [
    '',
    'evil.example',
    'evil.example:8080',
    'evil.gateway.example',
    'gateway.example.evil.example',
    'localhost.evil.example',
    'gateway.example@evil.example',
    'gateway.example:80:80',
    '127.0.0.1.evil.example',
    '127.1',
    '2130706433',
    '[gateway.example]',
    '*',
  ])
    assert.ok(!check.allows(host), host)
})

test('* stands for every name', () => {
  const any = new HostCheck(undefined, ['*'])
  assert.ok(any.allows('evil.example'))
  assert.ok(!new HostCheck(undefined, []).allows('gateway.example'))
})
