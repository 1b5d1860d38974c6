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
    'location',
    'contact',
    'poll',
    'dice',
    'game',
    'story',
    'checklist',
    'invoice',
    'rich_message',
    'successful_payment',
    'web_app_data',
    'users_shared',
    'user_shared',
    'chat_shared',
    'passport_data',
  ])
    assert.deepEqual(read({ [kind]: {} }), [null, null, { type: kind, name: kind }])
  const place = { venue: { title: 'Here' }, location: { latitude: 1, longitude: 2 } }
  assert.deepEqual(read(place), [null, null, { type: 'venue', name: 'venue' }])
  const paid = { paid_media: { star_count: 5, paid_media: [] }, caption: 'For you', caption_entities: [] }
  assert.deepEqual(read(paid), ['For you', null, { type: 'paid_media', name: 'paid_media' }])
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
