import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { unauthenticated } from '../../contract/problem.ts'
import type { Connections } from '../connections/connections.ts'
import { AccessControl } from './access-control.ts'
import { RateLimit } from './rate-limit.ts'

type Given = ConstructorParameters<typeof AccessControl>[0]

function accessControl(given: Partial<Given>): AccessControl {
  const operatorTokens = { operator: 'x'.repeat(32), metrics: 'y'.repeat(32) }
  return new AccessControl({ operatorTokens, hosts: [], ...given } as Given)
}

test('a connection that is refused again and again leaves nothing behind', async () => {
  const time = new FakeTime()
  const connections = { addressBlockOf: () => '192.0.2.1', mayWait: () => true }
  const anonymousLimit = new RateLimit({ count: 1, seconds: 3_600 }, time.clock)
  const refusing = accessControl({
    connections: connections as unknown as Connections,
    anonymousLimit,
    alarms: time.alarms,
  })
  const socket = new EventEmitter() as Socket
  const request = { raw: { socket } } as FastifyRequest
  anonymousLimit.take('192.0.2.1')
  for (let asked = 0; asked < 3; asked++) {
    const refused = refusing.refuse(request, unauthenticated())
    time.pass(2_000)
    await assert.rejects(refused, { code: 'rate_limited' })
  }
  assert.equal(socket.listenerCount('close'), 0)
})

const check = accessControl({ hosts: ['gateway.example', 'posthorn', 'Büro.example'] })

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
    assert.ok(check.allowsHost(host), host)
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
    assert.ok(!check.allowsHost(host), host)
})

test('* stands for every name', () => {
  const any = accessControl({ hosts: ['*'] })
  assert.ok(any.allowsHost('evil.example'))
  assert.ok(!accessControl({}).allowsHost('gateway.example'))
})
