import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardOf, vcardOf } from './vcard.ts'

const ana = {
  name: 'Ana; "the one", Souza',
  phones: ['+55 11 98765-4321', '110'],
  emails: ['ana@example.org'],
  company: 'Example, Ltda.',
}

test('a card says what it was made of, and its numbers lead to their accounts', () => {
  const vcard = vcardOf(ana)
  assert.deepEqual(cardOf('', vcard), ana)
  assert.match(vcard, /^BEGIN:VCARD\nVERSION:3\.0\n/)
  assert.match(vcard, /;waid=5511987654321:\+55 11 98765-4321\n/)
  assert.doesNotMatch(vcard, /waid=110/)
})

test('nothing in a field becomes another line of the card', () => {
  const vcard = vcardOf({ ...ana, name: 'Ana\r\nTEL:+1', emails: ['a\nEND:VCARD'] })
  assert.equal(vcard.split('\n').length, vcardOf(ana).split('\n').length)
  assert.deepEqual(cardOf('', vcard).phones, ana.phones)
})

test('cards of other clients are read: folded lines, groups, parameters and capitals', () => {
  const vcard = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    'fn;CHARSET=UTF-8:Ben\\, the second',
    'item1.TEL;waid=4915112345678;type=CELL:+49 151',
    '  12345678',
    'item1.X-ABLabel:Mobile',
    'ORG:Example;Sales;',
    'EMAIL;type=INTERNET:ben@example.org',
    'PHOTO;BASE64:AAAA',
    'END:VCARD',
  ].join('\r\n')
  const read = { phones: ['+49 151 12345678'], emails: ['ben@example.org'], company: 'Example, Sales' }
  assert.deepEqual(cardOf('', vcard), { name: 'Ben, the second', ...read })
  assert.equal(cardOf('Benny', vcard).name, 'Benny')
})

test('a card that makes no sense, or has no end, costs little', () => {
  assert.deepEqual(cardOf('Eve', ':::\n;;;\nTEL\n'), { name: 'Eve', phones: [], emails: [], company: null })
  const endless = `FN:Eve\n${'TEL:1\n'.repeat(1_000_000)}`
  const folded = `FN:Eve\n${' x\n'.repeat(1_000_000)}`
  const parameters = `TEL;${'a=b;'.repeat(1_000_000)}`
  const before = performance.now()
  assert.equal(cardOf('', endless).phones.length, 10)
  for (const vcard of [folded, parameters]) cardOf('', vcard)
  assert.ok(performance.now() - before < 1_000)
})
