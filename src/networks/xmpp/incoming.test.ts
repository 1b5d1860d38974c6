import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from '@xmpp/xml'
import type { Observation } from '../observation.ts'
import { longestReceivedText } from '../received-text.ts'
import { observationsIn } from './incoming.ts'
import type { Xml } from './xml.ts'

const arrived = { account: 'gateway@far.test', filedId: 'archive-7', at: 5 }

/** What is seen in a message with these attributes and contents. */
function seenIn(
  inside: string,
  attributes = `from='ana@far.test/phone' type='chat'`,
): readonly Observation[] {
  const parser = new Parser()
  const elements: Xml[] = []
  parser.on('element', (element: Xml) => elements.push(element))
  parser.write(`<stream xmlns='jabber:client'><message ${attributes}>${inside}</message>`)
  return elements.flatMap((element) => observationsIn(element, arrived))
}

/** The one message in it, without what is the same in all of these. */
function received(inside: string, attributes?: string) {
  const [seen, ...others] = seenIn(inside, attributes)
  assert.ok(seen?.kind === 'message-received' && others.length === 0, JSON.stringify([seen, others]))
  const { text, file } = seen
  return { text, file }
}

test('a text is reported as it stands', () => {
  assert.deepEqual(seenIn('<body> a &amp; b\n😀 </body>'), [
    {
      kind: 'message-received',
      network_message_id: 'archive-7',
      from: 'ana@far.test',
      conversation: 'ana@far.test',
      at: 5,
      text: ' a & b\n😀 ',
      file: null,
    },
  ])
})

for (const [what, inside, attributes] of [
  ['an error', '<body>x</body>', `from='ana@far.test/x' type='error'`],
  ['a headline', '<body>x</body>', `from='ana@far.test/x' type='headline'`],
  ['a group', '<body>x</body>', `from='ana@far.test/x' type='groupchat'`],
  ['a server', '<body>x</body>', `from='far.test' type='chat'`],
  ['nobody', '<body>x</body>', `type='chat'`],
  ['another client of the account', '<body>x</body>', `from='Gateway@far.test/phone' type='chat'`],
  ['somebody who says nothing', '', undefined],
  ['somebody whose text is empty', '<body/>', undefined],
  ['somebody who types', `<composing xmlns='http://jabber.org/protocol/chatstates'/>`, undefined],
] as const) {
  test(`what comes from ${what} is no message`, () => {
    assert.deepEqual(seenIn(inside, attributes), [])
  })
}

for (const type of ['', `type='normal'`, `type='chat'`, `type='of another time'`]) {
  test(`a message of the type “${type}” is one`, () => {
    assert.equal(received('<body>x</body>', `from='ana@far.test/x' ${type}`).text, 'x')
  })
}

const fallback = '<body>This message is encrypted.</body>'
for (const [what, inside] of [
  ['OMEMO', `<encrypted xmlns='eu.siacs.conversations.axolotl'/>${fallback}`],
  ['the OMEMO of later', `<encrypted xmlns='urn:xmpp:omemo:2'/>${fallback}`],
  ['OpenPGP', `<openpgp xmlns='urn:xmpp:openpgp:0'>x</openpgp>${fallback}`],
  ['the OpenPGP of old', `<x xmlns='jabber:x:encrypted'>x</x>${fallback}`],
  ['OTR', '<body>?OTR:AAMDJ+MVmSfjFZcAAAAAAQAAAAIAAADA1g5IjD1ZGLDVQEyCgCyn9hb</body>'],
  ['anything that says so', `<encryption xmlns='urn:xmpp:eme:0' namespace='urn:other'/>${fallback}`],
] as const) {
  test(`a message that is encrypted by ${what} cannot be read, and is none`, () => {
    assert.deepEqual(seenIn(inside), [])
  })
}

test('a correction is a message of its own, and so is what stands in for what is not understood', () => {
  const replace = `<replace xmlns='urn:xmpp:message-correct:0' id='one'/>`
  assert.equal(received(`<body>I meant this</body>${replace}`).text, 'I meant this')
  const reaction = `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reactions:0'/>`
  assert.equal(received(`<body>👍</body>${reaction}`).text, '👍')
})

test('a receipt and a text in one message are both told', () => {
  const receipt = `<received xmlns='urn:xmpp:receipts' id='one'/>`
  const kinds = seenIn(`<body>got it</body>${receipt}`).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['receipt', 'message-received'])
})

test('a text that is longer than is taken is cut, and no character in two', () => {
  const text = `a${'😀'.repeat(longestReceivedText)}`
  assert.equal(received(`<body>${text}</body>`).text, text.slice(0, longestReceivedText - 1))
  const fitting = 'x'.repeat(longestReceivedText)
  assert.equal(received(`<body>${fitting}</body>`).text, fitting)
})

const url = 'https://far.test/a/view%20of%20%C3%A5.png'
const file = { url, filename: 'view of å.png', mime_type: null }
const data = (inside: string) => `<x xmlns='jabber:x:oob'>${inside}</x>`

for (const [what, inside, expected] of [
  ['alone', data(`<url>${url}</url>`), { text: null, file }],
  ['repeated as the body', `<body>${url}</body>${data(`<url>${url}</url>`)}`, { text: null, file }],
  [
    'written with spaces around',
    `<body> ${url}\n</body>${data(`<url>\n${url} </url>`)}`,
    { text: null, file },
  ],
  ['with a caption', `<body>our view</body>${data(`<url>${url}</url>`)}`, { text: 'our view', file }],
  [
    'with a caption around it',
    `<body>see ${url}</body>${data(`<url>${url}</url>`)}`,
    { text: `see ${url}`, file },
  ],
  ['described, alone', data(`<url>${url}</url><desc>our view</desc>`), { text: 'our view', file }],
  [
    'described, where the caption follows',
    `<body>${url}</body>${data(`<url>${url}</url><desc>our view</desc>`)}`,
    { text: null, file },
  ],
  ['in a body alone', `<body>${url}</body>`, { text: url, file: null }],
  ['of a place that is none', `<body>x</body>${data('<url>nowhere</url>')}`, { text: 'x', file: null }],
  ['left out', `<body>x</body>${data('')}`, { text: 'x', file: null }],
  [
    'of an encrypted file',
    `<body>aesgcm://far.test/x#1</body>${data('<url>aesgcm://far.test/x#1</url>')}`,
    { text: 'aesgcm://far.test/x#1', file: null },
  ],
] as const) {
  test(`the URL of a file, ${what}`, () => {
    assert.deepEqual(received(inside), expected)
  })
}
