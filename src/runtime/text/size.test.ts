import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeInWords } from './size.ts'

test('a size is said in the largest unit that it fills, and never as more than it is', () => {
  const words = {
    0: '0 bytes',
    1: '1 byte',
    1023: '1023 bytes',
    1024: '1 KB',
    1999: '1.9 KB',
    [16 * 1024 * 1024]: '16 MB',
    [16 * 1024 * 1024 - 1]: '15.9 MB',
    10000000: '9.5 MB',
    [5 * 1024 ** 3]: '5 GB',
    [3 * 1024 ** 5]: '3072 TB',
  }
  for (const [bytes, said] of Object.entries(words)) assert.equal(sizeInWords(Number(bytes)), said)
})
