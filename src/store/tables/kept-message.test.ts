import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageKinds } from '../../contract/resources/message.ts'
import { messageStatuses } from '../../contract/statuses.ts'
import { kept, keptKind, keptStatus, seen } from './kept-message.ts'

test('every word has a number of its own, which stays', () => {
  const numbers = (words: readonly string[], numberOf: (word: never) => number) =>
    Object.fromEntries(words.map((word) => [word, numberOf(word as never)]))
  // Rows have these numbers: a word may be added, and none may change.
  assert.deepEqual(numbers(messageStatuses, keptStatus), {
    ...{ queued: 0, delivered: 1, read: 2, sent: 3, received: 4 },
    ...{ failed: 5, unknown: 6, expired: 7, canceled: 8, sending: 9 },
  })
  assert.deepEqual(numbers(messageKinds, keptKind), {
    ...{ text: 0, document: 1, image: 2, audio: 3, template: 4 },
    ...{ reaction: 5, retraction: 6, unsupported: 7, video: 8, sticker: 9, location: 10, contacts: 11 },
    ...{ interactive: 12, poll: 13, button_reply: 14, list_reply: 15, flow_reply: 16, order: 17 },
    poll_vote: 18,
  })
})

test('what is kept of a message is seen as it was', () => {
  for (const status of messageStatuses)
    for (const kind of messageKinds) {
      const row = { seq: 1, kind, status, text: null }
      assert.deepEqual(seen(kept(row)), row)
    }
  assert.deepEqual(seen(kept({ status: 'sent' })), { status: 'sent' })
  assert.throws(() => seen({ kind: 99 }), /the number 99/)
})
