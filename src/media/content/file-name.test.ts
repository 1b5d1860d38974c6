import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/kit/random.ts'
import { cleanFileName, convertedFileName, isTooLongName } from './file-name.ts'

const pdf = 'application/pdf'

describe('a name', () => {
  const cases: readonly (readonly [given: string, clean: string])[] = [
    ['invoice.pdf', 'invoice.pdf'],
    ['Rechnung für März (2).pdf', 'Rechnung für März (2).pdf'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\windows\\system32\\calc.exe', 'calc.exe'],
    ['a/b\\c.pdf', 'c.pdf'],
    ['..', 'document.pdf'],
    ['/', 'document.pdf'],
    ['.htaccess', 'htaccess'],
    ['...hidden...', 'hidden'],
    ['  spaced   out .pdf  ', 'spaced out .pdf'],
    ['line\r\nbreak\u2028and\ttab.pdf', 'linebreakandtab.pdf'],
    ['invoice.pdf\u0000.exe', 'invoice.pdf.exe'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['\u2066isolated\u2069\ufeff.pdf', 'isolated.pdf'],
    ['a<b>c:d"e|f?g*.pdf', 'a_b_c_d_e_f_g_.pdf'],
    ['NUL', '_NUL'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['LPT¹ .txt', '_LPT¹ .txt'],
    ['conin$', '_conin$'],
    ['console.log', 'console.log'],
    ['e\u0301te\u0301.pdf', 'été.pdf'],
    ['e\u200b\u0301.pdf', 'é.pdf'],
    ['نامه\u200cها.pdf', 'نامه\u200cها.pdf'],
    ['👩‍👩‍👧 ❤️.pdf', '👩‍👩‍👧 ❤️.pdf'],
    ['\ud83e.pdf', 'pdf'],
    ['\u3164', 'document.pdf'],
    ['\u200d\u200d', 'document.pdf'],
  ]
  for (const [given, clean] of cases) {
    test(`${JSON.stringify(given)} becomes ${JSON.stringify(clean)}`, () => {
      assert.equal(cleanFileName(given, pdf), clean)
    })
  }

  test('is made up from the type if none was given', () => {
    assert.equal(cleanFileName(undefined, 'image/jpeg'), 'image.jpg')
    assert.equal(cleanFileName('', 'audio/ogg; codecs=opus'), 'audio.ogg')
    assert.equal(cleanFileName(undefined, 'text/csv'), 'document.csv')
    assert.equal(cleanFileName(undefined, 'application/octet-stream'), 'document')
    assert.equal(cleanFileName(undefined, 'application/x-something-new'), 'document')
  })

  test('of an image or audio ends as its type does, and that of a document is left', () => {
    assert.equal(cleanFileName('photo.exe', 'image/jpeg'), 'photo.exe.jpg')
    assert.equal(cleanFileName('photo', 'image/png'), 'photo.png')
    assert.equal(cleanFileName('photo.JPEG', 'image/jpeg'), 'photo.JPEG')
    assert.equal(cleanFileName('note.opus', 'audio/ogg; codecs=opus'), 'note.opus')
    assert.equal(cleanFileName('note.mp3', 'audio/ogg; codecs=opus'), 'note.mp3.ogg')
    assert.equal(cleanFileName('table.xlsx', 'application/zip'), 'table.xlsx')
  })

  test('is cut to 240 bytes before its ending, and between characters', () => {
    const cut = (given: string, type = pdf) => cleanFileName(given, type)
    assert.equal(cut(`${'a'.repeat(300)}.pdf`), `${'a'.repeat(236)}.pdf`)
    assert.equal(cut(`${'🦄'.repeat(255)}.pdf`), `${'🦄'.repeat(59)}.pdf`)
    assert.equal(cut(`a.${'b'.repeat(300)}`), `a.${'b'.repeat(238)}`)
    assert.equal(cut('c'.repeat(300), 'image/webp'), `${'c'.repeat(235)}.webp`)
    assert.equal(cut(`${'d'.repeat(235)}  . .  ${'e'.repeat(50)}.pdf`), `${'d'.repeat(235)}.pdf`)
  })
})

test('the name of audio that was converted ends in what it was converted to, and in nothing else', () => {
  const opus = 'audio/ogg; codecs=opus'
  const names = {
    'song.mp3': 'song.ogg',
    'SONG.WAV': 'SONG.ogg',
    ' song.m4a ': 'song.ogg',
    'note.opus': 'note.ogg',
    'music/a.b.flac': 'a.b.ogg',
    'meeting 2.11': 'meeting 2.11.ogg',
    'song.mp3.exe': 'song.mp3.exe.ogg',
    '.mp3': 'mp3.ogg',
    '': 'audio.ogg',
  }
  for (const [given, name] of Object.entries(names)) assert.equal(convertedFileName(given, opus), name)
  assert.equal(convertedFileName(undefined, opus), 'audio.ogg')
})

describe('a name of a million characters', () => {
  const longNames: Readonly<Record<string, string>> = {
    marks: '\u0301\u0323',
    dots: '.',
    joiners: '\u200d',
    unicorns: '🦄',
    spaces: ' ',
  }
  // In time by the square of them, each would take an hour.
  for (const [what, repeated] of Object.entries(longNames))
    test(`that are ${what} is cut before it is cleaned, between characters, and keeps its ending`, () => {
      const given = `a${repeated.repeat(2 ** 20 / repeated.length)}b.jpg`
      const name = cleanFileName(given, 'image/jpeg')
      assert.match(name, /^[aạ].*\.jpg$/u)
      assert.ok(name.isWellFormed() && Buffer.byteLength(name) <= 240)
      assert.equal(cleanFileName(name, 'image/jpeg'), name)
    })

  test('is too long, though composing its letters makes it shorter', () => {
    assert.ok(isTooLongName('\u03b1\u0313\u0300\u0345'.repeat(1_000)))
    assert.ok(!isTooLongName('\u03b1\u0313\u0300\u0345'.repeat(76)))
  })
})

describe('whatever was given', () => {
  /** Names as people write them, as attackers do, and as neither would. */
  const fragments = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    ' ',
    '\u0000',
    '\u202e',
    '\u200d',
    '\ufe0f',
    'CON',
    'nul',
    '.jpg',
    'é',
    '\u0301',
    '🦄',
    ':',
  )
  const names = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 400 }),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc
      .array(fc.oneof(fragments, fc.string({ maxLength: 20 })), { maxLength: 40 })
      .map((parts) => parts.join('')),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
      .map((units) => String.fromCharCode(...units)),
  )
  const types = fc.constantFrom(pdf, 'image/jpeg', 'audio/mpeg', 'application/octet-stream')

  test('the name is harmless, and clean once for all', () => {
    fc.assert(
      fc.property(names, types, (given, type) => {
        const name = cleanFileName(given, type)
        assert.ok(Buffer.byteLength(name) >= 1 && Buffer.byteLength(name) <= 240)
        assert.ok(name.isWellFormed())
        assert.doesNotMatch(name, /[/\\<>:"|?*]|\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_Control}/u)
        assert.doesNotMatch(name, /^[.\s]|[.\s]$/)
        assert.doesNotMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i)
        assert.equal(cleanFileName(name, type), name)
      }),
      { numRuns: 5_000 },
    )
  })
})
