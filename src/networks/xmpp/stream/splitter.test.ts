import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { XmppError } from '../errors.ts'
import { StanzaParser } from './parser.ts'
import { Splitter, type StanzaLimits } from './splitter.ts'

const limits: StanzaLimits = { bytes: 1_000, depth: 6, elements: 20, attributes: 30, skippable: 5_000 }
const opening = `<?xml version='1.0'?>\n<stream:stream xmlns='jabber:client' xmlns:stream='urn:streams' to="a'>b">`

/** Returns the parts that come out of these chunks: stanzas as they are written anew, and the end of the stream. */
function partsOf(chunks: readonly Buffer[], within = limits): string[] {
  const splitter = new Splitter(within)
  const parser = new StanzaParser()
  const parts: string[] = []
  try {
    for (const chunk of chunks) {
      splitter.push(chunk)
      for (let part = splitter.next(); part; part = splitter.next()) {
        if (part.kind === 'opening') parser.open(part.bytes)
        else if (part.kind === 'skipped') parts.push(`skipped ${parser.startTag(part.startTag)}`)
        else if (part.kind === 'closing') parts.push('closing')
        else {
          parser.begin(part.bytes)
          let whole = parser.step()
          while (!whole) whole = parser.step()
          parts.push(whole.toString())
        }
      }
      assert.ok(splitter.held <= 2 * within.bytes + 1024, `${splitter.held} bytes are held`)
    }
  } catch (caught) {
    assert.ok(caught instanceof XmppError, String(caught))
    parts.push(caught.reason.code)
  }
  return parts
}

const parts = (text: string, within?: StanzaLimits) => partsOf([Buffer.from(opening + text)], within)

/** The text in pieces of these lengths, over and over. */
function cut(text: string, lengths: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text)
  const chunks: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const end = at + (lengths[turn % lengths.length] ?? 1)
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join('')

const stanzas = [
  '<a/>',
  '<message to="x>y" id=\'"\'><body>1 &lt; 2 &amp; ä 😀 &#10;</body><x/></message>',
  '<message><body><![CDATA[<b> ]] ]]]]]></body></message>',
  '<b >  <c\n/> </b >',
  `<message id='long'><body>${'y'.repeat(1_500)}</body></message>`,
  `<iq type='get' id='i'>${many(30, () => '<d/>')}</iq>`,
  `<m>${many(8, () => '<e>')}${many(8, () => '</e>')}</m>`,
  `<m><n ${many(40, (index) => `a${index}='' `)}/></m>`,
]

test('stanzas come whole, whatever packets they come in', () => {
  const sequence = fc.array(fc.constantFrom(...stanzas, ' \n'), { maxLength: 12 })
  const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(sequence, lengths, (chosen, sizes) => {
      const text = `${opening}${chosen.join('')}</stream:stream>`
      assert.deepEqual(partsOf(cut(text, sizes)), partsOf([Buffer.from(text)]))
    }),
  )
})

test('a stanza keeps what it says', () => {
  assert.deepEqual(parts(`${stanzas.slice(0, 4).join(' ')}</stream:stream>`), [
    '<a/>',
    '<message to="x&gt;y" id="&quot;"><body>1 &lt; 2 &amp; ä 😀 \n</body><x/></message>',
    '<message><body>&lt;b&gt; ]] ]]]</body></message>',
    '<b>  <c/> </b>',
    'closing',
  ])
})

describe('a stanza that is too large is left out, and the stream goes on', () => {
  const large = (text: string) => parts(`${text}<after/>`)
  for (const [what, text, left] of [
    ['in bytes', stanzas[4], '<message id="long"/>'],
    ['in elements', stanzas[5], '<iq type="get" id="i"/>'],
    ['in depth', stanzas[6], '<m/>'],
    ['in attributes', stanzas[7], '<m/>'],
    ['in its start tag', `<message ${many(40, (index) => `a${index}='' `)}/>`, '<message/>'],
    ['in one attribute', `<message id='${'x'.repeat(4_500)}'><a/></message>`, '<message/>'],
  ] as const) {
    test(what, () => {
      const text_ = text as string
      const expected = [`skipped ${left}`, '<after/>']
      assert.deepEqual(large(text_), expected)
      assert.deepEqual(partsOf(cut(`${opening}${text_}<after/>`, [7])), expected)
    })
  }
})

for (const [what, text] of [
  ['has more bytes than are left out', `<message><body>${'x'.repeat(10_000)}`],
  ['has no end', `<message>${many(3_000, () => '<x/>')}`],
  ['has a tag without an end', `<message id='${'x'.repeat(10_000)}`],
] as const) {
  test(`a stanza that ${what} ends the stream`, () => {
    assert.deepEqual(partsOf(cut(opening + text, [100])), ['stanza_too_large'])
  })
}

test('before the login a stanza that is too large ends the stream', () => {
  assert.deepEqual(parts(stanzas[4] as string, { ...limits, skippable: 0 }), ['stanza_too_large'])
})

for (const [what, text] of [
  ['text between stanzas', 'x<a/>'],
  ['a comment', '<!-- x -->'],
  ['a comment in a stanza', '<a><!-- x --></a>'],
  ['a processing instruction', '<?x y?>'],
  ['a processing instruction in a stanza', '<a><?x y?></a>'],
  ['a DTD', '<!DOCTYPE x [<!ENTITY y "z">]>'],
  ['a DTD in a stanza', '<a><!DOCTYPE x></a>'],
  ['an entity of its own', '<a>&y;</a>'],
  ['an entity by the name of a property', '<a>&constructor;</a>'],
  ['an end that does not match', '<a></b>'],
  ['an end too many', '</x></x>'],
  ['a tag in a tag', '<a <b></b></a>'],
  ['an attribute that comes twice', `<a b='' b=''/>`],
  ['a character that XML does not have', '<a>\u0001</a>'],
] as const) {
  test(`${what} ends the stream`, () => {
    assert.equal(parts(text).at(-1), 'stream_malformed')
  })
}

test('a DTD before the stream ends it', () => {
  assert.deepEqual(partsOf([Buffer.from(`<!DOCTYPE x>${opening}`)]), ['stream_malformed'])
})

test('white space between stanzas is dropped, however much there is', () => {
  assert.deepEqual(partsOf(cut(`${opening}${' \n'.repeat(50_000)}<a/>`, [4_096])), ['<a/>'])
})
