import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedWordFaults, wordsAfter } from '../../organizations/marketing-words.ts'
import { marketingWordIn, wordsFor } from './stop-words.ts'

const words = { stop: ['stop', 'não quero', 'baja'], start: ['start', 'BAJA'] }

test('a text is a word whatever its case, its accents, and the marks around it', () => {
  for (const text of ['stop', ' STOP.', '“Stop!”', 'sto\u0301p', 'NAO QUERO', 'não quero 🙏', 'Baja'])
    assert.equal(marketingWordIn(text, words), 'stop_word', text)
  assert.equal(marketingWordIn('Start', words), 'start_word')
  for (const text of ['stop it', 'nonstop', '', '...', 'st op', `${'stop'.padEnd(201)}`])
    assert.equal(marketingWordIn(text, words), null, text)
  assert.equal(marketingWordIn('stop', { stop: [], start: [] }), null)
})

test('a text is a word although it has characters that are not seen, or letters of another width or form', () => {
  const seen = { stop: ['stop', 'توقف', 'pa\u00adra', 'ｆｉｎ'], start: [] }
  const written = [
    '\u200estop',
    '\u2068stop\u2069',
    'stop\u200b',
    '\u200fتوقف',
    '\u202estop\u202c',
    'ＳＴＯＰ',
    'st\u00adop',
  ]
  const others = [
    '\ufeffstop',
    'ⓢⓣⓞⓟ',
    '\u200e stop \u200e',
    'sto\u2060p',
    '𝗦𝗧𝗢𝗣',
    'para',
    'Fin',
    'stop\ufe0f',
    'st\u3164op',
  ]
  for (const text of [...written, ...others])
    assert.equal(marketingWordIn(text, seen), 'stop_word', JSON.stringify(text))
  for (const text of ['\u200e', '\u3164', '\u200estop it', 'st\u200b op'])
    assert.equal(marketingWordIn(text, seen), null, JSON.stringify(text))
  const shared = sharedWordFaults(null, { stop_words: ['stop'], start_words: ['go', 'ＳＴ\u200bＯＰ'] })
  assert.deepEqual(
    shared.map(({ pointer }) => pointer),
    ['/start_words/1'],
  )
})

test('an instance has its own words, and those that a request leaves out stay', () => {
  assert.deepEqual(wordsFor(null, null), { stop: [], start: [] })
  const own = wordsAfter(null, { stop_words: ['halt'] })
  assert.deepEqual(wordsFor(own, null), { stop: ['halt'], start: [] })
  assert.deepEqual(wordsFor(wordsAfter(own, { start_words: ['go'] }), null), {
    stop: ['halt'],
    start: ['go'],
  })
  assert.equal(wordsAfter(own, { stop_words: null }), null)
  assert.equal(wordsAfter(own, {}), own)
})

test('an instance without words of its own has those of its organization, each list by itself', () => {
  const inherited = wordsAfter(null, { stop_words: ['alto'], start_words: ['alta'] })
  assert.deepEqual(wordsFor(null, inherited), { stop: ['alto'], start: ['alta'] })
  const own = wordsAfter(null, { stop_words: ['halt'] })
  assert.deepEqual(wordsFor(own, inherited), { stop: ['halt'], start: ['alta'] })
  assert.deepEqual(wordsFor(wordsAfter(null, { stop_words: [] }), inherited).stop, [])
})

test('a word of an instance is in no list that it inherits; what it inherits whole is not its fault', () => {
  const inherited = wordsAfter(null, { stop_words: ['alto', 'basta'], start_words: ['alta'] })
  const faults = (before: string | null, given: Parameters<typeof sharedWordFaults>[1]) =>
    sharedWordFaults(before, given, inherited).map(({ pointer, code }) => `${pointer} ${code}`)
  assert.deepEqual(faults(null, { start_words: ['go', '¡Basta!'] }), ['/start_words/1 repeated'])
  assert.deepEqual(faults(null, { stop_words: ['ALTA'], start_words: null }), ['/stop_words/0 repeated'])
  const own = wordsAfter(null, { stop_words: ['halt'], start_words: ['alto', 'basta'] })
  assert.deepEqual(faults(own, { stop_words: null }), ['/stop_words repeated'])
  assert.deepEqual(faults(own, { stop_words: null, start_words: null }), [])
  assert.deepEqual(faults(own, {}), [])
  assert.deepEqual(faults(null, { stop_words: [], start_words: ['alto'] }), [])
  assert.deepEqual(faults(null, { start_words: [] }), [])
  const both = wordsAfter(null, { stop_words: ['x'], start_words: ['x'] })
  assert.deepEqual(sharedWordFaults(null, { stop_words: null }, both), [])
})
