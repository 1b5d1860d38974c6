import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVCard, vCardOf } from './vcard.ts'

const ana = {
  name: 'Ana; de Souza, Dr.',
  phones: ['+55 11 98765-4321', '+55 11 2345-6789'],
  emails: ['ana@example.org'],
  company: 'Souza, Lima & Co.',
}

test('a person is read as they were written', () => {
  assert.deepEqual(readVCard(vCardOf(ana)), ana)
  const bare = { name: 'Ben', phones: [], emails: [], company: null }
  assert.deepEqual(readVCard(vCardOf(bare)), bare)
  assert.ok(!vCardOf({ ...bare, name: 'Ben\nTEL:+1' }).includes('\nTEL'), 'a name adds no line')
})

test('what phones and address books write is read', () => {
  const lines = [
    'BEGIN:VCARD',
    'VERSION:2.1',
    'N:Lima;Rui',
    'FN:Rui ',
    ' Lima',
    'item1.TEL;waid=5511987654321;type=CELL:+55 11 98765-4321',
    'TEL;VALUE=uri:tel:+55-11-2345',
    'email;TYPE=INTERNET:rui@example.org',
    'ORG:Lima;Sales',
    'NOTE',
    'END:VCARD',
    'FN:Another',
  ]
  assert.deepEqual(readVCard(lines.join('\n')), {
    name: 'Rui Lima',
    phones: ['+55 11 98765-4321', '+55-11-2345'],
    emails: ['rui@example.org'],
    company: 'Lima',
  })
})

test('a vCard of any size is read in bounded time', () => {
  const begin = performance.now()
  for (const piece of ['TEL:+1\n', 'x.', '\n ', ';', '\\']) readVCard(piece.repeat(10_000_000 / piece.length))
  assert.ok(performance.now() - begin < 2_000)
})
