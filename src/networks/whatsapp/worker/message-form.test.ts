import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { proto } from 'baileys'
import { newFile } from '../../../../test/conformance/networks/files.ts'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import { mediaContent } from '../content/content.ts'
import { type Envelope, observationOf } from '../incoming/incoming-message.ts'
import { readReference } from '../media/files.ts'

/* Plain objects are built here and read there; this is where they meet the protobuf definitions of the library. */

const envelope: Envelope = {
  id: '3A01',
  chat: '123456789012345@lid',
  chat_alt: '4915112345678@s.whatsapp.net',
  sender: null,
  sender_alt: null,
  from_me: false,
  timestamp: 1_700_000_000,
}

/** Passes a content through the wire, as a recipient gets it. */
function passed(content: object) {
  const bytes = proto.Message.encode(proto.Message.fromObject({ ...content })).finish()
  return observationOf(proto.Message.decode(bytes), envelope)
}

test('a text arrives', () => {
  assert.equal(passed({ conversation: 'Hello 👋' })?.text, 'Hello 👋')
})

for (const [form, mime_type, caption] of [
  ['image', 'image/png', 'Look'],
  ['document', 'application/pdf', null],
  ['document', 'application/pdf', 'Read'],
  ['audio', 'audio/ogg; codecs=opus', null],
] as const) {
  test(`a file that goes as ${form}, with the caption ${caption}, can be fetched`, () => {
    const file = newFile(70_000, { filename: 'a file.pdf', mime_type })
    const secrets = { mediaKey: randomBytes(32), fileSha256: randomBytes(32), fileEncSha256: randomBytes(32) }
    const content = mediaContent({
      message: {
        id: newMessageId(),
        to: '+4915112345678',
        kind: form,
        caption,
        voice: form === 'audio',
        file,
      },
      form,
      secrets,
      uploaded: { url: 'https://mmg.whatsapp.net/v/1', directPath: '/v/1' },
      seen: { jpeg: randomBytes(100), width: 3, height: 2 },
      heard: { seconds: 4, waveform: new Uint8Array(64) },
    })
    const arrived = passed(content)
    assert.equal(arrived?.text, caption)
    assert.ok(arrived.file && 'reference' in arrived.file)
    assert.equal(arrived.file.mime_type, mime_type)
    assert.deepEqual(readReference(arrived.file.reference), {
      kind: form,
      directPath: '/v/1',
      size: 70_000,
      secrets,
    })
    const bytes = proto.Message.encode(proto.Message.fromObject({ ...content })).finish()
    const again = proto.Message.encode(proto.Message.decode(bytes)).finish()
    assert.ok(Buffer.from(bytes).equals(Buffer.from(again)), 'it is stored and sent again unchanged')
  })
}

test('a deletion and an edit arrive as what they are', () => {
  const key = { id: '3A99', remoteJid: '1@lid', fromMe: true }
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  const deleted = passed({ protocolMessage: { key, type: REVOKE } })
  assert.ok(deleted?.kind === 'message-received' && deleted.relation?.type === 'retraction')
  const edited = passed({
    editedMessage: {
      message: { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage: { conversation: 'x' } } },
    },
  })
  assert.ok(edited?.kind === 'message-received' && edited.relation?.type === 'correction')
  assert.equal(edited.text, 'x')
})

test('a poll is what it is', () => {
  const options = ['Today', 'Never'].map((optionName) => ({ optionName }))
  for (const field of ['pollCreationMessage', 'pollCreationMessageV3']) {
    const poll = { name: 'When?', options, selectableOptionsCount: 1 }
    assert.deepEqual(passed({ [field]: poll })?.content?.poll, {
      question: 'When?',
      options: ['Today', 'Never'],
      multiple_answers: false,
    })
  }
  assert.equal(passed({ pollCreationMessage: { name: 'When?' } })?.content?.poll?.multiple_answers, true)
})

test('keys of a group and a forged history say nothing', () => {
  assert.equal(passed({ senderKeyDistributionMessage: { groupId: '1@g.us' } }), null)
  assert.equal(passed({ protocolMessage: { type: 5, historySyncNotification: { syncType: 0 } } }), null)
})
