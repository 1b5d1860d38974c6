import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suggestedFilename } from './suggested-filename.ts'

const url = new URL('https://example.org/files/from-url.pdf?x=/y')

test('a name is read from the header, in whichever form it stands there', () => {
  for (const [disposition, name] of [
    ['attachment; filename=a.pdf', 'a.pdf'],
    ['attachment;filename="a.pdf"', 'a.pdf'],
    ['inline; FileName = "a; b.pdf"; size=3', 'a; b.pdf'],
    [String.raw`attachment; filename="a \"b\" \\ c.pdf"`, String.raw`a "b" \ c.pdf`],
    ["attachment; filename*=UTF-8''na%C3%AFve%20file.pdf", 'naïve file.pdf'],
    ["attachment; filename*=utf-8'en'%e2%82%ac.pdf; filename=euro.pdf", '€.pdf'],
    ["attachment; filename=euro.pdf; filename*=UTF-8''%e2%82%ac.pdf", '€.pdf'],
    ["attachment; filename*=UTF-8''%ff.pdf; filename=plain.pdf", 'plain.pdf'],
    ["attachment; filename*=iso-8859-1''%e4.pdf; filename=plain.pdf", 'plain.pdf'],
    [Buffer.from('attachment; filename="café.pdf"').toString('latin1'), 'café.pdf'],
    ['attachment; filename="caf\xe9.pdf"', 'café.pdf'],
    ['attachment; filename="../../etc/passwd"', '../../etc/passwd'],
  ] as const) {
    assert.equal(suggestedFilename(disposition, url), name, disposition)
  }
})

test('without one it is the last part of the path', () => {
  for (const disposition of [
    undefined,
    '',
    'inline',
    'attachment; filename=""',
    'attachment; xfilename=a',
    'filename',
  ]) {
    assert.equal(suggestedFilename(disposition, url), 'from-url.pdf', disposition ?? 'none')
  }
  for (const [path, name] of [
    ['/a%20b.pdf', 'a b.pdf'],
    ['/%ff.pdf', '%ff.pdf'],
    ['/a%2Fb.pdf', 'a/b.pdf'],
    ['/caf%C3%A9', 'café'],
  ] as const) {
    assert.equal(suggestedFilename(undefined, new URL(path, url)), name, path)
  }
  for (const path of ['/', '/folder/']) {
    assert.equal(suggestedFilename(undefined, new URL(path, url)), undefined, path)
  }
})
