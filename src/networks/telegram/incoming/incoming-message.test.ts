import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageIn, movedChatIn } from './incoming-message.ts'

const chat = { id: 7_000_000_001, type: 'private', first_name: 'Ana' }
const user = { id: 7_000_000_001, is_bot: false, first_name: 'Ana' }
const file = { file_id: 'AgAC', file_unique_id: 'u1' }

/** Reads a message with this content: its text, its file, and the kind as which it cannot be read. */
function read(content: object) {
  const message = { message_id: 5, from: user, chat, date: 1_700_000_000, ...content }
  const found = messageIn({ update_id: 1, message }, 1_800_000_000_000)
  return found && [found.text, found.file && 'reference' in found.file, found.unsupported ?? null]
}

test('texts and files are read, whatever else is beside them', () => {
  const beside = { link_preview_options: { is_disabled: true }, entities: [{ type: 'bold' }], via_bot: user }
  assert.deepEqual(read({ text: 'Hello', ...beside }), ['Hello', null, null])
  assert.deepEqual(read({ text: '/start 4711', entities: [{}] }), ['/start 4711', null, null])
  for (const kind of [
    'animation',
    'document',
    'audio',
    'voice',
    'video',
    'video_note',
    'sticker',
    'live_photo',
  ])
    assert.deepEqual(read({ [kind]: file, caption: 'Look' }), ['Look', true, null], kind)
  assert.deepEqual(read({ photo: [{ ...file, width: 9, height: 9 }] }), [null, true, null])
})

test('what is no text and no file is unsupported, with its caption', () => {
  for (const kind of [
    'dice',
    'game',
    'story',
    'checklist',
    'invoice',
    'rich_message',
    'successful_payment',
    'user_shared',
    'passport_data',
  ])
    assert.deepEqual(read({ [kind]: {} }), [null, null, { type: kind, name: kind }])
  const users = [{ user_id: 7, first_name: 'Ana', last_name: 'Souza' }, { user_id: 8 }]
  for (const [kind, content, words] of [
    ['dice', { emoji: '🎲', value: 4 }, '🎲 4'],
    ['game', { title: 'Chess' }, 'Chess'],
    ['users_shared', { request_id: 1, users }, 'Ana Souza 7, 8'],
    ['chat_shared', { request_id: 1, chat_id: -5, title: 'Choir' }, 'Choir -5'],
  ] as const)
    assert.deepEqual(read({ [kind]: content }), [words, null, { type: kind, name: kind }])
  const paid = { paid_media: { star_count: 5, paid_media: [] }, caption: 'For you', caption_entities: [] }
  assert.deepEqual(read(paid), ['For you', null, { type: 'paid_media', name: 'paid_media' }])
})

const contentOf = (content: object) => {
  const message = { message_id: 5, from: user, chat, date: 1_700_000_000, ...content }
  const { sender: _, ...found } = messageIn({ update_id: 1, message }, 1_800_000_000_000)?.content ?? {}
  return found
}

test('a place, a person, a poll and the answers to a form are read', () => {
  const at = { latitude: 52.5163, longitude: 13.3777 }
  assert.deepEqual(contentOf({ location: at }).location, { ...at, name: null, address: null })
  const venue = { location: at, title: 'Tor', address: 'Pariser Platz' }
  assert.deepEqual(contentOf({ venue, location: at }).location, {
    ...at,
    name: 'Tor',
    address: 'Pariser Platz',
  })
  const vcard = 'BEGIN:VCARD\nFN:Rui\nTEL:+55 11 98765-4321\nTEL:+55 11 2\nEMAIL:rui@example.org\nEND:VCARD'
  const contact = { phone_number: '5511987654321', first_name: 'Rui', last_name: 'Lima', vcard }
  assert.deepEqual(contentOf({ contact }).contacts, [
    { name: 'Rui Lima', phones: ['5511987654321', '+55 11 2'], emails: ['rui@example.org'], company: null },
  ])
  assert.deepEqual(contentOf({ contact: {} }).contacts, [{ name: '', phones: [], emails: [], company: null }])
  const poll = { id: '1', question: 'When?', options: [{ text: 'Now' }, { text: 'Never' }] }
  const read = { question: 'When?', options: ['Now', 'Never'], multiple_answers: false }
  assert.deepEqual(contentOf({ poll }).poll, read)
  const form = (data: string) => contentOf({ web_app_data: { data, button_text: 'Book' } }).flow_reply
  assert.deepEqual(form('{"seats":[4,5]}'), { name: 'web_app_data', response: { seats: [4, 5] } })
  assert.deepEqual(form('four'), { name: 'web_app_data', response: { data: 'four' } })
})

