import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newMessageId } from '../../../../test/kit/networks/new-message-id.ts'
import { longestReference } from '../../driver/observation.ts'
import { readReference } from '../media/files.ts'
import { whatsappIdOf } from '../message-id.ts'
import { type Envelope, observationOf } from './incoming-message.ts'

const ana = '4915112345678@s.whatsapp.net'
const anaLid = '123456789012345@lid'
const group = '120363021033254949@g.us'
const now = 1_800_000_000_000

const fromAna: Envelope = {
  id: '3A0123456789ABCDEF',
  chat: anaLid,
  chat_alt: ana,
  sender: null,
  sender_alt: null,
  from_me: false,
  timestamp: 1_700_000_000,
}

const fileFields = {
  directPath: '/v/t62/1?ccb=11-4',
  mediaKey: randomBytes(32),
  fileSha256: randomBytes(32),
  fileEncSha256: randomBytes(32),
  fileLength: 1234,
  mimetype: 'image/jpeg',
}

function received(message: object, wishes: Partial<Envelope> = {}) {
  const observation = observationOf(message, { ...fromAna, ...wishes }, { now })
  assert.ok(observation?.kind === 'message-received', JSON.stringify(observation))
  return observation
}

function elsewhere(message: object, wishes: Partial<Envelope> = {}) {
  const observation = observationOf(message, { ...fromAna, from_me: true, ...wishes }, { now })
  assert.ok(observation?.kind === 'message-sent-elsewhere', JSON.stringify(observation))
  return observation
}

test('a text of a person comes with both of their names, the lasting one first', () => {
  assert.deepEqual(received({ conversation: 'Hello', messageContextInfo: {} }), {
    kind: 'message-received',
    network_message_id: '3A0123456789ABCDEF:123456789012345',
    sender_message_id: '3A0123456789ABCDEF',
    from: '+4915112345678',
    conversation: '+4915112345678',
    addresses: [anaLid, '+4915112345678'],
    at: 1_700_000_000_000,
    text: 'Hello',
    file: null,
  })
})

test('whichever name comes first, it is the same message of the same person', () => {
  const one = received({ conversation: 'Hello' })
  assert.deepEqual(received({ conversation: 'Hello' }, { chat: ana, chat_alt: anaLid }), one)
  assert.deepEqual(received({ conversation: 'Hello' }, { chat: '123456789012345:7@lid' }), one)
})

test('a person with one name has that', () => {
  const { from, conversation, ...rest } = received({ conversation: 'Hello' }, { chat_alt: null })
  assert.deepEqual([from, conversation, 'addresses' in rest], [anaLid, anaLid, false])
})

test('in a group, the group is the conversation, and the person the sender', () => {
  const inGroup = { chat: group, chat_alt: null, sender: anaLid, sender_alt: ana }
  const { from, conversation, addresses } = received({ conversation: 'Hello' }, inGroup)
  assert.deepEqual([from, conversation, addresses], ['+4915112345678', group, [anaLid, '+4915112345678']])
})

test('what is written to a list of people is answered to its writer', () => {
  const list = { chat: '1458213141@broadcast', chat_alt: ana, sender: anaLid }
  const { from, conversation, addresses } = received({ conversation: 'Hello' }, list)
  assert.deepEqual([from, conversation], ['+4915112345678', '+4915112345678'])
  assert.deepEqual(addresses, [anaLid, '+4915112345678'])
})

test('nobody takes the id of what somebody else wrote', () => {
  const mallory = received({ conversation: 'x' }, { chat: '999999999999999@lid', chat_alt: null })
  assert.notEqual(mallory.network_message_id, received({ conversation: 'x' }).network_message_id)
})

test('the time is that of WhatsApp, and never in the future', () => {
  for (const timestamp of [now / 1000 + 60, Number.NaN, 0, -1, Number.POSITIVE_INFINITY])
    assert.equal(received({ conversation: 'x' }, { timestamp }).at, now)
})

test('a reply names its message: ours by our id, another by its own', () => {
  const own = newMessageId()
  const reply = (stanzaId: unknown, more = {}) =>
    received({ extendedTextMessage: { text: 'Yes', contextInfo: { stanzaId, ...more } } })
  assert.equal(reply('3A99').text, 'Yes')
  assert.deepEqual(reply('3A99').relation, { type: 'reply', message: '3A99' })
  assert.deepEqual(reply(whatsappIdOf(own)).relation, { type: 'reply', message: own })
  assert.deepEqual(reply('x'.repeat(500)).relation, { type: 'reply', message: null })
  assert.deepEqual(reply('3A99', { remoteJid: 'status@broadcast' }).relation, {
    type: 'reply',
    message: null,
  })
  assert.equal(reply(null).relation, undefined)
})

