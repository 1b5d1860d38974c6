import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineFailure, type LineMessage, RpcChannel } from './rpc-channel.ts'

interface Left {
  double(asked: number): number
  refuse(asked: null): never
}
interface Right {
  wait(asked: null): string
}

/** Two ends, with what was sent between them. */
function ends() {
  const waiting = Promise.withResolvers<string>()
  const sent: LineMessage[] = []
  const left: RpcChannel<Left, Right> = new RpcChannel<Left, Right>(
    (message) => {
      sent.push(message)
      right.take(structuredClone(message))
    },
    {
      double: (asked) => asked * 2,
      refuse: () => {
        throw new TypeError('not that')
      },
    },
  )
  const right: RpcChannel<Right, Left> = new RpcChannel<Right, Left>(
    (message) => left.take(structuredClone(message)),
    {
      wait: () => waiting.promise,
    },
  )
  return { left, right, waiting, sent }
}

test('each side asks the other, and gets its answer or its failure', async () => {
  const { left, right, waiting } = ends()
  const asked = left.ask('wait', null)
  assert.deepEqual(await Promise.all([right.ask('double', 3), right.ask('double', 4)]), [6, 8])
  await assert.rejects(
    right.ask('refuse', null),
    (error) => error instanceof LineFailure && error.why === 'TypeError' && error.message === 'not that',
  )
  waiting.resolve('at last')
  assert.equal(await asked, 'at last')
})

test('when a line ends, whoever waits is told, and nothing more goes over it', async () => {
  const { left, right, waiting, sent } = ends()
  const asked = left.ask('wait', null)
  left.end(new Error('over'))
  await assert.rejects(asked, /over/)
  await assert.rejects(left.ask('wait', null), /over/)
  const before = sent.length
  void right.ask('double', 1)
  waiting.resolve('too late')
  await new Promise(setImmediate)
  assert.equal(sent.length, before)
})
