import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/kit/random.ts'
import { readCursor, writeCursor } from './cursor.ts'

test('a cursor is read back as the key that was written', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (key) => {
      // JSON knows no -0.
      assert.equal(readCursor(writeCursor(key), 'number'), key === 0 ? 0 : key)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (key) =>
      assert.equal(readCursor(writeCursor(key), 'string'), key),
    ),
  )
})

test('a cursor is a text that a query can hold as it is', () => {
  fc.assert(fc.property(fc.string(), (key) => assert.match(writeCursor(key), /^[A-Za-z0-9_-]+$/)))
})

test('a cursor of the other type is none', () => {
  assert.equal(readCursor(writeCursor('7'), 'number'), undefined)
  assert.equal(readCursor(writeCursor(7), 'string'), undefined)
})

test('a text that was not written by us is none', () => {
  const inBase64 = (text: string) => Buffer.from(text).toString('base64url')
  const strange = [
    '',
    'x',
    '!!',
    '7',
    inBase64('7.5'),
    inBase64('9007199254740993'),
    inBase64('{"a":1}'),
    inBase64('[7]'),
  ]
  for (const text of [...strange, inBase64(' 7'), `${inBase64('7')}=`, `${inBase64('7')}!`, inBase64('7e0')])
    assert.equal(readCursor(text, 'number'), undefined, text)
  fc.assert(
    fc.property(fc.string(), (text) => {
      const key = readCursor(text, 'string')
      assert.ok(key === undefined || writeCursor(key) === text)
    }),
  )
})
