import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from '@xmpp/xml'
import type { Location } from '../../../contract/resources/content.ts'
import { stanzasOf } from '../sending/outgoing-message.ts'
import { directly } from '../sending/surroundings.ts'
import type { Xml } from '../stanzas/xml.ts'
import { observationsIn } from './incoming-message.ts'

/** The one message in a stanza. */
function received(inside: string, attributes = `from='ana@far.test/phone' type='chat' id='one'`) {
  const parser = new Parser()
  const elements: Xml[] = []
  parser.on('element', (element: Xml) => elements.push(element))
  const message = inside.startsWith('<message') ? inside : `<message ${attributes}>${inside}</message>`
  parser.write(`<stream xmlns='jabber:client'>${message}`)
  const arrived = { account: 'gateway@far.test', stanzaId: null, at: 5, isKnownRoom: () => false }
  const [seen, ...others] = elements.flatMap((element) => observationsIn(element, arrived))
  assert.ok(others.length === 0 && (!seen || seen.kind === 'message-received'), JSON.stringify(others))
  return seen
}

const place = (fields: string) => `<geoloc xmlns='http://jabber.org/protocol/geoloc'>${fields}</geoloc>`
const point = '<lat>52.5163</lat><lon>13.3777</lon>'
const at = { latitude: 52.5163, longitude: 13.3777, name: null, address: null }

for (const [what, inside, location, text] of [
  ['a URI', '<body>geo:52.5163,13.3777</body>', at, null],
  ['a URI with more in it', '<body> GEO:52.5163,13.3777,34;crs=wgs84;u=35;x?z=17\n</body>', at, null],
  ['a URI in a sentence', '<body>I am at geo:52.5163,13.3777</body>', null, undefined],
  ['a URI of another system', '<body>geo:52.5163,13.3777;crs=moon-2011</body>', null, undefined],
  ['a search', '<body>geo:0,0?q=Alexanderplatz</body>', null, undefined],
  ['a URI that is not on earth', '<body>geo:91,13</body>', null, undefined],
  ['a URI with no number', '<body>geo:1.2.3,.</body>', null, undefined],
  ['a long URI', `<body>geo:1,2;${'x'.repeat(9_000)}</body>`, null, undefined],
  ['coordinates', place(point), at, null],
  ['coordinates beside words', `<body>Here</body>${place(point)}`, at, 'Here'],
  ['coordinates that are none', `<body>Here</body>${place('<lat>x</lat><lon>1e400</lon>')}`, null, 'Here'],
  [
    'a place with all its names',
    `<body>geo:1,2</body>${place(`${point}<description> MASP </description><street>Av. Paulista 1578</street>
      <locality>São Paulo</locality><country>Brasil</country><text>Beside the park</text><error>10</error>`)}`,
    { ...at, name: 'MASP', address: 'Av. Paulista 1578, São Paulo, Brasil, Beside the park' },
    null,
  ],
] as const) {
  test(`a person shows a place: ${what}`, () => {
    const seen = received(inside)
    assert.deepEqual(seen?.content?.location, location ?? undefined)
    assert.equal(seen?.text, text === undefined ? /<body>([^<]*)/.exec(inside)?.[1] : text)
  })
}

test('the names of a place are cut', () => {
  const long = 'n'.repeat(90_000)
  const { name, address } =
    received(place(`${point}<description>${long}</description><street>${long}</street>`))?.content
      ?.location ?? {}
  assert.deepEqual([name?.length, address?.length], [256, 1024])
})

test('two places without an id are two messages', () => {
  const ids = ['<lat>1</lat><lon>2</lon>', '<lat>1</lat><lon>3</lon>'].map(
    (fields) => received(place(fields))?.network_message_id,
  )
  assert.equal(new Set(ids).size, 2)
})

test('a place that is sent is read as it was given, anywhere on earth', () => {
  for (const location of [
    {
      latitude: -23.5614,
      longitude: -46.6559,
      name: 'MASP & "more"',
      address: 'Av. Paulista 1578\nSão Paulo',
    },
    { latitude: 90, longitude: -180, name: null, address: null },
    { latitude: 0.0000001, longitude: -0.0000001, name: null, address: '<Null>' },
    { latitude: 10, longitude: 100, name: 'Ten', address: null },
  ] satisfies Location[]) {
    const [xml = ''] = stanzasOf(
      { id: 'a', to: 'ana@far.test', kind: 'location', location },
      directly('b@far.test'),
    )
    const seen = received(xml.replace(' to="', ' from="'))
    assert.deepEqual([seen?.content?.location, seen?.text], [location, null])
  }
})

