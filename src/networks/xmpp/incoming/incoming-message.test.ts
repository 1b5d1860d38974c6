import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parser } from '@xmpp/xml'
import type { Observation } from '../../driver/observation.ts'
import { longestReceivedText } from '../../kit/received-text.ts'
import type { Xml } from '../stanzas/xml.ts'
import { observationsIn } from './incoming-message.ts'

const arrived = { account: 'gateway@far.test', stanzaId: 'archive-7', at: 5, isKnownRoom: () => false }

/** Returns the observations from a message with these attributes and contents. */
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

test('an invitation to a room without words says which room it is', () => {
  const invitation = `<x xmlns='jabber:x:conference' jid='team@rooms.far.test'/>`
  assert.equal(received(invitation).text, 'xmpp:team@rooms.far.test?join')
  assert.equal(received(`<body>Come!</body>${invitation}`).text, 'Come!')
})

for (const type of ['', `type='normal'`, `type='chat'`, `type='of another time'`]) {
  test(`a message of the type “${type}” is one`, () => {
    assert.equal(received('<body>x</body>', `from='ana@far.test/x' ${type}`).text, 'x')
  })
}

const fallback = '<body>This message is encrypted.</body>'
const payload = '<header/><payload>x</payload>'
const eme = (more: string) => `<encryption xmlns='urn:xmpp:eme:0' ${more}/>`
for (const [what, name, inside] of [
  ['OMEMO', 'OMEMO', `<encrypted xmlns='eu.siacs.conversations.axolotl'>${payload}</encrypted>${fallback}`],
  ['the OMEMO of later', 'OMEMO', `<encrypted xmlns='urn:xmpp:omemo:2'>${payload}</encrypted>`],
  ['OpenPGP', 'OpenPGP', `<openpgp xmlns='urn:xmpp:openpgp:0'>x</openpgp>${fallback}`],
  ['the OpenPGP of old', 'OpenPGP', `<x xmlns='jabber:x:encrypted'>x</x>${fallback}`],
  ['OTR', 'OTR', '<body>?OTR:AAMDJ+MVmSfjFZcAAAAAAQAAAAIAAADA1g5IjD1ZGLDVQEyCgCyn9hb</body>'],
  ['what says its name', 'New \u00a0way', `${eme(`namespace='urn:new' name=' New  way'`)}${fallback}`],
  ['what names itself by a namespace', 'OTR', `${eme(`namespace='urn:xmpp:otr:0' name='x'`)}${fallback}`],
  [
    'a namespace that every object has',
    'New way',
    `${eme(`namespace='__proto__' name='New way'`)}${fallback}`,
  ],
  ['another one', 'New way', `${eme(`namespace='constructor' name='New way'`)}${fallback}`],
  ['anything that says so', null, `${eme(`namespace='urn:other'`)}${fallback}`],
] as const) {
  test(`a message that is encrypted by ${what} is reported, and nothing of it is taken for its text`, () => {
    const [seen, ...others] = seenIn(`${inside}<subject>x</subject>`)
    assert.ok(seen?.kind === 'message-received' && others.length === 0)
    assert.deepEqual([seen.text, seen.file, seen.subject], [null, null, undefined])
    assert.deepEqual(seen.unsupported, { type: 'encrypted', name: name?.replaceAll(/\s+/g, ' ') ?? null })
  })
}

for (const namespace of ['eu.siacs.conversations.axolotl', 'urn:xmpp:omemo:2']) {
  test(`if clients exchange keys by ${namespace}, nobody wrote anything`, () => {
    const inside = `<encrypted xmlns='${namespace}'><header/></encrypted>${eme(`namespace='${namespace}'`)}`
    assert.deepEqual(seenIn(inside + fallback), [])
  })
}

/** Returns the text, the subject, the relation and the sender's id of a message with these contents. */
function meant(inside: string) {
  const [seen] = seenIn(inside, `from='ana@far.test/phone' type='chat' id='two'`)
  assert.ok(seen?.kind === 'message-received')
  const { text, subject, relation, sender_message_id } = seen
  return { text, subject, relation, sender_message_id }
}

const replace = `<replace xmlns='urn:xmpp:message-correct:0' id='one'/>`
const quoting = (range: string) =>
  `<reply xmlns='urn:xmpp:reply:0' to='gateway@far.test' id='one'/>` +
  `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body ${range}/></fallback>`
const reacting = (...emojis: string[]) =>
  `<reactions xmlns='urn:xmpp:reactions:0' id='one'>${emojis.map((each) => `<reaction>${each}</reaction>`).join('')}</reactions>`

for (const [what, inside, text, type] of [
  ['a correction', `<body>I meant this</body>${replace}`, 'I meant this', 'correction'],
  ['a reply', `<body>&gt; 😀 hm?\nYes</body>${quoting(`start='0' end='8'`)}`, 'Yes', 'reply'],
  [
    'a reply with a mark that leads nowhere',
    `<body>Yes</body>${quoting(`start='2' end='9'`)}`,
    'Yes',
    'reply',
  ],
  ['a reply with a mark that is none', `<body>Yes</body>${quoting(`start='-1' end='x'`)}`, 'Yes', 'reply'],
  ['a corrected reply', `<body>ab</body>${quoting(`start='0' end='1'`)}${replace}`, 'b', 'correction'],
  ['a reaction', reacting('👍🏽', '🎉', '👍🏽'), '👍🏽 🎉', 'reaction'],
  ['a reaction with words for others', `<body>liked it</body>${reacting('👍')}`, '👍', 'reaction'],
  ['a reaction that is taken back', reacting(), '', 'reaction'],
  [
    'a retraction',
    `<body>took it back</body><retract xmlns='urn:xmpp:message-retract:1' id='one'/>`,
    null,
    'retraction',
  ],
  [
    'an early retraction',
    `<apply-to xmlns='urn:xmpp:fasten:0' id='one'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to>`,
    null,
    'retraction',
  ],
] as const) {
  test(`${what} says what it refers to`, () => {
    const meaning = meant(inside)
    assert.deepEqual([meaning.text, meaning.relation], [text, { type, message: 'one' }])
    assert.equal(meaning.sender_message_id, 'two')
  })
}

test('who refers to the caption of a file of ours means the file, and ids that no one can be shown lead nowhere', () => {
  assert.equal(meant(reacting('👍').replace('one', 'abc-caption')).relation?.message, 'abc')
  for (const id of ['', 'two words', 'x'.repeat(256)])
    assert.equal(meant(reacting('👍').replace('one', id)).relation?.message, null)
})

test('a flood of reactions is bounded', () => {
  const { text } = meant(
    reacting('x'.repeat(9_000), ...Array.from({ length: 9_000 }, (_, index) => `e${index}`)),
  )
  assert.equal(text?.split(' ').length, 32)
  assert.equal(text?.split(' ')[0]?.length, 64)
})

test('a subject is kept, even without a text', () => {
  assert.deepEqual(meant('<subject> Order 7 </subject><body>Where is it?</body>').subject, 'Order 7')
  const alone = meant('<subject>Order 7</subject>')
  assert.deepEqual([alone.text, alone.subject], [null, 'Order 7'])
  assert.equal(meant(`<subject>${'s'.repeat(9_000)}</subject>`).subject?.length, 1024)
  assert.equal(meant('<body>x</body><subject> </subject>').subject, undefined)
})

test('a receipt and a text in one message are both reported', () => {
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
    'described, if the caption follows',
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
