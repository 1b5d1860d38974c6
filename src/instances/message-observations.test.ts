import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTime } from '../../test/kit/fake-time.ts'
import { Changes } from '../runtime/changes.ts'
import { silentLog } from '../runtime/log.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { recordMessageObservation } from './message-observations.ts'

const receipt = { kind: 'receipt', network_message_id: 'n1', from: 'ana', state: 'read' } as const

/** Records a receipt in a store that gives these answers, a second apart, and tells what was asked and concluded. */
async function record(...answers: (string | null | Error)[]) {
  const time = new FakeTime()
  const asked: unknown[] = []
  let settled = 0
  const transact = async (_: unknown, args: unknown) => {
    const answer = answers[asked.length] ?? null
    asked.push(args)
    if (answer instanceof Error) throw answer
    return answer
  }
  const context = {
    ...time,
    store: { transact } as unknown as Store,
    log: silentLog,
    messageChanges: new Changes(),
  }
  const told = context.messageChanges.next('msg_1', 5_000, AbortSignal.timeout(5_000))
  recordMessageObservation(context, 'inst_1', receipt, () => settled++)
  for (let second = 0; second < 100; second++) {
    await new Promise(setImmediate)
    time.pass(1_000)
  }
  context.messageChanges.tell('msg_1')
  await told
  return { asked, settled, waiting: time.waiting }
}

test('a receipt that moved a message on wakes its instance: its lane may be free', async () => {
  assert.deepEqual(await record('msg_1').then(({ asked, settled }) => [asked.length, settled]), [1, 1])
  assert.deepEqual(await record(null).then(({ asked, settled }) => [asked.length, settled]), [1, 0])
})

test('a receipt outlasts a store that fails for a while, with the time at which it came', async () => {
  const gone = new StoreUnavailable('the store is away')
  const { asked, settled } = await record(gone, gone, gone, 'msg_1')
  assert.equal(settled, 1)
  assert.deepEqual(new Set(asked.map((args) => JSON.stringify(args))).size, 1)
  assert.equal(asked.length, 4)
})

test('a receipt is not kept for ever, nor where the store finds a fault in it', async () => {
  const gone = Array.from({ length: 100 }, () => new StoreUnavailable('the store is away'))
  const forever = await record(...gone)
  assert.deepEqual([forever.asked.length, forever.waiting], [61, 0])
  const fault = await record(new Error('a mistake'))
  assert.deepEqual([fault.asked.length, fault.waiting], [1, 0])
})
