import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folded } from './folded-text.ts'

const isIn = (part: string, whole: string) => folded(whole).includes(folded(part))

test('a search does not tell upper from lower case, whatever the alphabet', () => {
  for (const [part, whole] of [
    ['ORDER', 'Your order has left'],
    ['order', 'YOUR ORDER HAS LEFT'],
    ['GRÜSSE', 'Viele Grüße'],
    ['grüße', 'VIELE GRÜSSE'],
    ['STRAẞE', 'In der Strasse'],
    ['заказ', 'ВАШ ЗАКАЗ'],
    // A sigma is another letter at the end of a word, which the end of what is searched for is not.
    ['οδοσ', 'ΟΔΟΣ'],
    ['ΟΔΟΣ', 'οδοσήμανση'],
    ['ΟΔΟΣ', 'η οδός'.normalize('NFD').replace('\u0301', '')],
    // Turkish has an i without a dot, and one with a dot in upper case.
    ['istanbul', 'İSTANBUL'],
    ['İstanbul', 'istanbul'],
    ['ışık', 'IŞIK'],
    ['IŞIK', 'ışık'],
    // A kelvin and an angstrom that look like letters.
    ['k', '273 \u212a'],
    ['å', '5 \u212b'],
  ] as const)
    assert.ok(isIn(part, whole), `${part} in ${whole}`)
})

test('accents count, however they are encoded', () => {
  assert.ok(isIn('CAFE\u0301', 'im Caf\u00e9'))
  assert.ok(isIn('caf\u00e9', 'im CAFE\u0301'))
  assert.ok(!isIn('cafe', 'im Caf\u00e9'))
  assert.ok(!isIn('cafe', 'im Cafe\u0301'))
  assert.ok(!isIn('caf\u00e9', 'im Cafe'))
})

test('a dot, a percent sign and an underscore are only that', () => {
  for (const part of ['.', '%', '_', '\\', '*']) {
    assert.ok(!isIn(part, 'Your order'))
    assert.ok(isIn(part, `100${part}`))
  }
})

test('a letter with thousands of marks is found, and they are not all put into one order', () => {
  const pile = 'a\u0301\u0323'.padEnd(4096, '\u0301\u0323')
  assert.ok(isIn(pile.toUpperCase(), `<${pile}>`))
  assert.ok(isIn('a\u0323\u0301', 'a\u0301\u0323'))
  assert.doesNotMatch(folded(pile), /[\u0300-\u034e]{31}/, 'that would take longer by the square of them')
})
