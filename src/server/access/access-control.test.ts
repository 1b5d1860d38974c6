import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { FakeTime } from '../../../test/kit/fake-time.ts'
import { unauthenticated } from '../../contract/problem.ts'
import type { Connections } from '../connections/connections.ts'
import { AccessControl } from './access-control.ts'
import type { Authentication } from './authenticate.ts'
import { RateLimit } from './rate-limit.ts'

test('a connection that is refused again and again leaves nothing behind', async () => {
  const time = new FakeTime()
  const connections = { addressBlockOf: () => '192.0.2.1', mayWait: () => true }
  const anonymousLimit = new RateLimit({ count: 1, seconds: 3_600 }, time.clock)
  const accessControl = new AccessControl({
    authentication: {} as Authentication,
    connections: connections as unknown as Connections,
    anonymousLimit,
    alarms: time.alarms,
  })
  const socket = new EventEmitter() as Socket
  const request = { raw: { socket } } as FastifyRequest
  anonymousLimit.take('192.0.2.1')
  for (let asked = 0; asked < 3; asked++) {
    const refused = accessControl.refuse(request, unauthenticated())
    time.pass(2_000)
    await assert.rejects(refused, { code: 'rate_limited' })
  }
  assert.equal(socket.listenerCount('close'), 0)
})
