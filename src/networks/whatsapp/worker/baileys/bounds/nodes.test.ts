import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeBinaryNode } from 'baileys'
import { holdsMore } from './nodes.ts'

/** As the library writes it, without the byte for its flags. */
const bytesOf = (node: Parameters<typeof encodeBinaryNode>[0]) => encodeBinaryNode(node).subarray(1)

test('everything in a stanza counts: nodes, attributes and contents, whatever they are written as', () => {
  const attrs = {
    to: 's.whatsapp.net',
    from: '4915100000001:7@s.whatsapp.net',
    participant: '123@lid',
    id: 'ABCDEF0123',
    t: '1700000000',
    name: 'Ana ñandú',
  }
  const stanza = {
    tag: 'message',
    attrs,
    content: [
      { tag: 'enc', attrs: { type: 'msg' }, content: Buffer.alloc(70_000, 0xf8) },
      { tag: 'offline', attrs: {} },
    ],
  }
  // Three nodes, each with its name and what it costs; six attributes and one; two contents.
  const weight = 3 * (1 + 3) + 2 * 7 + 2
  assert.equal(holdsMore(bytesOf(stanza), weight), false)
  assert.equal(holdsMore(bytesOf(stanza), weight - 1), true)
})

test('what makes no sense holds as much as stands before that', () => {
  for (const bytes of [[], [0xf8], [0xf8, 2, 1], [0x55, 1], [0xf8, 2, 1, 0xfc, 200]])
    assert.equal(holdsMore(Uint8Array.from(bytes), 10), false)
})

test('a length that is a step back, and nodes in nodes without end, are too much', () => {
  assert.equal(holdsMore(Uint8Array.of(0xf8, 2, 1, 0xfe, 0xff, 0xff, 0xff, 0xf0), 100), true)
  const nested = Buffer.alloc(400_000, Uint8Array.of(0xf8, 2, 1, 0xf8, 1))
  assert.equal(holdsMore(nested, Number.POSITIVE_INFINITY), true)
})