const nick = (name: string) => `<nick xmlns='http://jabber.org/protocol/nick'>${name}</nick>`

test('a person says a name', () => {
  const named = (inside: string) => received(inside)?.content?.sender
  const sender = { address: 'ana@far.test', name: 'Ana 😀 Souza', username: null }
  assert.deepEqual(named(`<body>x</body>${nick(' Ana 😀\n Souza ')}`), { ...sender, name: 'Ana 😀  Souza' })
  assert.equal(named(`<body>x</body>${nick('n'.repeat(9_000))}`)?.name?.length, 256)
  for (const none of ['', nick(''), nick(' \t'), '<nick>Ana</nick>'])
    assert.equal(named(`<body>x</body>${none}`), undefined)
  assert.equal(received(nick('Ana')), undefined, 'a name alone is no message')
})

const reference = (uri: string, type = 'mention') =>
  `<reference xmlns='urn:xmpp:reference:0' type='${type}' begin='0' end='3' uri='${uri}'/>`

test('people who are mentioned are told by their addresses, each once, and not without end', () => {
  const mentions = (...more: string[]) => received(`<body>Bob</body>${more.join('')}`)?.content?.mentions
  const uris = ['xmpp:Bob@far.test', 'xmpp:bob@far.test?message', 'xmpp:o%27hara%2B1@far.test']
  assert.deepEqual(mentions(...uris.map((uri) => reference(uri))), ['bob@far.test'])
  assert.deepEqual(mentions(reference('xmpp:jo%C3%A3o@far.test')), ['joão@far.test'])
  for (const uri of ['https://far.test', 'xmpp:room@far.test/Bob', 'xmpp:%', 'xmpp:far.test', ''])
    assert.equal(mentions(reference(uri)), undefined)
  assert.equal(mentions(reference('xmpp:bob@far.test', 'data')), undefined)
  const many = Array.from({ length: 9_000 }, (_, index) => reference(`xmpp:bob${index}@far.test`))
  assert.equal(mentions(...many)?.length, 50)
})

test('a sticker is told from an image', () => {
  const data = `<x xmlns='jabber:x:oob'><url>https://far.test/a.webp</url></x>`
  const mark = `<sticker xmlns='urn:xmpp:stickers:0' pack='x'/>`
  assert.equal(received(`<body>https://far.test/a.webp</body>${data}${mark}`)?.file?.isSticker, true)
  assert.equal(received(`<body>https://far.test/a.webp</body>${data}`)?.file?.isSticker, undefined)
})

test('a person in a room is not taken for the room; an invitation is read', () => {
  const mark = `<x xmlns='http://jabber.org/protocol/muc#user'/>`
  assert.equal(received(`<body>x</body>${mark}`, `from='room@far.test/Ana' type='chat'`), undefined)
  const invitation = received(`<body>Come</body>${mark}`, `from='room@far.test' type='normal'`)
  assert.equal(invitation?.text, 'Come')
})

const replying = `<reply xmlns='urn:xmpp:reply:0' to='a@far.test' id='two'/>`
for (const [what, fallback, text] of [
  [
    'in the namespace of the examples',
    `<fallback xmlns='urn:xmpp:feature-fallback:0' for='urn:xmpp:reply:0'><body start='0' end='5'/></fallback>`,
    'Yes',
  ],
  [
    'among others',
    `<fallback xmlns='urn:xmpp:fallback:0' for='urn:other'><body start='5' end='8'/></fallback>` +
      `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='5'/></fallback>`,
    'Yes',
  ],
  [
    'of the subject alone',
    `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><subject/></fallback>`,
    '> ab\nYes',
  ],
] as const) {
  test(`the quote of a reply, marked ${what}`, () => {
    const seen = received(`<body>&gt; ab\nYes</body>${replying}${fallback}`)
    assert.deepEqual([seen?.text, seen?.relation], [text, { type: 'reply', message: 'two' }])
  })
}
