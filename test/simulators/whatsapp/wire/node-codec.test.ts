import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { type BinaryNode, decodeBinaryNode, encodeBinaryNode } from 'baileys'
import fc from 'fast-check'
import { decodeBinaryNodeStanza, encodeBinaryNodeStanza } from 'zapo-js/transport'
import { type Node, node } from './node.ts'
import { decodeNode, encodeNode, largestNode } from './node-codec.ts'

/* The codec against those of two clients that know nothing of each other, and against bytes written by hand. */

/** Not any word: Baileys also finds `constructor` where it looks words up. */
const user = fc.oneof(fc.stringMatching(/^[1-9]\d{5,14}$/), fc.stringMatching(/^[a-f0-9-]{1,20}$/))
const plainJid = fc
  .tuple(user, fc.constantFrom('g.us', 'broadcast', 'newsletter', 'call'))
  .map((parts) => parts.join('@'))
const deviceJid = fc
  .tuple(
    user,
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom('s.whatsapp.net', 'lid', 'hosted', 'hosted.lid'),
  )
  .map(([name, device, server]) => (device === 0 ? `${name}@${server}` : `${name}:${device}@${server}`))
const jid = fc.oneof(plainJid, deviceJid)
const word = fc.constantFrom(
  'iq',
  'id',
  'type',
  'from',
  'to',
  'participant',
  'read-self',
  'screen_height',
  'xmlns',
)
const packed = fc.oneof(fc.stringMatching(/^[0-9.-]{1,127}$/), fc.stringMatching(/^[0-9A-F]{1,127}$/))
const odd = fc.constantFrom(
  '',
  's.whatsapp.net',
  'g.us',
  'someone@example.com',
  ':1@lid',
  '1:0@lid',
  '1:999@lid',
  '@',
)
const long = fc.constantFrom('9'.repeat(300), 'ä'.repeat(600))

interface Strings {
  readonly names: fc.Arbitrary<string>
  readonly values: fc.Arbitrary<string>
}

/** Nodes of such strings, which hold each other, bytes, or nothing. */
function trees({ names, values }: Strings): fc.Arbitrary<Node> {
  const attrs = fc
    .array(fc.tuple(names, values), { maxLength: 5 })
    .map((pairs): Record<string, string> => Object.fromEntries(pairs))
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(70_000).fill(7)))
  return fc.letrec<{ tree: Node }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(names, attrs, fc.option(bytes, { nil: undefined })).map((parts) => node(...parts)),
      fc
        .tuple(names, attrs, fc.array(tie('tree'), { minLength: 1, maxLength: 4 }))
        .map((parts) => node(...parts)),
    ),
  })).tree
}

const anything = fc.oneof(word, jid, packed, odd, long, fc.string({ unit: 'grapheme', maxLength: 400 }))
const everyNode = trees({
  names: fc
    .oneof(word, packed, jid, fc.string({ unit: 'grapheme', minLength: 1 }))
    .filter((name) => name !== '__proto__'),
  values: anything,
})
/** Baileys takes everything with an @ apart. */
const simpleNode = trees({
  names: word,
  values: fc.oneof(word, jid, packed, fc.stringMatching(/^[a-z ]{1,40}[.!]$/)),
})

/** Returns a node's content, made by either side. Baileys keeps content that was abbreviated as text. */
function said({ tag, attrs, content }: { tag: string; attrs: object; content?: unknown }): unknown {
  const inside = Array.isArray(content)
    ? content.map(said)
    : content === undefined
      ? undefined
      : Buffer.from(content as Uint8Array).toString('hex')
  return [tag, Object.entries(attrs).sort(), inside]
}

const runs = { numRuns: 300 }

