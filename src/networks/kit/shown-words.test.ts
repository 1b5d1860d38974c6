import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ShownWords } from './shown-words.ts'

const secret = '8000000001:AAEx-ample_Example/Example+Example='
const words = new ShownWords([secret, 'cb_another'])

const spelled: Readonly<Record<string, string>> = {
  'as it is': secret,
  'in capitals': secret.toUpperCase(),
  'in a URL': encodeURIComponent(secret),
  'in a URL, in small letters': encodeURIComponent(secret).toLowerCase(),
  'in a URL in a URL': encodeURIComponent(encodeURIComponent(secret)),
  'in a URL, each byte': Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  'in JSON': secret.replaceAll('/', '\\/'),
  'in JSON in JSON': secret.replaceAll('/', '\\\\/').replaceAll(':', '\\\\u003A'),
  'in HTML': secret.replaceAll(':', '&#58;').replaceAll('+', '&#x2B;').replaceAll('/', '&amp;#47;'),
  'in two ways': encodeURIComponent(secret).replaceAll('x', '\\u0078'),
}

for (const [way, text] of Object.entries(spelled))
  test(`a secret is not shown ${way}`, () => {
    assert.equal(words.of(`Bad token ${text}, and cb_another.`), 'Bad token …, and ….')
    assert.ok(words.hasSecret(text))
  })

test('a secret does not come together from what is around another one', () => {
  const nested = secret.slice(0, 20) + secret + secret.slice(20)
  assert.ok(!words.of(nested).includes(secret))
})

test('no half of a secret is left at the end of what is shown', () => {
  assert.equal(words.of(`${'.'.repeat(190)}${secret}`), `${'.'.repeat(190)}…`)
})

test('what else is said stays, in one line of bounded length', () => {
  assert.equal(
    words.of(' Bad\r\n Request:\u2028\u200bchat "not" found\\n '),
    'Bad Request: chat "not" found\\n',
  )
  assert.equal(words.of('x'.repeat(1000)).length, 200)
  assert.ok(!words.hasSecret('Bad Request'))
  assert.equal(new ShownWords([]).of('Bad Request'), 'Bad Request')
})

test('a text that nearly has a secret again and again takes no time', () => {
  const long = new ShownWords([`\\${'%'.repeat(40)}`, '%'.repeat(40), '&'.repeat(40)])
  for (const piece of ['\\', '%25', '%', '&amp;', '&#0000', '\\u0025'])
    long.of(piece.repeat((64 * 1024) / piece.length))
})
