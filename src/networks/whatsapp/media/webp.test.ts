import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StickerReader } from './webp.ts'

function factsOf(bytes: Buffer, piece = bytes.length) {
  const reader = new StickerReader()
  for (let at = 0; at < bytes.length; at += piece) reader.take(bytes.subarray(at, at + piece))
  return reader.facts()
}

/** A WebP with one chunk, filled up to 40 bytes. */
function webp(chunk: string, body: readonly number[]): Buffer {
  const head = Buffer.from(`RIFF\x20\0\0\0WEBP${chunk}\x14\0\0\0`, 'latin1')
  return Buffer.concat([head, Buffer.from(body), Buffer.alloc(20 - body.length)])
}

const size = { width: 512, height: 300 }

for (const [what, bytes, facts] of [
  ['an animation', webp('VP8X', [2, 0, 0, 0, 0xff, 1, 0, 0x2b, 1, 0]), { isAnimated: true, ...size }],
  ['a picture', webp('VP8X', [0x10, 0, 0, 0, 0xff, 1, 0, 0x2b, 1, 0]), { isAnimated: false, ...size }],
  ['a lossless picture', webp('VP8L', [0x2f, 0xff, 0xc1, 0x4a, 0]), { isAnimated: false, ...size }],
  ['a lossy picture', webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 0, 2, 0x2c, 1]), { isAnimated: false, ...size }],
  ['another chunk', webp('XXXX', []), { isAnimated: false, width: null, height: null }],
  ['a few bytes', Buffer.from('RIFF'), { isAnimated: false, width: null, height: null }],
] as const)
  test(`of ${what}, the head says what it is, however it comes`, () => {
    for (const piece of [1, 7, 40]) assert.deepEqual(factsOf(bytes, piece), facts)
  })