describe('a node', () => {
  test('is the same after it was written and read', () => {
    fc.assert(
      fc.property(everyNode, (given) => assert.deepEqual(said(decodeNode(encodeNode(given))), said(given))),
      runs,
    )
  })

  test('means the same to zapo-js, both ways', async () => {
    const property = fc.asyncProperty(everyNode, async (given) => {
      assert.deepEqual(said(await decodeBinaryNodeStanza(encodeNode(given))), said(given))
      assert.deepEqual(said(decodeNode(encodeBinaryNodeStanza(given))), said(given))
    })
    await fc.assert(property, runs)
  })

  test('means the same to Baileys, both ways', async () => {
    const property = fc.asyncProperty(simpleNode, async (given) => {
      assert.deepEqual(said(await decodeBinaryNode(Buffer.from(encodeNode(given)))), said(given))
      assert.deepEqual(said(decodeNode(encodeBinaryNode(given as BinaryNode))), said(given))
    })
    await fc.assert(property, runs)
  })

  test('may have hundreds of attributes and children', async () => {
    const attrs = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`a${index}`, `${index}`]))
    const given = node(
      'list',
      attrs,
      Array.from({ length: 1000 }, (_, index) => node('item', { id: `${index}` })),
    )
    assert.deepEqual(said(decodeNode(encodeNode(given))), said(given))
    assert.deepEqual(said(decodeNode(encodeBinaryNodeStanza(given))), said(given))
    assert.deepEqual(said(await decodeBinaryNodeStanza(encodeNode(given))), said(given))
  })

  test('may have a string of a megabyte', async () => {
    const given = node('iq', { id: 'x'.repeat(1 << 20) })
    assert.deepEqual(said(decodeNode(encodeNode(given))), said(given))
    assert.deepEqual(said(decodeNode(encodeBinaryNodeStanza(given))), said(given))
    assert.deepEqual(said(await decodeBinaryNodeStanza(encodeNode(given))), said(given))
  })

  test('may have an attribute with a name that is special to JavaScript', () => {
    const given = node('iq', JSON.parse('{"__proto__":"a","constructor":"b"}'))
    assert.deepEqual(Object.entries(decodeNode(encodeNode(given)).attrs).sort(), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })

  test('may be compressed', () => {
    const given = node('iq', { id: '1' }, 'text '.repeat(100))
    const compressed = Buffer.concat([Buffer.of(2), deflateSync(encodeNode(given).subarray(1))])
    assert.ok(compressed.length < 100)
    assert.deepEqual(said(decodeNode(compressed)), said(given))
  })

  test('from and to the server itself is a JID without a user, as Baileys expects', async () => {
    const { attrs } = await decodeBinaryNode(Buffer.from(encodeNode(node('iq', { from: 's.whatsapp.net' }))))
    assert.equal(attrs.from, '@s.whatsapp.net')
    const back = decodeNode(encodeBinaryNode({ tag: 'iq', attrs: { to: '@s.whatsapp.net' } }))
    assert.equal(back.attrs.to, 's.whatsapp.net')
  })
})

/** The attribute `id` of a node whose value is written in these bytes. */
function written(hex: string): string | undefined {
  return decodeNode(Buffer.from(`00 f803 19 08 ${hex}`.replaceAll(' ', ''), 'hex')).attrs.id
}

test('digits and hexadecimal ids are packed, as WhatsApp and its clients write them', () => {
  for (const [id, bytes] of [
    ['123', 'ff82123f'],
    ['3A0F', 'fb023a0f'],
  ] as const)
    assert.ok(
      Buffer.from(encodeNode(node('iq', { id })))
        .toString('hex')
        .endsWith(bytes),
    )
})

describe('a string', () => {
  const forms: readonly (readonly [form: string, bytes: string, value: string])[] = [
    ['a word of one byte', '03', 's.whatsapp.net'],
    ['a word of two bytes', 'ec00', 'read-self'],
    ['nothing', '00', ''],
    ['bytes, their length in 8 bits', 'fc02 6869', 'hi'],
    ['bytes, their length in 20 bits', 'fd000002 6869', 'hi'],
    ['bytes, their length in 20 bits, and 4 that count for nothing', 'fdf00002 6869', 'hi'],
    ['bytes, their length in 32 bits', 'fe00000002 6869', 'hi'],
    ['packed digits, even', 'ff02 1a2b', '1-2.'],
    ['packed digits, odd', 'ff82 123f', '123'],
    ['packed hex, even', 'fb02 09af', '09AF'],
    ['packed hex, odd', 'fb82 abcf', 'ABC'],
    ['a JID', 'fa ff02 4912 03', '4912@s.whatsapp.net'],
    ['the JID of a device', 'f7 00 02 ff02 4912', '4912:2@s.whatsapp.net'],
    ['the JID of a device by LID', 'f7 01 02 ff02 4912', '4912:2@lid'],
    ['the JID of a hosted device', 'f7 80 63 ff02 4912', '4912:99@hosted'],
    ['the JID of a hosted device by LID', 'f7 81 63 ff02 4912', '4912:99@hosted.lid'],
    ['the JID of the first device', 'f7 01 00 ff02 4912', '4912@lid'],
    ['a JID of Messenger', 'f6 ff02 4912 0102 fc04 6d736772', '4912:258@msgr'],
    ['a JID of another network', 'f5 ff02 4912 0001 0003 fc07 696e7465726f70', '3-4912:1@interop'],
  ]
  for (const [form, bytes, value] of forms)
    test(`may be ${form}`, () => {
      assert.equal(written(bytes), value)
    })
})

