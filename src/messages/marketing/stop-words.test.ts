import assert from 'node:assert/strict'
import { test } from 'node:test'
import { marketingWordIn, wordsAfter, wordsFor } from './stop-words.ts'

const words = { stop: ['stop', 'não quero', 'baja'], start: ['start', 'BAJA'] }

test('a text is a word whatever its case, its accents, and the marks around it', () => {
  for (const text of ['stop', ' STOP.', '“Stop!”', 'sto\u0301p', 'NAO QUERO', 'não quero 🙏', 'Baja'])
    assert.equal(marketingWordIn(text, words), 'stop_word', text)
  assert.equal(marketingWordIn('Start', words), 'start_word')
  for (const text of ['stop it', 'nonstop', '', '...', 'st op', `${'stop'.padEnd(201)}`])
    assert.equal(marketingWordIn(text, words), null, text)
  assert.equal(marketingWordIn('stop', { stop: [], start: [] }), null)
})

test('an instance has no words but its own, and those that a request leaves out stay', () => {
  assert.deepEqual(wordsFor(null), { stop: [], start: [] })
  const own = wordsAfter(null, { stop_words: ['halt'] })
  assert.deepEqual(wordsFor(own), { stop: ['halt'], start: [] })
  assert.deepEqual(wordsFor(wordsAfter(own, { start_words: ['go'] })), { stop: ['halt'], start: ['go'] })
  assert.equal(wordsAfter(own, { stop_words: null }), null)
  assert.equal(wordsAfter(own, {}), own)
})
