import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TargetMessage } from '../../driver/message.ts'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'
import { StanzaParser } from '../stream/parser.ts'
import { messageCompletedBy } from './message-parts.ts'
import { fileXmls, stanzasOf, unsendable, type XmppMessage } from './outgoing-message.ts'
import { directly } from './surroundings.ts'

const account = 'gateway@example.org'
const around = directly(account)
const addressed = { id: 'own', to: 'ana@example.org' }
const ours: TargetMessage = {
  network_message_id: 'ours',
  sender_message_id: null,
  from: null,
  kind: 'text',
  text: 'First',
  topic: null,
}
const theirs: TargetMessage = {
  ...ours,
  network_message_id: 'archive-7',
  sender_message_id: `"her's"`,
  from: 'ana@example.org',
}

function parsed(xml: string): Xml {
  const parser = new StanzaParser()
  parser.open(Buffer.from(`<stream:stream xmlns="${ns.client}" xmlns:stream="${ns.streams}">`))
  parser.begin(Buffer.from(xml))
  const stanza = parser.step()
  assert.ok(stanza)
  return stanza
}

function stanzas(message: XmppMessage): readonly Xml[] {
  const xmls = 'file' in message ? fileXmls(message, 'https://a.test/b', around) : stanzasOf(message, around)
  return xmls.map(parsed)
}

function only(message: XmppMessage): Xml {
  const [stanza, ...others] = stanzas(message)
  assert.ok(stanza && others.length === 0)
  return stanza
}

const has = (stanza: Xml, name: string, namespace: string) => stanza.getChild(name, namespace) !== undefined

/** The text of a reply, the part of it that is fallback, and what is left without that. */
function readReply(text: string, target: TargetMessage) {
  const stanza = only({ ...addressed, kind: 'text', text, replyTo: target })
  const body = stanza.getChildText('body') ?? ''
  const mark = stanza.getChild('fallback', ns.fallback)
  const range = mark?.getChild('body')
  assert.equal(mark && attribute(mark, 'for'), mark && ns.reply)
  const characters = [...body]
  const end = Number((range && attribute(range, 'end')) ?? 0)
  const { to, id } = stanza.getChild('reply', ns.reply)?.attrs ?? {}
  return { to, id, quote: characters.slice(0, end).join(''), rest: characters.slice(end).join('') }
}

test('a reply names the message by the id that its writer gave it, and quotes it for older clients', () => {
  const toOurs = { to: account, id: 'ours', quote: '> First\n', rest: 'Yes' }
  assert.deepEqual(readReply('Yes', ours), toOurs)
  const quoted = readReply('😀 <Yes>', { ...theirs, text: '😀 one\r\n> two\rthree & four' })
  assert.deepEqual(quoted, {
    to: 'ana@example.org',
    id: `"her's"`,
    quote: '> 😀 one\n> > two\n> three & four\n',
    rest: '😀 <Yes>',
  })
})

test('a quote is short, and nothing is quoted of what has no text', () => {
  const { quote, rest } = readReply('Yes', { ...ours, text: `${'😀'.repeat(9_000)}` })
  assert.deepEqual([quote, rest], [`> ${'😀'.repeat(128)}…\n`, 'Yes'])
  assert.equal(readReply('Yes', { ...ours, text: '\n'.repeat(90) }).quote, '')
  assert.equal(readReply('Yes', { ...ours, text: 'a\n'.repeat(90) }).quote, '> a\n> a\n> a\n> a\n> a…\n')
  for (const text of [null, '', 'a\u0001'])
    assert.deepEqual(readReply('Yes', { ...ours, text }), { to: account, id: 'ours', quote: '', rest: 'Yes' })
})

test('a file and a place that reply have nothing but their address as the body', () => {
  const file = { filename: 'a', mime_type: 'image/png', size: 1, sha256: '', open: () => assert.fail() }
  const image = { ...addressed, kind: 'image', caption: 'Look', voice: false, file, replyTo: ours } as const
  const [first, caption] = stanzas(image)
  assert.equal(first?.getChildText('body'), 'https://a.test/b')
  assert.equal(first?.getChild('reply', ns.reply)?.attrs.id, 'ours')
  assert.ok(caption && !has(caption, 'reply', ns.reply))
  const location = { latitude: 1, longitude: 2, name: null, address: null }
  const place = only({ ...addressed, kind: 'location', location, replyTo: ours })
  assert.equal(place.getChildText('body'), 'geo:1,2')
  assert.equal(place.getChild('reply', ns.reply)?.attrs.id, 'ours')
})

