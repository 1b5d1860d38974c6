import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import { History } from './history.ts'

const { INITIAL_BOOTSTRAP, RECENT } = proto.Message.HistorySyncType

const megabyte = 2 ** 20

/** A notification with bytes that it unfolds to. */
const notificationOf = (bytes: Uint8Array, syncType: proto.Message.HistorySyncType = INITIAL_BOOTSTRAP) => ({
  syncType,
  initialHistBootstrapInlinePayload: deflateSync(bytes),
})

function names(count: number): Uint8Array {
  const pushnames = Array.from({ length: count }, (_, index) => ({
    id: `4915${String(index).padStart(9, '0')}@s.whatsapp.net`,
    pushname: `Person ${index}`,
  }))
  return proto.HistorySync.encode({
    syncType: proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    pushnames,
  }).finish()
}

test('what says how to address people is admitted, of an account with ten thousand contacts, too', () => {
  const history = new History(() => assert.fail('it fits'))
  assert.equal(history.admits(notificationOf(names(10_000))), true)
})

test('what would be fetched, and what nobody needs, is not admitted, and not counted', () => {
  const history = new History(() => assert.fail('nothing was dropped'))
  assert.equal(history.admits({ syncType: INITIAL_BOOTSTRAP, directPath: '/v/t62' }), false)
  assert.equal(history.admits(notificationOf(names(1), RECENT)), false)
})

for (const [what, bytes] of [
  ['too many bytes', Buffer.alloc(9 * megabyte)],
  ['too many empty objects', Buffer.alloc(megabyte, Uint8Array.of(0x12, 0))],
] as const)
  test(`${what} are not admitted, and counted once, however often somebody asks`, () => {
    let dropped = 0
    const history = new History(() => {
      dropped += 1
    })
    const notification = notificationOf(bytes)
    for (let time = 0; time < 3; time++) assert.equal(history.admits(notification), false)
    assert.equal(dropped, 1)
  })

test('whoever sends again and again is not unpacked for any longer, and is after an hour', () => {
  let now = 0
  const history = new History(
    () => {},
    () => now,
  )
  const bomb = Buffer.alloc(9 * megabyte)
  for (let time = 0; time < 9; time++) history.admits(notificationOf(bomb))
  assert.equal(history.admits(notificationOf(names(1))), false)
  now += 3_600_000
  assert.equal(history.admits(notificationOf(names(1))), true)
})
