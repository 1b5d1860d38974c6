import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileAt } from './file-url.ts'

for (const [written, filename] of [
  ['https://example.org/a/view.png', 'view.png'],
  ['http://example.org/view.png?size=big#top', 'view.png'],
  ['https://example.org/a%20b/%C3%A5%20%F0%9F%98%80.png', 'å 😀.png'],
  ['https://example.org/%2Fetc%2Fpasswd', 'passwd'],
  ['https://example.org/..%5C..%5Cx.exe', 'x.exe'],
  ['https://example.org/a%00%0Db.txt', 'ab.txt'],
  ['https://example.org/100%25.txt', '100%.txt'],
  ['https://example.org/half%', 'half%'],
  ['https://example.org/%ff.txt', '%ff.txt'],
  ['https://example.org/a/', null],
  ['https://example.org', null],
] as const) {
  test(`the file at ${written} is called ${filename}`, () => {
    assert.equal(fileAt(written)?.filename, filename)
  })
}

test('a name is bounded, keeps its ending, and no character is cut in two', () => {
  const named = (name: string) => fileAt(`https://example.org/${encodeURIComponent(name)}`)?.filename
  assert.equal(named(`a${'😀'.repeat(200)}`), `a${'😀'.repeat(59)}`)
  assert.equal(named(`a${'😀'.repeat(200)}.pdf`), `a${'😀'.repeat(58)}.pdf`)
})

test('a URL is spelled as URLs are', () => {
  const found = fileAt(' HTTPS://Example.ORG/a b.png\n')
  assert.deepEqual(found, { url: 'https://example.org/a%20b.png', filename: 'a b.png', mime_type: null })
})

for (const written of [
  '',
  'view.png',
  'ftp://example.org/view.png',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  'https://user:secret@example.org/view.png',
  'https://',
  `https://example.org/${'x'.repeat(8_000)}`,
]) {
  test(`nothing is fetched from ${written.slice(0, 60) || 'nowhere'}`, () => {
    assert.equal(fileAt(written), null)
  })
}
