import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from 'baileys'
import { expirationIn } from './expirations.ts'
import { formed } from './form.ts'

const asSent = (content: object, expiration: number) =>
  proto.Message.toObject(
    proto.Message.decode(proto.Message.encode(formed({ ...content }, expiration)).finish()),
    { defaults: false },
  )

test('a text that disappears says after how many seconds, and one that stays is a bare text', () => {
  assert.deepEqual(asSent({ conversation: 'Hush' }, 60).extendedTextMessage, {
    text: 'Hush',
    contextInfo: { expiration: 60 },
  })
  assert.equal(asSent({ conversation: 'Hush' }, 60).conversation, undefined)
  assert.equal(asSent({ conversation: 'Hello' }, 0).conversation, 'Hello')
})

test('a file that disappears says so where it is described, in whatever wrapping', () => {
  const document = { documentMessage: { fileName: 'a.pdf', caption: 'Read' } }
  for (const content of [document, { documentWithCaptionMessage: { message: document } }])
    assert.equal(expirationIn(formed(content, 3600)), 3600)
})

test('each message has a secret of its own, but for those about another message', () => {
  const secretOf = (content: object) => formed({ ...content }, 0).messageContextInfo?.messageSecret
  const [one, other] = [secretOf({ conversation: 'One' }), secretOf({ conversation: 'One' })]
  assert.equal(one?.length, 32)
  assert.notDeepEqual(one, other)
  assert.equal(secretOf({ reactionMessage: { text: '👍' } }), undefined)
})

test('what has no context says nothing of when the messages of its chat disappear, and too long is not believed', () => {
  assert.equal(expirationIn(proto.Message.fromObject({ reactionMessage: { text: '👍' } })), null)
  assert.equal(expirationIn(proto.Message.fromObject({ protocolMessage: { type: 0 } })), null)
  assert.equal(expirationIn(proto.Message.fromObject({ imageMessage: {} })), 0)
  const text = { text: 'Hush', contextInfo: { expiration: 4_000_000_000 } }
  assert.equal(expirationIn(proto.Message.fromObject({ extendedTextMessage: text })), null)
})
