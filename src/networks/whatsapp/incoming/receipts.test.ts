import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import { whatsappIdOf } from '../message-id.ts'
import { type ReceiptStanza, receiptsIn, withOtherNames } from './receipts.ts'

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
    listed.map((receipt) => receipt.kind === 'receipt' && receipt.network_message_id),
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

const number = '4915112345678@s.whatsapp.net'
const read = (up_to: string, conversation: string) => ({ kind: 'read-elsewhere', conversation, up_to })

test('the phone tells what the account read on it, with or without telling the author', () => {
  const own = { id: '3A01', from: '4915100000000@s.whatsapp.net' }
  for (const type of ['read', 'read-self']) {
    const chat = receipts({ ...own, type, recipient: '123456789012345@lid' }, ['3A02', '3A03'])
    const [lid, lidDigits] = ['123456789012345@lid', '123456789012345']
    assert.deepEqual(chat, [read(`3A01:${lidDigits}`, lid), read(`3A03:${lidDigits}`, lid)])
    const participant = '999999999999999@lid'
    const inGroup = receipts({ id: '3A01', from: group, participant, recipient: number, type })
    assert.deepEqual(inGroup, [read('3A01:4915112345678', group)])
  }
  for (const recipient of ['', group, 'status@broadcast'])
    assert.deepEqual(receipts({ ...own, type: 'read', recipient }), [])
  assert.deepEqual(receipts({ ...own, id: ' ', type: 'read', recipient: ana }), [])
})

test('what was read is looked for by both names of its author', async () => {
  const names = new Map([
    ['123456789012345@lid', '4915112345678:3@s.whatsapp.net'],
    ['4915112345678@s.whatsapp.net', '123456789012345@lid'],
  ])
  const otherOf = async (jid: string) => names.get(jid) ?? null
  const told = [read('3A01:123456789012345', '123456789012345@lid'), read('3A02:4915112345678', group)]
  assert.deepEqual(await withOtherNames(told as never, otherOf), [
    told[0],
    { ...told[0], up_to: '3A01:4915112345678' },
    told[1],
    { ...told[1], up_to: '3A02:123456789012345' },
  ])
})
