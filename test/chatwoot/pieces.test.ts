import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Message } from '../../clients/javascript/src/index.ts'
import type { ChatwootMessage } from '../../integrations/chatwoot/src/chatwoot.ts'
import { cleanName, contentOf } from '../../integrations/chatwoot/src/content.ts'
import { piecesOf } from '../../integrations/chatwoot/src/reply-parts.ts'
import type { ReplyPart } from '../../integrations/chatwoot/src/state.ts'
import { statusOf } from '../../integrations/chatwoot/src/ticks.ts'

const limits = { text: 20, caption: 10 }

function reply(content: string, files = 0): ChatwootMessage {
  const attachments = Array.from({ length: files }, (_, id) => ({ id, file_type: 'file', data_url: null }))
  const others = {
    content_type: 'text',
    content_attributes: {},
    private: false,
    source_id: null,
    created_at: 0,
  }
  return { id: 1, content, message_type: 1, ...others, attachments }
}

function texts(content: string): string[] {
  return piecesOf(reply(content), limits).map((piece) => (piece.kind === 'text' ? piece.text : ''))
}

describe('a reply', () => {
  test('that is short is one piece, and an empty one is none', () => {
    assert.deepEqual(texts(' Good morning '), ['Good morning'])
    assert.deepEqual(texts(' \n '), [])
  })

  test('that is long is split at lines and words, and inside a word only if it must be', () => {
    assert.deepEqual(texts('One two three four five six seven'), ['One two three four', 'five six seven'])
    assert.deepEqual(texts(`${'a'.repeat(25)} b`), ['a'.repeat(20), 'aaaaa b'])
  })

  test('is never split inside a character', () => {
    const parts = texts('😀'.repeat(45))
    assert.deepEqual(
      parts.map((part) => Array.from(part).length),
      [20, 20, 5],
    )
    assert.ok(parts.every((part) => part.isWellFormed()))
  })

  test('with files has its text as the caption of the first, or before it if it is too long', () => {
    const kinds = (content: string) =>
      piecesOf(reply(content, 2), limits).map((piece) =>
        piece.kind === 'text' ? piece.text : `file ${piece.caption}`,
      )
    assert.deepEqual(kinds('short'), ['file short', 'file '])
    assert.deepEqual(kinds('longer than ten'), ['longer than ten', 'file ', 'file '])
  })
})

describe('the status of a reply', () => {
  const parts = (...ranks: number[]): ReplyPart[] =>
    ranks.map((rank, part) => ({ message_id: 1, part, parts: 2, conversation_id: 1, rank, error: 'No.' }))

  test('is that of the part that has come least far', () => {
    assert.equal(statusOf(parts(3, 0)), undefined)
    assert.equal(statusOf(parts(3)), undefined)
    assert.deepEqual(statusOf(parts(3, 1)), { status: 'sent' })
    assert.deepEqual(statusOf(parts(3, 3)), { status: 'read' })
  })

  test('is failed as soon as one part has failed', () => {
    assert.deepEqual(statusOf(parts(3, 9)), { status: 'failed', error: 'Part 2 of 2: No.' })
  })
})

test('a name is one line without invisible characters, and never empty or endless', () => {
  assert.equal(cleanName('Ana\u0000\u202e\r\n  Silva\u2066'), 'Ana Silva')
  assert.equal(cleanName('\u200f\u0007'), '?')
  assert.equal(Array.from(cleanName('😀'.repeat(5_000))).length, 200)
})

test('a place is a link to a map, and contact details are in words', () => {
  const common = { from: 'a', conversation: 'a', relation: null, unsupported: null, subject: null }
  const place = { text: 'MASP', location: { latitude: 1, longitude: 2, name: 'MASP', address: null } }
  const shown = (more: object) => contentOf({ ...common, ...more } as Message, false)
  assert.equal(shown(place), 'MASP\nhttps://www.openstreetmap.org/?mlat=1&mlon=2')
  const card = { name: 'Lima', phones: ['+55 1'], emails: ['a@x.org'], company: null }
  assert.equal(shown({ text: 'Lima', contacts: [card] }), 'Lima\nLima, +55 1, a@x.org')
})
