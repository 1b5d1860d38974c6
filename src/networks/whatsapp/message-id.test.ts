import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../runtime/ids.ts'
import { ownIdFrom, whatsappIdOf } from './message-id.ts'

test('an id at WhatsApp looks like those of WhatsApp Web, and leads back to ours', () => {
  for (let each = 0; each < 1_000; each++) {
    const id = newId('msg').slice('msg_'.length)
    const there = whatsappIdOf(id)
    assert.match(there, /^3EB0[0-9A-F]{32}$/)
    assert.equal(ownIdFrom(there), id)
  }
})

test('an id of somebody else leads to none of ours', () => {
  for (const id of ['3EB0538DA65A59F6D8A251', '3A5F0E4C1B2D3E4F5A6B', 'msg_0', '', '3EB0'.padEnd(36, 'x')])
    assert.equal(ownIdFrom(id), null)
})
