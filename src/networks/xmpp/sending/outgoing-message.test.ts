import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attribute, ns, type Xml } from '../stanzas/xml.ts'
import { StanzaParser } from '../stream/parser.ts'
import { fileXmls, stanzasOf } from './outgoing-message.ts'
import { directly } from './surroundings.ts'

const id = '0192f0c1a2b37d4e8f90a1b2c3d4e5f6'
const to = "o'brien&sons@example.org"
const around = directly('gateway@example.org')
const odd = 'Fish & "chips" <b>at\ttwo</b>\r\n\r]]> — it’s 😀'

function parsed(xml: string): Xml {
  const parser = new StanzaParser()
  parser.open(Buffer.from(`<stream:stream xmlns="${ns.client}" xmlns:stream="${ns.streams}">`))
  parser.begin(Buffer.from(xml))
  const stanza = parser.step()
  assert.ok(stanza)
  return stanza
}

function onlyOf(xmls: readonly string[]): Xml {
  assert.equal(xmls.length, 1)
  return parsed(xmls[0] ?? '')
}

/** The names of what is in a stanza, with their namespaces. */
const contents = (stanza: Xml) => stanza.getChildElements().map((each) => [each.name, each.getNS()])

const body = ['body', ns.client]
const signs = [
  ['request', ns.receipts],
  ['markable', ns.markers],
  ['active', ns.chatStates],
]
const origin = ['origin-id', ns.stanzaIds]

test('a text is read as it was written, by the address and the id that it has', () => {
  const stanza = onlyOf(stanzasOf({ id, to, kind: 'text', text: odd }, around))
  assert.deepEqual({ ...stanza.attrs }, { to, type: 'chat', id })
  assert.equal(stanza.getChildText('body'), odd)
  assert.equal(attribute(stanza.getChild('origin-id') as Xml, 'id'), id)
  assert.deepEqual(contents(stanza), [body, ...signs, origin])
})

test('a file is named by its URL, and what describes it is read as it was written', () => {
  const file = {
    filename: 'a.pdf',
    mime_type: 'application/pdf',
    size: 1,
    sha256: '',
    open: () => assert.fail(),
  }
  const media = { id, to, kind: 'document', caption: odd, voice: false, file } as const
  const url = 'https://upload.example.org/a.pdf?one=1&two="2"'
  const [first = '', second = ''] = fileXmls(media, url, around)
  const stanza = parsed(first)
  const data = stanza.getChild('x', ns.outOfBand)
  const read = [stanza.getChildText('body'), data?.getChildText('url'), data?.getChildText('desc')]
  assert.deepEqual(read, [url, url, odd])
  assert.deepEqual(contents(stanza), [body, ['x', ns.outOfBand], ...signs, origin])
  const caption = parsed(second)
  assert.deepEqual([caption.attrs.id, caption.getChildText('body')], [`${id}-caption`, odd])
  assert.deepEqual(contents(caption), [body, origin])
  assert.equal(fileXmls({ ...media, caption: null }, url, around).length, 1)
})
