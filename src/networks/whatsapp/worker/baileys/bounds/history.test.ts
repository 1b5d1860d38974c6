import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import { HistoryBounds, largestHistory } from './history.ts'

const megabyte = 2 ** 20
const numberOf = (index: number) => `4915${String(index).padStart(9, '0')}@s.whatsapp.net`
const lidOf = (index: number) => `9${index}@lid`

/** A part as a phone hands it over: as the library encodes it, deflated. */
function part(history: proto.IHistorySync): Buffer {
  const syncType = proto.HistorySync.HistorySyncType.RECENT
  return deflateSync(proto.HistorySync.encode({ syncType, ...history } as proto.IHistorySync).finish())
}

function chats(count: number): proto.IConversation[] {
  return Array.from({ length: count }, (_, index) => ({
    id: lidOf(index),
    pnJid: numberOf(index),
    name: `Person ${index}`,
    tcToken: Buffer.alloc(32, 1),
    tcTokenTimestamp: 1_700_000_000 + index,
    tcTokenSenderTimestamp: 1_600_000_000,
    ephemeralExpiration: 86_400,
    ephemeralSettingTimestamp: 1_500_000_000,
  }))
}

test('what says how to address people is kept, of an account with ten thousand contacts, too', () => {
  const mappings = Array.from({ length: 10_000 }, (_, index) => ({
    pnJid: numberOf(index),
    lidJid: lidOf(index),
  }))
  const found = new HistoryBounds().unpack(
    part({ conversations: chats(2), phoneNumberToLidMappings: mappings }),
  )
  assert.equal(found?.pairs.length, 10_002)
  assert.deepEqual(found?.pairs.at(-1), { number: numberOf(9_999), lid: lidOf(9_999) })
  assert.deepEqual(found?.chats[1], {
    jid: lidOf(1),
    token: { token: Buffer.alloc(32, 1), timestamp: 1_700_000_001, senderTimestamp: 1_600_000_000 },
    expiration: 86_400,
    expirationSince: 1_500_000_000,
  })
})

test('messages are skipped unread, so hundreds of thousands of parts of messages do not matter', () => {
  const message = {
    key: { remoteJid: lidOf(0), id: 'A' },
    message: { conversation: 'x' },
    messageTimestamp: 1,
  }
  const messages = Array.from({ length: 40_000 }, () => ({ message }))
  const conversations = [{ ...chats(1)[0], id: lidOf(0), messages: messages as proto.IHistorySyncMsg[] }]
  assert.equal(new HistoryBounds().unpack(part({ conversations }))?.chats.length, 1)
})

test('groups, addresses with devices and what is no address are left out; so are tokens without a time, and of a kilobyte', () => {
  const [chat] = chats(1)
  const conversations = [
    { ...chat, id: '123@g.us' },
    { ...chat, id: '4915:3@s.whatsapp.net' },
    { ...chat, id: 'me@lid' },
    { ...chat, id: lidOf(1), pnJid: 'Ana', tcTokenTimestamp: 0, ephemeralExpiration: 0 },
    { ...chat, id: lidOf(2), pnJid: lidOf(3), tcToken: Buffer.alloc(1024), ephemeralExpiration: 0 },
  ]
  const found = new HistoryBounds().unpack(part({ conversations }))
  assert.deepEqual(found, { chats: [], pairs: [] })
})

for (const [what, payload] of [
  ['too many bytes', deflateSync(Buffer.alloc(9 * megabyte))],
  ['too many empty chats', deflateSync(Buffer.alloc(megabyte, Uint8Array.of(0x12, 0)))],
  ['bytes that are not deflated', Buffer.alloc(1_000, 1)],
  ['a chat that ends after its history', deflateSync(Uint8Array.of(0x12, 5, 0x0a, 1))],
  ['a field that ends after its chat', deflateSync(Uint8Array.of(0x12, 2, 0x0a, 3, 65, 65, 65))],
  ['groups within groups', deflateSync(Buffer.alloc(150_000, 0x0b))],
] as const)
  test(`${what} are not taken`, () => assert.equal(new HistoryBounds().unpack(payload), null))

test('whoever sends again and again is not unpacked for any longer, and is after an hour', () => {
  let now = 0
  const bounds = new HistoryBounds(() => now)
  const bomb = deflateSync(Buffer.alloc(9 * megabyte))
  for (let time = 0; time < 9; time++) assert.equal(bounds.unpack(bomb), null)
  const good = part({ conversations: chats(1) })
  assert.equal(bounds.unpack(good), null)
  now += 3_600_000
  assert.equal(bounds.unpack(good)?.chats.length, 1)
  bounds.spend(9 * largestHistory)
  assert.equal(bounds.isSpent, true)
})
