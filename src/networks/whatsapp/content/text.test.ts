import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFault } from './text.ts'

for (const text of [
  'hello',
  ' hello ',
  'line\nline\ttab',
  '👩‍🚀'.repeat(100),
  'x'.repeat(4096),
  '😀'.repeat(4096),
  '',
]) {
  test(`${text.length} units beginning with ${JSON.stringify(text.slice(0, 6))} are carried`, () => {
    assert.equal(textFault(text, 'text'), null)
  })
}

for (const [text, part, words] of [
  ['a\0b', 'text', /null/],
  ['\ud83d', 'text', /unpaired/],
  [' \n\t', 'text', /spaces/],
  ['x'.repeat(4097), 'text', /4,096/],
  ['x'.repeat(1025), 'caption', /1,024/],
] as const) {
  test(`a ${part} of ${text.length} units beginning with ${JSON.stringify(text.slice(0, 3))} is not carried`, () => {
    assert.match(textFault(text, part) ?? '', words)
  })
}
