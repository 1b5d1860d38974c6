import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { isReadAcknowledged } from './acknowledgements.ts'

const event = 'CB:ack,class:receipt'

test('that a message came is no acknowledgement that it was read', async () => {
  const ws = new EventEmitter()
  const acknowledged = isReadAcknowledged(ws, 'A', 20)
  ws.emit(event, { attrs: { id: 'A', type: 'inactive' } })
  ws.emit(event, { attrs: { id: 'B', type: 'read' } })
  assert.equal(await acknowledged, false)
  assert.equal(ws.listenerCount(event), 0)
})

for (const type of ['read', 'read-self', undefined])
  test(`an acknowledgement of the type ${type} says that it was read`, async () => {
    const ws = new EventEmitter()
    const acknowledged = isReadAcknowledged(ws, 'A', 60_000)
    ws.emit(event, { attrs: { id: 'A', ...(type && { type }) } })
    assert.equal(await acknowledged, true)
    assert.equal(ws.listenerCount(event), 0)
  })
