import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/kit/random.ts'
import { newId } from '../runtime/ids.ts'
import { messageIdFrom, networkIdOf, ownNetworkId } from './message.ts'

test('derived ids are unique, ascend, are plain, and lead back to their message', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('msg'))
  const onNetwork = ids.map(ownNetworkId)
  assert.equal(new Set(onNetwork).size, ids.length)
  assert.deepEqual(onNetwork, onNetwork.toSorted())
  assert.ok(onNetwork.every((id) => /^[0-9a-z]{26}$/.test(id)))
  assert.deepEqual(onNetwork.map(messageIdFrom), ids)
})

test('the derived id of a message is always the same, and an assigned one is instead of it', () => {
  const id = 'msg_06fdw2p7d8sq1m5v2b9x4hyk6n'
  assert.equal(ownNetworkId(id), '06fdw2p7d8sq1m5v2b9x4hyk6n')
  const own = { id, network_message_id: null, id_assigned: 0 }
  assert.equal(networkIdOf(own), ownNetworkId(id))
  assert.equal(networkIdOf({ ...own, id_assigned: 1 }), null)
  assert.equal(networkIdOf({ ...own, id_assigned: 1, network_message_id: 'assigned' }), 'assigned')
})

test('what nobody derived leads to no message', () => {
  const ours = '06fdw2p7d8sq1m5v2b9x4hyk6n'
  for (const odd of [
    '',
    ours.slice(1),
    `${ours}0`,
    `${ours}\n`,
    ours.toUpperCase(),
    `msg_${ours}`,
    `${ours}-caption`,
  ])
    assert.equal(messageIdFrom(odd), null, JSON.stringify(odd))
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const id = messageIdFrom(text)
      assert.ok(id === null || ownNetworkId(id) === text)
    }),
  )
})
