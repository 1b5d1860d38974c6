import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../runtime/ids.ts'
import { Seal } from '../../runtime/secrets/seal.ts'
import { CallbackTokens } from './callback-tokens.ts'

const tokens = new CallbackTokens(new Seal(new Uint8Array(32).fill(1)))
const instance = newId('inst')

test('a token leads to its instance, for its network only, and is always the same', () => {
  const token = tokens.of('sandbox', instance)
  assert.match(token, /^cb_[0-9a-z]{58}$/)
  assert.equal(tokens.instanceOf('sandbox', token), instance)
  assert.equal(tokens.instanceOf('telegram', token), undefined)
  const again = new CallbackTokens(new Seal(new Uint8Array(32).fill(1)))
  assert.equal(again.of('sandbox', instance), token)
})

test('no other text is a token: with one character changed, of another instance, or under another master key', () => {
  const token = tokens.of('sandbox', instance)
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === '0' ? '1' : '0'
    const changed = token.slice(0, index) + other + token.slice(index + 1)
    assert.equal(tokens.instanceOf('sandbox', changed), undefined, `changed at ${index}`)
  }
  for (const text of ['', 'cb_', token.slice(0, -1), `${token}0`, token.toUpperCase(), `${token}\n`])
    assert.equal(tokens.instanceOf('sandbox', text), undefined)
  const elsewhere = new CallbackTokens(new Seal(new Uint8Array(32).fill(2)))
  assert.equal(elsewhere.instanceOf('sandbox', token), undefined)
})
