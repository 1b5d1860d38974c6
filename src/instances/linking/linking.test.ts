import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { InstanceStatus } from '../../contract/resources/instance.ts'
import type { LinkWay, LogOutOutcome } from '../../networks/driver/abilities/linking.ts'
import type { DriverConnection } from '../../networks/driver/connection.ts'
import type { InstanceConnections } from '../connection/connections.ts'
import { InstanceLinking } from './linking.ts'

/** An instance and its network, as a person who links an account sees them. */
let status: InstanceStatus
let present: DriverConnection | undefined
let asked: PromiseWithResolvers<LogOutOutcome>[]
let done: string[]
let linking: InstanceLinking

function connection(): DriverConnection {
  return {
    send: () => new Promise(() => {}),
    probe: () => {},
    close: async () => {},
    linking: {
      logOut: () => {
        const answer = Promise.withResolvers<LogOutOutcome>()
        asked.push(answer)
        return answer.promise
      },
    },
  }
}

beforeEach(() => {
  status = 'connected'
  present = connection()
  asked = []
  done = []
  const connections = {
    get present() {
      return present
    },
    linkBy: (way: LinkWay, refused: boolean) => done.push(`link by ${way.kind}${refused ? ', refused' : ''}`),
  } as unknown as InstanceConnections
  linking = new InstanceLinking(connections, {
    status: () => status,
    connection: () => (status === 'connected' ? present : undefined),
    begin: async () => void done.push('begin'),
    apply: async (input: string) => void done.push(input === 'stop' ? 'stopped' : 'logged out'),
  })
})

describe('a logout', () => {
  test('that several ask for at once is asked of the network once, and once more when it failed', async () => {
    const both = Promise.all([linking.logOut(), linking.logOut()])
    asked[0]?.resolve('unreachable')
    assert.deepEqual([await both, done, asked.length], [['unreachable', 'unreachable'], [], 1])
    const again = linking.logOut()
    asked[1]?.resolve('confirmed')
    assert.deepEqual([await again, done, asked.length], ['confirmed', ['logged out'], 2])
  })

  test('that is confirmed after the connection broke counts', async () => {
    const answer = linking.logOut()
    present = undefined
    status = 'reconnecting'
    asked[0]?.resolve('confirmed')
    assert.deepEqual([await answer, done], ['confirmed', ['logged out']])
  })

  test('that is confirmed after another connection was opened is left to that one', async () => {
    const answer = linking.logOut()
    present = connection()
    asked[0]?.resolve('confirmed')
    assert.deepEqual([await answer, done], ['confirmed', []])
  })

  test('needs an open connection', async () => {
    status = 'connecting'
    assert.deepEqual([await linking.logOut(), asked], [undefined, []])
  })
})

describe('a link attempt', () => {
  const way = { kind: 'qr' } as const

  test('does not begin if the account was linked a moment ago', async () => {
    assert.deepEqual([await linking.begin(way), done], [false, []])
  })

  test('gives up the credentials only if the network refused them', async () => {
    for (const before of ['stopped', 'logged_out', 'reconnecting'] as const) {
      status = before
      assert.equal(await linking.begin(way), true)
    }
    assert.deepEqual(done, ['link by qr', 'begin', 'link by qr, refused', 'begin', 'link by qr', 'begin'])
  })
})
