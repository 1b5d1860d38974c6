import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { beforeEach, describe, test } from 'node:test'
import type { Connections } from './connections.ts'
import { AnonymousTurns } from './http-server.ts'

const connections = { opened: 0 }
const clock = { now: 0, monotonic: () => clock.now }

interface Asking {
  readonly address?: string
  readonly authorization?: string
  readonly socket?: object
}

/** Takes requests, and tells in which order they are carried out, by their names. */
function taker() {
  const turns = new AnonymousTurns(
    {
      get opened() {
        return connections.opened
      },
      markUnauthenticated: () => {},
      isKnown: (socket: { known?: boolean }) => socket.known ?? false,
      addressBlockOf: ({ address }: { address: string }) => address,
    } as unknown as Connections,
    clock,
  )
  const carriedOut: string[] = []
  return {
    carriedOut,
    take(name: string, { address = '192.0.2.1', authorization, socket = {} }: Asking = {}) {
      const request = { socket, address, headers: { authorization } }
      turns.take(request as unknown as IncomingMessage, () => carriedOut.push(name))
    },
  }
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('what comes on connections without a valid key', () => {
  beforeEach(() => {
    connections.opened = 0
    clock.now = 1_000
  })

  test('is carried out one by one, so that everything else is done in between', async () => {
    const { take, carriedOut } = taker()
    for (let count = 0; count < 300; count++) take(`anonymous ${count}`)
    for (let turn = 0; turn < 5; turn++) await aTurn()
    assert.ok(carriedOut.length <= 5, `${carriedOut.length} were carried out in five turns`)
    while (carriedOut.length < 300) await aTurn()
    assert.deepEqual(carriedOut.slice(0, 3), ['anonymous 0', 'anonymous 1', 'anonymous 2'])
  })

  test('waits for no request without a key, if it has one', async () => {
    const { take, carriedOut } = taker()
    for (let count = 0; count < 300; count++) take('anonymous')
    take('caller', { authorization: 'Bearer phk_any' })
    await aTurn()
    assert.ok(carriedOut.includes('caller'))
    assert.ok(carriedOut.length <= 2)
  })

  test('takes turns by address, with a key and without', async () => {
    for (const authorization of [undefined, 'Bearer phk_any']) {
      const { take, carriedOut } = taker()
      for (let count = 0; count < 100; count++) take('crowd', { ...(authorization && { authorization }) })
      take('other', { address: '192.0.2.2', ...(authorization && { authorization }) })
      while (carriedOut.length < 2) await aTurn()
      assert.deepEqual(carriedOut.slice(0, 2), ['crowd', 'other'])
    }
  })

  test('waits while new connections come, but not for long', async () => {
    const { take, carriedOut } = taker()
    take('first')
    await aTurn()
    take('anonymous')
    for (let turn = 0; turn < 20; turn++) {
      connections.opened++
      await aTurn()
    }
    assert.deepEqual(carriedOut, ['first'])
    clock.now += 11
    connections.opened++
    await aTurn()
    await aTurn()
    assert.deepEqual(carriedOut, ['first', 'anonymous'])
  })

  test('is carried out at once where a valid key came before, and behind what waits there', async () => {
    const { take, carriedOut } = taker()
    const socket = { known: true }
    take('at once', { socket })
    assert.deepEqual(carriedOut, ['at once'])
    socket.known = false
    take('waits', { socket })
    socket.known = true
    take('behind it', { socket })
    assert.deepEqual(carriedOut, ['at once'])
    while (carriedOut.length < 3) await aTurn()
    assert.deepEqual(carriedOut, ['at once', 'waits', 'behind it'])
  })

  test('is never carried out once its connection is cut', async () => {
    const { take, carriedOut } = taker()
    const socket = { destroyed: false }
    take('first', { socket })
    take('second', { socket })
    await aTurn()
    socket.destroyed = true
    take('last')
    while (!carriedOut.includes('last')) await aTurn()
    assert.deepEqual(carriedOut, ['first', 'last'])
  })

  test('waits up to some requests of a connection, and no more is held of one', async () => {
    const { take, carriedOut } = taker()
    const socket = {}
    for (let count = 0; count < 1_000; count++) take(`${count}`, { socket })
    assert.equal(carriedOut.length, 992)
  })
})