for (const [field, kind] of [
  ['imageMessage', 'image'],
  ['stickerMessage', 'image'],
  ['documentMessage', 'document'],
  ['audioMessage', 'audio'],
  ['videoMessage', 'video'],
  ['ptvMessage', 'video'],
] as const) {
  test(`the file of ${field} is referred to`, () => {
    const { text, file } = received({ [field]: { ...fileFields, caption: 'Look', fileName: '../a/b.jpg' } })
    assert.ok(file && 'reference' in file)
    const media = readReference(file.reference)
    assert.deepEqual([media?.kind, media?.directPath, media?.size], [kind, '/v/t62/1?ccb=11-4', 1234])
    assert.deepEqual(media?.secrets.mediaKey, fileFields.mediaKey)
    assert.deepEqual([text, file.filename, file.mime_type], ['Look', 'b.jpg', 'image/jpeg'])
  })
}

for (const lie of [
  { directPath: undefined },
  { directPath: '//other.example/1' },
  { directPath: 'https://other.example/1' },
  { mediaKey: randomBytes(31) },
  { mediaKey: 'text' },
  { fileSha256: null },
  { fileEncSha256: [1, 2, 3] },
]) {
  test(`a file with ${JSON.stringify(lie)} is none that can be fetched`, () => {
    const { file, unsupported } = received({ imageMessage: { ...fileFields, ...lie } })
    assert.deepEqual([file, unsupported], [null, { type: 'unknown', name: 'image' }])
  })
}

test('what is wrapped is unwrapped, also a few times', () => {
  const wrap = (name: string, message: object) => ({ [name]: { message } })
  const text = { conversation: 'Hello' }
  assert.equal(received(wrap('ephemeralMessage', text)).text, 'Hello')
  const document = { documentMessage: { ...fileFields, caption: 'Read' } }
  const twice = wrap('ephemeralMessage', wrap('documentWithCaptionMessage', document))
  assert.equal(received(twice).text, 'Read')
  let deep: object = text
  for (let depth = 0; depth < 50; depth++) deep = wrap('ephemeralMessage', deep)
  assert.deepEqual(received(deep).unsupported, { type: 'unknown', name: 'wrapped' })
})

test('what may be seen once is not shown', () => {
  const image = { imageMessage: fileFields }
  for (const message of [
    { viewOnceMessage: { message: image } },
    { viewOnceMessageV2: { message: image } },
    { viewOnceMessageV2Extension: { message: image } },
    { imageMessage: { ...fileFields, viewOnce: true } },
  ])
    assert.deepEqual(received(message).unsupported, { type: 'view_once', name: 'view_once' })
})

test('a reaction, an edit and a deletion name their message', () => {
  const key = { id: '3A99', fromMe: true }
  const reaction = received({ reactionMessage: { key, text: '👍' } })
  assert.deepEqual([reaction.text, reaction.relation], ['👍', { type: 'reaction', message: '3A99' }])
  const gone = received({ reactionMessage: { key, text: '' } })
  assert.deepEqual([gone.text, gone.relation?.type], ['', 'reaction'])
  const edit = { protocolMessage: { key, type: 14, editedMessage: { conversation: 'Hallo' } } }
  for (const message of [edit, { editedMessage: { message: edit } }]) {
    const { text, relation } = received(message)
    assert.deepEqual([text, relation], ['Hallo', { type: 'correction', message: '3A99' }])
  }
  const deleted = received({ protocolMessage: { key, type: 0 } })
  assert.deepEqual([deleted.text, deleted.relation], [null, { type: 'retraction', message: '3A99' }])
})

test('an edit of an edit of an edit has an end', () => {
  const key = { id: '3A99' }
  let edit: object = { conversation: 'x' }
  for (let depth = 0; depth < 1000; depth++)
    edit = { protocolMessage: { key, type: 14, editedMessage: edit } }
  assert.equal(observationOf(edit, fromAna, { now }), null)
})

test('what people choose is a text', () => {
  assert.equal(received({ buttonsResponseMessage: { selectedDisplayText: 'Yes' } }).text, 'Yes')
  assert.equal(received({ listResponseMessage: { title: 'Two' } }).text, 'Two')
  assert.equal(received({ interactiveResponseMessage: { body: { text: 'Three' } } }).text, 'Three')
})

for (const [field, type, name] of [
  ['locationMessage', 'location', 'location'],
  ['liveLocationMessage', 'location', 'live_location'],
  ['contactMessage', 'contact', 'contact'],
  ['contactsArrayMessage', 'contact', 'contacts_array'],
  ['pollCreationMessageV3', 'poll', 'poll_creation'],
  ['pollUpdateMessage', 'poll_vote', 'poll_update'],
  ['eventMessage', 'event', 'event'],
  ['secretEncryptedMessage', 'encrypted', 'secret_encrypted'],
  ['callLogMesssage', 'call', 'call_log'],
  ['placeholderMessage', 'phone_only', 'placeholder'],
  ['someNewMessage', 'unknown', 'some_new'],
  ['constructor', 'unknown', 'constructor'],
  ['<b>', 'unknown', null],
] as const) {
  test(`${field} is unsupported`, () => {
    const { text, file, unsupported } = received({ [field]: { contextInfo: null } })
    assert.deepEqual([text, file, unsupported], [null, null, { type, name }])
  })
}