test('a reaction replaces the one before, and none takes it back; servers are to keep both', () => {
  for (const [target, id] of [
    [ours, 'ours'],
    [theirs, `"her's"`],
  ] as const)
    for (const emoji of ['👍🏽', null]) {
      const stanza = only({ ...addressed, kind: 'reaction', target, emoji })
      const reactions = stanza.getChild('reactions', ns.reactions)
      assert.equal(reactions?.attrs.id, id)
      const emojis = reactions?.getChildren('reaction').map((each) => each.getText())
      assert.deepEqual(emojis, emoji === null ? [] : [emoji])
      assert.equal(stanza.getChild('body'), undefined)
      assert.ok(has(stanza, 'store', ns.hints))
    }
})

test('an edit replaces the text, or the caption of a file, which is a stanza of its own', () => {
  const edit = (target: TargetMessage) => {
    const stanza = only({ ...addressed, kind: 'correction', target, text: 'Second' })
    return [stanza.attrs.id, stanza.getChildText('body'), stanza.getChild('replace', ns.correction)?.attrs.id]
  }
  assert.deepEqual(edit(ours), ['own', 'Second', 'ours'])
  assert.deepEqual(edit({ ...ours, kind: 'image' }), ['own', 'Second', 'ours-caption'])
})

test('a correction of a reply is a reply, too', () => {
  const target = { ...ours, replyTo: theirs }
  const stanza = only({ ...addressed, kind: 'correction', target, text: 'Second' })
  assert.equal(stanza.getChildText('body'), '> First\nSecond')
  assert.equal(stanza.getChild('reply', ns.reply)?.attrs.id, theirs.sender_message_id)
  assert.equal(stanza.getChild('replace', ns.correction)?.attrs.id, 'ours')
  const nameless = { ...ours, replyTo: { ...theirs, sender_message_id: null } }
  const bare = only({ ...addressed, kind: 'correction', target: nameless, text: 'Second' })
  assert.deepEqual([bare.getChildText('body'), bare.getChild('reply', ns.reply)], ['Second', undefined])
})

test('a retraction takes back a message with its caption, and says so to older clients in their language', () => {
  const retract = (target: Partial<TargetMessage>) =>
    stanzas({ ...addressed, kind: 'retraction', target: { ...ours, ...target } }).map((stanza) => [
      stanza.attrs.id,
      stanza.getChild('retract', ns.retraction)?.attrs.id,
      stanza.getChildren('body').map((body) => body.attrs['xml:lang']),
      has(stanza, 'fallback', ns.fallback),
      has(stanza, 'store', ns.hints),
    ])
  const last = ['own', 'ours', ['en', 'es', 'pt-BR'], true, true]
  assert.deepEqual(retract({}), [last])
  assert.deepEqual(retract({ kind: 'document', text: null }), [last])
  const first = ['own-caption', 'ours-caption', [], false, true]
  for (const kind of ['image', 'location'] as const) assert.deepEqual(retract({ kind }), [first, last])
})

test('the server has a message once it has the last of its stanzas', () => {
  const named = { latitude: 1, longitude: 2, name: 'MASP', address: null }
  const bare = { ...named, name: null }
  const image: TargetMessage = { ...ours, kind: 'image' }
  const completing = (message: XmppMessage) => stanzas(message).map(messageCompletedBy)
  assert.deepEqual(completing({ ...addressed, kind: 'location', location: bare }), ['own'])
  assert.deepEqual(completing({ ...addressed, kind: 'location', location: named }), [null, 'own'])
  assert.deepEqual(completing({ ...addressed, kind: 'retraction', target: image }), [null, 'own'])
  assert.deepEqual(completing({ ...addressed, kind: 'correction', target: image, text: 'x' }), ['own'])
})

test('what XMPP has no form for is refused for good', () => {
  const nameless = { ...theirs, sender_message_id: null }
  const refusal = (message: XmppMessage) => {
    const outcome = unsendable(message)
    return outcome?.kind === 'rejected' ? [outcome.error.code, outcome.error.permanent] : outcome
  }
  const text = { ...addressed, kind: 'text', text: 'Yes' } as const
  assert.equal(refusal({ ...text, replyTo: theirs }), null)
  assert.deepEqual(refusal({ ...text, replyTo: nameless }), ['target_without_id', true])
  const reaction = { ...addressed, kind: 'reaction', emoji: '👍' } as const
  assert.deepEqual(refusal({ ...reaction, target: nameless }), ['target_without_id', true])
  const edit = { ...addressed, kind: 'correction', text: 'x' } as const
  assert.equal(refusal({ ...edit, target: { ...ours, kind: 'image' } }), null)
  const bare: TargetMessage = { ...ours, kind: 'image', text: null }
  assert.deepEqual(refusal({ ...edit, target: bare }), ['caption_missing', true])
  const location = { latitude: 1, longitude: 2, name: 'a\u0001', address: null }
  assert.deepEqual(refusal({ ...addressed, kind: 'location', location }), ['text_not_representable', true])
  assert.deepEqual(refusal({ ...edit, target: ours, text: '\u0001' }), ['text_not_representable', true])
})
