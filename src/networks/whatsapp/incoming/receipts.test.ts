import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import { whatsappIdOf } from '../message-id.ts'
import { type ReceiptStanza, receiptsIn } from './receipts.ts'

const own = { number: '4915100000000:5@s.whatsapp.net', lid: '999999999999999:5@lid' }
const ana = '123456789012345@lid'
const group = '120363021033254949@g.us'
const ours = newMessageId()
const id = whatsappIdOf(ours)

function receipts(attrs: ReceiptStanza['attrs'], items: readonly string[] = []) {
  return receiptsIn({ attrs: { id, from: ana, ...attrs }, items }, own)
}

for (const [type, state] of [
  [undefined, 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
] as const) {
  test(`a receipt of the type ${type} says ${state}`, () => {
    const expected = { kind: 'receipt', network_message_id: ours, from: ana, state }
    assert.deepEqual(receipts({ type }), [expected])
    assert.deepEqual(receipts({ type, from: '123456789012345:3@lid' }), [expected])
  })
}

for (const type of [
  'sender',
  'retry',
  'peer_msg',
  'read-self',
  'played-self',
  'hist_sync',
  'server-error',
  'constructor',
  '__proto__',
]) {
  test(`a receipt of the type ${type} says nothing of the recipient`, () => {
    assert.deepEqual(receipts({ type }), [])
  })
}

test('a device of the account confirms nothing', () => {
  for (const from of ['4915100000000@s.whatsapp.net', '999999999999999:2@lid']) {
    assert.deepEqual(receipts({ from, recipient: ana }), [])
    assert.deepEqual(receipts({ from: group, participant: from }), [])
  }
})

test('in a group, somebody of it confirms', () => {
  const expected = { kind: 'receipt', network_message_id: ours, from: group, state: 'read' }
  assert.deepEqual(receipts({ from: group, participant: `123456789012345:9@lid`, type: 'read' }), [expected])
})

test('one receipt confirms several messages, each once, and only ours', () => {
  const other = newMessageId()
  const listed = receipts({ type: 'read' }, [whatsappIdOf(other), id, '3A0123', '', 'x'.repeat(1000)])
  assert.deepEqual(
    listed.map((receipt) => receipt.network_message_id),
    [ours, other],
  )
  const many = Array.from({ length: 100_000 }, () => id)
  assert.equal(receipts({}, many).length, 1)
})

test('what names nobody, or somebody else than its conversation, confirms nothing', () => {
  for (const attrs of [
    { from: '' },
    { from: 'status@broadcast', participant: ana },
    { from: 's.whatsapp.net' },
    { from: ana, participant: '4915112345678@s.whatsapp.net' },
    { from: group, participant: 'nobody' },
    { id: '3A0123' },
  ])
    assert.deepEqual(receipts(attrs), [])
})