for (const [name, message, wishes] of [
  ['no field', {}, {}],
  ['keys of a group', { senderKeyDistributionMessage: { groupId: group } }, {}],
  ['an empty text', { conversation: '' }, {}],
  ['a history', { protocolMessage: { type: 5, historySyncNotification: {} } }, {}],
  ['keys of the state', { protocolMessage: { type: 6, appStateSyncKeyShare: { keys: [] } } }, {}],
  ['a deletion of nothing', { protocolMessage: { type: 0 } }, {}],
  ['an edit to nothing', { protocolMessage: { type: 14, key: { id: '1' } } }, {}],
  ['an album', { albumMessage: { expectedImageCount: 2 } }, {}],
  ['a status', { conversation: 'x' }, { chat: 'status@broadcast', chat_alt: null, sender: ana }],
  ['a channel', { conversation: 'x' }, { chat: '120363@newsletter', chat_alt: null }],
  ['WhatsApp itself', { conversation: 'x' }, { chat: '0@s.whatsapp.net', chat_alt: null }],
  ['a group without a sender', { conversation: 'x' }, { chat: group, chat_alt: null }],
  ['a group as the sender', { conversation: 'x' }, { chat: group, chat_alt: null, sender: group }],
  ['no id', { conversation: 'x' }, { id: '' }],
  ['an id with spaces', { conversation: 'x' }, { id: 'a b' }],
  ['an endless id', { conversation: 'x' }, { id: 'x'.repeat(1000) }],
] as const) {
  test(`${name} is not told of`, () => {
    assert.equal(observationOf(message, { ...fromAna, ...wishes }, { now }), null)
  })
}

test('what the account wrote on its phone is told of, and what it sent from here is not', () => {
  assert.deepEqual(elsewhere({ conversation: 'Hello' }), {
    kind: 'message-sent-elsewhere',
    network_message_id: '3A0123456789ABCDEF',
    conversation: '+4915112345678',
    addresses: [anaLid, '+4915112345678'],
    at: 1_700_000_000_000,
    text: 'Hello',
    file: null,
  })
  const inGroup = elsewhere({ conversation: 'Hello' }, { chat: group, chat_alt: null, sender: ana })
  assert.deepEqual([inGroup.conversation, inGroup.addresses], [group, undefined])
  const reaction = elsewhere({ reactionMessage: { key: { id: '1' }, text: '👍' } })
  assert.deepEqual([reaction.text, reaction.relation], ['👍', { type: 'reaction', message: '1' }])
  const own = { ...fromAna, from_me: true, id: whatsappIdOf(newMessageId()) }
  assert.equal(observationOf({ conversation: 'Hello' }, own, { now }), null)
})

test('everything that a stranger names is bounded', () => {
  const long = 'x'.repeat(1_000_000)
  assert.equal(received({ conversation: long }).text?.length, 65_536)
  const { text, file } = received({
    documentMessage: { ...fileFields, caption: long, fileName: long, mimetype: long, fileLength: long },
  })
  assert.ok(file && 'reference' in file)
  assert.equal(text?.length, 65_536)
  assert.ok((file.filename?.length ?? 0) <= 255)
  assert.equal(file.mime_type, null)
  assert.ok(Buffer.byteLength(file.reference) <= longestReference)
  assert.equal(received({ [`x${long}`]: {} }).unsupported?.name, null)
})

test('whatever a stranger puts into a message, nothing is thrown', () => {
  const odd: readonly unknown[] = [
    null,
    undefined,
    0,
    -1,
    Number.NaN,
    '',
    'x',
    '\ud800',
    [],
    {},
    [{}],
    true,
    5n,
  ]
  const fields = ['conversation', 'extendedTextMessage', 'imageMessage', 'protocolMessage', 'reactionMessage']
  const inner = [
    'text',
    'key',
    'contextInfo',
    'type',
    'editedMessage',
    'message',
    'fileLength',
    'mediaKey',
    'body',
  ]
  for (const field of [
    ...fields,
    'ephemeralMessage',
    'viewOnceMessage',
    'interactiveResponseMessage',
    '__proto__',
  ]) {
    for (const value of odd) observationOf({ [field]: value }, fromAna, { now })
    for (const name of inner)
      for (const value of odd) observationOf({ [field]: { ...fileFields, [name]: value } }, fromAna, { now })
  }
})
