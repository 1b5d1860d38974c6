import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode, WASocket } from 'baileys'
import { keepReceipts } from './receipt-keeper.ts'

/** A receipt for one of our messages, which ends with this letter. */
const receipt = (letter: string): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: `3EB0${letter.padStart(32, '0')}`, from: '15550001@s.whatsapp.net', type: 'read' },
})

/** A socket with a library behind it that acknowledges what it gets, and stops at some. */
function setUp(store: () => Promise<boolean>, failsAt?: string) {
  const ws = new EventEmitter()
  const acknowledged: string[] = []
  ws.on('CB:receipt', ({ attrs }: BinaryNode) => {
    const letter = attrs.id?.at(-1) ?? ''
    if (letter === failsAt) throw new Error('the library failed')
    acknowledged.push(letter)
  })
  const authState = { creds: { me: { id: '15550002@s.whatsapp.net' } } }
  const sock = { ws, authState } as unknown as WASocket
  keepReceipts({ sock, store, sendAgain: async () => true, overflowed: () => assert.fail('it is not much') })
  const come = async (...ids: string[]) => {
    for (const id of ids) ws.emit('CB:receipt', receipt(id))
    await new Promise(setImmediate)
  }
  return { come, acknowledged }
}

test('receipts go on being stored after some could not be, which are not acknowledged', async () => {
  let failures = 1
  const { come, acknowledged } = setUp(async () => {
    if (failures-- > 0) throw new Error('the server failed')
    return true
  })
  await come('A')
  await come('B', 'C')
  await come('D')
  assert.deepEqual(acknowledged, ['B', 'C', 'D'])
})

test('a receipt at which the library fails keeps no other', async () => {
  const { come, acknowledged } = setUp(async () => true, 'B')
  await come('A', 'B', 'C')
  await come('D')
  assert.deepEqual(acknowledged, ['A', 'C', 'D'])
})
