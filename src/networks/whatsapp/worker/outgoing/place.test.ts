import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from 'baileys'
import { announcementOf, type ChatPlace, editFile, place } from './place.ts'

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type

const group: ChatPlace = {
  chat: '120363021033254949@g.us',
  isGroup: true,
  own: '900@lid',
  nameOf: (jid) => jid.replace('49151@s.whatsapp.net', '901@lid'),
}
const chat: ChatPlace = { ...group, chat: '901@lid', isGroup: false }

function placed(content: object, where: ChatPlace): proto.Message {
  const message = proto.Message.fromObject({ ...content })
  place(message, where)
  return message
}

test('the author of a message is named in a group, and in no chat of two', () => {
  const key = { id: 'A', fromMe: false, participant: '49151@s.whatsapp.net' }
  const inGroup = placed({ reactionMessage: { key, text: '👍' } }, group).reactionMessage?.key
  assert.deepEqual([inGroup?.remoteJid, inGroup?.participant], [group.chat, '901@lid'])
  const inChat = placed({ reactionMessage: { key, text: '👍' } }, chat).reactionMessage?.key
  assert.deepEqual([inChat?.remoteJid, inChat?.participant ?? null], ['901@lid', null])
})

test('a reply to the account itself names it', () => {
  const content = { extendedTextMessage: { text: 'And?', contextInfo: { stanzaId: 'A' } } }
  assert.equal(placed(content, group).extendedTextMessage?.contextInfo?.participant, '900@lid')
})

test('the digits of a mention are spelled anew where they stand alone', () => {
  const contextInfo = { mentionedJid: ['49151@s.whatsapp.net', '555555@lid'] }
  const text = '@49151, @491512 and @555555; a@49151.example'
  const caption = placed({ imageMessage: { caption: text, contextInfo } }, group).imageMessage
  assert.equal(caption?.caption, '@901, @491512 and @555555; a@901.example')
  assert.deepEqual(caption?.contextInfo?.mentionedJid, ['901@lid', '555555@lid'])
  const inside = {
    documentWithCaptionMessage: { message: { documentMessage: { caption: text, contextInfo } } },
  }
  const document = placed(inside, group).documentWithCaptionMessage?.message?.documentMessage
  assert.equal(document?.caption?.startsWith('@901, '), true)
})

test('WhatsApp is told of an edit, a retraction and a poll', () => {
  const announced = (content: object) => announcementOf(proto.Message.fromObject({ ...content }))
  assert.deepEqual(announced({ protocolMessage: { type: MESSAGE_EDIT } }).attributes, { edit: '1' })
  assert.deepEqual(announced({ protocolMessage: { type: REVOKE } }).attributes, { edit: '7' })
  assert.deepEqual(announced({ conversation: 'Hello' }), { attributes: {}, nodes: [] })
  const poll = announced({ ephemeralMessage: { message: { pollCreationMessageV3: { name: 'When?' } } } })
  assert.equal(poll.nodes.length, 1)
})

test('an edited caption takes its file along, and that of another kind of message nothing', () => {
  const edit = (content: object) =>
    proto.Message.fromObject({ protocolMessage: { type: MESSAGE_EDIT, editedMessage: content } })
  const image = () => proto.Message.fromObject({ imageMessage: { url: 'u', caption: 'Red' } })
  const edited = edit({ imageMessage: { caption: 'Blue' } })
  editFile(edited, image())
  const { url, caption } = edited.protocolMessage?.editedMessage?.imageMessage ?? {}
  assert.deepEqual([url, caption], ['u', 'Blue'])
  const ofText = edit({ conversation: 'Blue' })
  editFile(ofText, image())
  assert.equal(ofText.protocolMessage?.editedMessage?.conversation, 'Blue')
  // The account sent it as an image, and clients show that type only as a document.
  const asDocument = edit({ imageMessage: { caption: 'Blue' } })
  editFile(asDocument, proto.Message.fromObject({ documentMessage: { fileName: 'a.gif' } }))
  const { documentMessage } =
    asDocument.protocolMessage?.editedMessage?.documentWithCaptionMessage?.message ?? {}
  assert.deepEqual([documentMessage?.fileName, documentMessage?.caption], ['a.gif', 'Blue'])
})
