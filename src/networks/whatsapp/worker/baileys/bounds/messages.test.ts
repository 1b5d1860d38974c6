import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from 'baileys'
import { isReadable, MessageTooLarge, messageIn } from './messages.ts'

/** Pads as clients do. */
const padded = (message: proto.IMessage) =>
  Buffer.concat([proto.Message.encode(message).finish(), Buffer.of(1)])

/** So many empty objects in a repeated field, two bytes each. */
const emptyObjects = (count: number, field = 1) => Buffer.alloc(2 * count, Uint8Array.of(field * 8 + 2, 0))

const mapping = (bytes: Uint8Array): proto.IMessage => ({
  protocolMessage: { lidMigrationMappingSyncMessage: { encodedMappingPayload: bytes } },
})

test('the longest text with a thousand mentions is read', () => {
  const mentionedJid = Array.from({ length: 1_000 }, (_, index) => `${index}@lid`)
  const text = 'ñ'.repeat(65_536)
  const message = messageIn(padded({ extendedTextMessage: { text, contextInfo: { mentionedJid } } }))
  assert.equal(message?.extendedTextMessage?.text, text)
})

test('a content that the library does not know is one, and keys of a group are none', () => {
  const newer = Buffer.from([0xfa, 0x3f, 2, 0x0a, 0])
  const hasNewer = (message: proto.IMessage, more: Buffer) => {
    const read = messageIn(Buffer.concat([proto.Message.encode(message).finish(), more, Buffer.of(1)]))
    return read !== null && 'newerMessage' in read
  }
  const keys = { senderKeyDistributionMessage: { groupId: '1@g.us' } }
  assert.equal(hasNewer({}, newer), true)
  assert.equal(hasNewer({ messageContextInfo: {} }, newer), true)
  for (const message of [{}, keys, { messageContextInfo: {} }])
    assert.equal(hasNewer(message, Buffer.alloc(0)), false)
  assert.equal(hasNewer({ conversation: 'Hello' }, newer), false)
})

test('what makes no sense is no message', () => {
  assert.equal(messageIn(Buffer.from([0xff, 0xff, 0xff, 1])), null)
})

for (const [what, message] of [
  ['a text of a megabyte', { conversation: 'x'.repeat(2 ** 20) }],
  [
    'a hundred thousand empty keys',
    { protocolMessage: { appStateSyncKeyShare: { keys: Array.from({ length: 100_000 }, () => ({})) } } },
  ],
  ['a table of LIDs of as many', mapping(emptyObjects(100_000))],
  [
    'the same, inside of what was sent elsewhere',
    { deviceSentMessage: { message: mapping(emptyObjects(100_000)) } },
  ],
  ['the same, inside of what disappears', { ephemeralMessage: { message: mapping(emptyObjects(100_000)) } }],
  [
    'a message that the phone sends once more, with as many',
    {
      protocolMessage: {
        peerDataOperationRequestResponseMessage: {
          peerDataOperationResult: [
            { placeholderMessageResendResponse: { webMessageInfoBytes: emptyObjects(100_000, 40) } },
          ],
        },
      },
    },
  ],
] as [string, proto.IMessage][])
  test(`${what} is too large`, () => {
    assert.throws(() => messageIn(padded(message)), MessageTooLarge)
  })

test('messages in messages without end are too large', () => {
  // The field of a message that disappears, which holds a message.
  let nested = Buffer.alloc(0)
  const wrapped = (field: number, content: Buffer) =>
    Buffer.concat([varint(field * 8 + 2), varint(content.length), content])
  for (let depth = 0; depth < 6_000; depth++) nested = wrapped(40, wrapped(1, nested))
  assert.equal(isReadable(nested), false)
})

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