test('the topic of a group, the people who are mentioned, and the names of the writer are told', () => {
  const opening = { message_id: 3, chat, date: 1, forum_topic_created: { name: 'Orders', icon_color: 1 } }
  const inTopic = { text: 'Hello', message_thread_id: 3, is_topic_message: true }
  assert.deepEqual(contentOf({ ...inTopic, reply_to_message: opening }).topic, { id: '3', name: 'Orders' })
  assert.deepEqual(contentOf(inTopic).topic, { id: '3', name: null })
  assert.equal(contentOf({ text: 'An answer to an answer', message_thread_id: 3 }).topic, undefined)
  const entities = [
    { type: 'mention', offset: 0, length: 9 },
    { type: 'text_mention', offset: 10, length: 3, user: { id: 7, first_name: 'Ana' } },
    { type: 'mention', offset: 14, length: 99 },
  ]
  assert.deepEqual(contentOf({ text: '@Shop_bot Ana @x', entities }).mentions, ['@shop_bot', '7'])
  const senderOf = (writer: object) => {
    const message = { message_id: 5, chat, date: 1, text: 'Hi', ...writer }
    return messageIn({ update_id: 1, message }, 1_800_000_000_000)?.content?.sender
  }
  const ana = { id: 7, is_bot: false, first_name: 'Ana', last_name: 'Souza', username: 'ana' }
  assert.deepEqual(senderOf({ from: ana }), { address: '7', name: 'Ana Souza', username: 'ana' })
  const group = { id: -1001, type: 'supergroup', title: 'Choir' }
  const byGroup = { address: '-1001', name: 'Choir', username: null }
  assert.deepEqual(senderOf({ from: ana, sender_chat: group }), byGroup)
  assert.deepEqual(senderOf({ from: { id: 7 } }), { address: '7', name: null, username: null })
})

test('a sticker is told apart from an image', () => {
  const sticker = (more: object) => {
    const message = { message_id: 5, from: user, chat, date: 1, sticker: { ...file, ...more } }
    return messageIn({ update_id: 1, message }, 1_800_000_000_000)?.file
  }
  assert.deepEqual([sticker({})?.isSticker, sticker({})?.mime_type], [true, 'image/webp'])
  assert.equal(sticker({ is_video: true })?.mime_type, 'video/webm')
})

test('what a person wrote is edited, and what shows a place or the like is not', () => {
  const edited = (content: object) =>
    messageIn(
      {
        update_id: 1,
        edited_message: { message_id: 5, from: user, chat, date: 1, edit_date: 2, ...content },
      },
      1_800_000_000_000,
    )?.relation
  assert.deepEqual(edited({ text: 'Hello' }), { type: 'correction', message: '7000000001:5' })
  for (const content of [{ location: { latitude: 1, longitude: 2 } }, { dice: {} }, { poll: {} }])
    assert.equal(edited(content), undefined)
})

test('a kind that came later is unknown, and not left out', () => {
  assert.deepEqual(read({ hologram: { depth: 3 } }), [null, null, { type: 'unknown', name: 'hologram' }])
  const long = 'x'.repeat(1_000)
  assert.deepEqual(read({ [long]: [1] }), [null, null, { type: 'unknown', name: long.slice(0, 64) }])
})

test('what only happened in a chat is left out', () => {
  for (const event of [
    { new_chat_members: [user], new_chat_member: user, new_chat_participant: user },
    { left_chat_member: user },
    { new_chat_title: 'Shop' },
    { new_chat_photo: [{ ...file, width: 1, height: 1 }] },
    { group_chat_created: true },
    { pinned_message: { message_id: 4, chat, date: 0 } },
    { migrate_to_chat_id: -100 },
    { forum_topic_created: { name: 'Orders', icon_color: 1 } },
    { video_chat_ended: { duration: 3 } },
    { message_auto_delete_timer_changed: { message_auto_delete_time: 9 } },
    { boost_added: { boost_count: 1 } },
    { refunded_payment: { currency: 'EUR' } },
    {},
  ])
    assert.equal(read(event), null, JSON.stringify(event))
})

test('a group that becomes a supergroup goes on there, as either of them says', () => {
  const moved = (from: number, more: object) =>
    movedChatIn({
      update_id: 1,
      message: { message_id: 5, chat: { id: from, type: 'group' }, date: 1, ...more },
    })
  const known = { kind: 'contact-known', addresses: ['-1002000000001'], formerly: '-5000000001' }
  assert.deepEqual(moved(-5_000_000_001, { migrate_to_chat_id: -1_002_000_000_001 }), known)
  assert.deepEqual(moved(-1_002_000_000_001, { migrate_from_chat_id: -5_000_000_001 }), known)
  assert.equal(moved(-5_000_000_001, { text: 'Hello' }), null)
  assert.equal(movedChatIn({ update_id: 1, message: 'x' }), null)
})
