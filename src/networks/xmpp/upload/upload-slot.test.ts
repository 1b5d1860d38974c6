import assert from 'node:assert/strict'
import { test } from 'node:test'
import { element, ns, type Xml } from '../stanzas/xml.ts'
import { UploadRefused } from './upload-refusal.ts'
import { slotIn } from './upload-slot.ts'

const good = 'https://files.example.org/one.bin'

function answer(put: string | undefined, get: string | undefined, ...headers: [string, string][]): Xml {
  const inside = headers.map(([name, value]) => element('header', { name }, value))
  const sides = [element('put', { url: put }, ...inside), element('get', { url: get })]
  return element('iq', { type: 'result' }, element('slot', { xmlns: ns.upload }, ...sides))
}

function refused(word: RegExp): (thrown: unknown) => boolean {
  return (thrown) =>
    thrown instanceof UploadRefused &&
    thrown.outcome.kind === 'rejected' &&
    thrown.outcome.error.code === 'upload_slot_unusable' &&
    thrown.outcome.error.permanent &&
    word.test(thrown.outcome.error.detail)
}

test('a slot leads by https to a place for the file, and from there', () => {
  const { put, get, headers } = slotIn(answer('https://a.test:8443/x?y=1', good, ['Expires', '1']), false)
  assert.deepEqual([put.href, get.href], ['https://a.test:8443/x?y=1', good])
  assert.deepEqual(Object.entries(headers), [['Expires', ['1']]])
})

test('what a URL cannot hold as it is, such as a space in a name, is percent-encoded', () => {
  const { get } = slotIn(answer(good, 'https://a.test/ä b/"c" <d>.txt'), false)
  assert.equal(get.href, 'https://a.test/%C3%A4%20b/%22c%22%20%3Cd%3E.txt')
})

test('an answer without both places is no slot', () => {
  assert.throws(() => slotIn(element('iq', { type: 'result' }), false), refused(/none was named/))
  const half = element('slot', { xmlns: ns.upload }, element('put', { url: good }))
  assert.throws(() => slotIn(element('iq', {}, half), false), refused(/none was named/))
})

test('a place that is no URL, has a password in it or is endless is not used', () => {
  const urls = [
    undefined,
    '',
    'one.bin',
    '//a.test/x',
    'https://',
    'https://me:secret@a.test/x',
    'https://me@a.test/x',
  ]
  for (const url of [...urls, `${good}?${'a'.repeat(8_000)}`]) {
    assert.throws(() => slotIn(answer(url, good), false), refused(/no usable URL/), url)
    assert.throws(() => slotIn(answer(good, url), false), refused(/no usable URL/), url)
  }
})

test('without encryption only a place on this machine is used, and only if the settings say so', () => {
  const local = ['http://127.0.0.1:5280/x', 'http://localhost/x', 'http://[::1]/x', 'http://2130706433/x']
  for (const url of local) {
    assert.equal(slotIn(answer(url, url), true).put.protocol, 'http:')
    assert.throws(() => slotIn(answer(url, url), false), refused(/no encryption/), url)
  }
  for (const url of [
    'http://a.test/x',
    'http://localhost.a.test/x',
    'http://10.0.0.1/x',
    'ftp://127.0.0.1/x',
    'file:///x',
    'data:,x',
  ]) {
    assert.throws(() => slotIn(answer(url, good), true), refused(/no encryption/), url)
    assert.throws(() => slotIn(answer(good, url), true), refused(/no encryption/), url)
  }
})

test('only three header fields are taken over, in their order, and without line breaks', () => {
  const { headers } = slotIn(
    answer(
      good,
      good,
      ['Host', 'evil.test'],
      ['cookie', 'a'],
      ['AUTHORIZATION', 'b\r\nHost: evil.test'],
      ['Cookie', 'c'],
    ),
    false,
  )
  assert.deepEqual(Object.entries(headers), [
    ['Cookie', ['a', 'c']],
    ['Authorization', ['bHost: evil.test']],
  ])
  for (const value of ['a\u0000', '日本']) {
    const slot = answer(good, good, ['Cookie', value])
    assert.throws(() => slotIn(slot, false), refused(/header field/))
  }
})
