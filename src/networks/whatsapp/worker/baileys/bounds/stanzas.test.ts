import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import type { BinaryNode } from 'baileys'
import { boundStanzas } from './stanzas.ts'

function socket() {
  const ws = new EventEmitter()
  const seen: string[] = []
  boundStanzas(ws, {
    came: () => {},
    tooLong: () => seen.push('too long'),
    dropped: () => seen.push('dropped'),
  })
  return { ws, seen }
}

/** A stanza of so many bytes, as it comes, or its beginning. */
const stanza = (length: number, sent = length) =>
  Buffer.concat([Buffer.of(length >> 16, length >> 8, length), Buffer.alloc(sent)])

test('a stanza may have eight megabytes, however it is cut, and the one after it is looked at, too', () => {
  const { ws, seen } = socket()
  const bytes = Buffer.concat([stanza(8 * 2 ** 20), stanza(100), stanza(0), stanza(9 * 2 ** 20, 0)])
  const end = bytes.length - 1
  for (let at = 0; at < end; at += 60_001) ws.emit('message', bytes.subarray(at, Math.min(end, at + 60_001)))
  assert.deepEqual(seen, [])
  ws.emit('message', bytes.subarray(end))
  assert.deepEqual(seen, ['too long'])
})

const patches = (...contents: Buffer[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [
    {
      tag: 'sync',
      attrs: {},
      content: [
        {
          tag: 'collection',
          attrs: { name: 'regular' },
          content: [
            {
              tag: 'patches',
              attrs: {},
              content: contents.map((content) => ({ tag: 'patch', attrs: {}, content })),
            },
          ],
        },
      ],
    },
  ],
})

test('a patch of the account’s state with too many changes is emptied before the library sees it, and the others stay', () => {
  const { ws, seen } = socket()
  const fit = Buffer.alloc(20, Uint8Array.of(0x12, 0))
  const frame = patches(fit, Buffer.alloc(200_000, Uint8Array.of(0x12, 0)))
  const lengths: number[] = []
  ws.on('frame', (node: BinaryNode) => {
    const text = JSON.stringify(node, (_, value) => (value?.type === 'Buffer' ? value.data.length : value))
    for (const [, length] of text.matchAll(/"content":(\d+)/g)) lengths.push(Number(length))
  })
  ws.emit('frame', frame)
  assert.deepEqual(seen, ['dropped'])
  assert.deepEqual(lengths, [20, 0])
})

test('what is not encrypted in a message is looked at as well', () => {
  const { ws, seen } = socket()
  const content = Buffer.alloc(2 ** 20 + 1)
  ws.emit('frame', { tag: 'message', attrs: {}, content: [{ tag: 'plaintext', attrs: {}, content }] })
  assert.deepEqual(seen, ['dropped'])
})