describe('a broken frame', () => {
  const deep = (depth: number): Node => {
    let given = node('a')
    for (let level = 1; level < depth; level += 1) given = node('a', {}, [given])
    return given
  }
  const broken: readonly (readonly [what: string, frame: () => Uint8Array, says: RegExp])[] = [
    ['is empty', () => Buffer.of(), /its frame is empty/],
    ['has only its flags', () => Buffer.of(0), /1 bytes are due and 0 are left/],
    ['is no list', () => Buffer.of(0, 5), /a node is a list with a tag/],
    ['is an empty list', () => Buffer.of(0, 248, 0), /a node is a list with a tag/],
    ['has an empty tag', () => Buffer.of(0, 248, 1, 0), /its tag is empty/],
    ['goes on after its node', () => Buffer.of(0, 248, 1, 5, 5), /1 bytes are left over/],
    ['has an attribute twice', () => Buffer.of(0, 248, 5, 5, 4, 4, 4, 4), /is there twice/],
    ['uses a tag that nobody knows', () => Buffer.of(0, 248, 1, 240), /no word for 240/],
    ['has a JID in a JID', () => Buffer.of(0, 248, 1, 250, 250, 5, 5, 5), /a JID stands in another/],
    ['has a JID without a server', () => Buffer.of(0, 248, 1, 250, 5, 0), /a JID has no server/],
    ['has a device of an unknown server', () => Buffer.of(0, 248, 1, 247, 7, 1, 5), /unknown server 7/],
    ['has a packed string of no characters', () => Buffer.of(0, 248, 1, 255, 1, 0xcc), /12 stands for no/],
    ['has text that is not UTF-8', () => Buffer.of(0, 248, 1, 252, 1, 0xff), /encoded data was not valid/],
    [
      'promises more than it has',
      () => Buffer.of(0, 248, 1, 254, 255, 255, 255, 255),
      /4294967295 bytes are due/,
    ],
    ['is not compressed as it says', () => Buffer.of(2, 1, 2, 3), /incorrect header check/],
    ['is too deep', () => encodeNode(deep(33)), /more than 32 nodes stand in each other/],
    ['is too large', () => Buffer.alloc(largestNode + 1), /larger than 4194304 bytes/],
    [
      'is too large once it is uncompressed',
      () => Buffer.concat([Buffer.of(2), deflateSync(Buffer.alloc(largestNode + 1))]),
      /Cannot create a Buffer larger than 4194304 bytes/,
    ],
    [
      'has too many nodes',
      () =>
        encodeNode(
          node(
            'a',
            {},
            [1, 2].map(() => node('b', {}, Array(40_000).fill(node('c')))),
          ),
        ),
      /more than 65536 nodes/,
    ],
    [
      'has too many strings',
      () => {
        const attrs = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`${index}`, '']))
        return encodeNode(node('a', {}, Array(5).fill(node('b', attrs))))
      },
      /more than 262144 strings/,
    ],
  ]
  for (const [what, frame, says] of broken)
    test(`is refused if it ${what}`, () => {
      assert.throws(() => decodeNode(frame()), says)
    })

  test('is refused wherever it was cut', () => {
    const property = fc.property(everyNode, fc.double({ min: 0, max: 0.999, noNaN: true }), (given, part) => {
      const frame = encodeNode(given)
      assert.throws(() => decodeNode(frame.subarray(0, Math.floor(frame.length * part))), Error)
    })
    fc.assert(property, runs)
  })

  test('of any bytes is refused, or is a node', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 64 }), (rest) => {
      try {
        assert.notEqual(decodeNode(Buffer.concat([Buffer.of(0, 248), rest])).tag, '')
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof RangeError), String(error))
      }
    })
    fc.assert(property, { numRuns: 3000 })
  })

  test('at the limit of depth is read', () => {
    assert.deepEqual(said(decodeNode(encodeNode(deep(32)))), said(deep(32)))
  })
})
