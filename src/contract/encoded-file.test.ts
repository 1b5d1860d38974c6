import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { isEncodedFile } from './encoded-file.ts'

const bytes = randomBytes(9_000)
const base64 = bytes.toString('base64')

describe('a file as text', () => {
  const cases: Readonly<Record<string, string>> = {
    'a data: URL': `data:image/png;base64,${base64}`,
    'a short one': 'DATA:,hello',
    base64,
    'base64 of a few bytes': bytes.toString('base64', 0, 40),
    base64url: bytes.toString('base64url'),
    'base64 in lines of 76': base64.replaceAll(/.{76}/g, '$&\r\n'),
    'base64 in lines of 64, with an end': `${base64.replaceAll(/.{64}/g, '$&\n')}\n`,
  }
  for (const [name, text] of Object.entries(cases)) {
    test(`is known: ${name}`, () => assert.equal(isEncodedFile(text), true))
  }
})

describe('no file as text', () => {
  const cases: Readonly<Record<string, string>> = {
    nothing: '',
    'a URL': 'https://example.org/Invoices/2026/A-very-long-name-of-a-file-without-an-ending',
    'a name': 'invoice.pdf',
    'a digest': randomBytes(64).toString('hex'),
    'a line of text': 'Invoice 2026 of 22 November, to be paid within thirty days, data:',
    'words in lines': Array.from({ length: 40 }, (_, index) => `Word${index}`).join('\n'),
    'a certificate': `-----BEGIN CERTIFICATE-----\n${base64.slice(0, 64)}\n-----END CERTIFICATE-----`,
    'one letter': 'a'.repeat(100_000),
  }
  for (const [name, text] of Object.entries(cases)) {
    test(`is taken for one: ${name}`, () => assert.equal(isEncodedFile(text), false))
  }
})
