import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, end, field, file } from '../../../test/kit/http/multipart.ts'
import { PartCount } from './part-count.ts'

function countOf(body: Buffer, ...cuts: readonly number[]): number {
  const count = new PartCount('b')
  let from = 0
  for (const to of [...cuts.toSorted((one, other) => one - other), body.length]) {
    // As a feed does, which fills the same memory again.
    const piece = Buffer.from(body.subarray(from, to))
    count.take(piece)
    piece.fill('\r\n--b\r\n')
    from = to
  }
  return count.parts
}

test('as many parts are counted as the body has, wherever it is cut', () => {
  const contents = fc.constantFrom(
    '',
    'x',
    '-',
    '--',
    '--b',
    '\r\n',
    '\r\n--',
    '\r\n-',
    '\r',
    'x'.repeat(100),
  )
  const parts = fc.array(
    fc.array(contents, { maxLength: 4 }).map((content) => content.join('')),
    { maxLength: 6 },
  )
  const body = fc.tuple(parts, fc.constantFrom('', '\r\n', 'a preamble\r\n'), fc.array(fc.nat(400)))
  fc.assert(
    fc.property(body, ([contents, opening, cuts]) => {
      // A content that holds a delimiter itself is left out: it would be more than one part.
      const own = contents.filter((content) => !`\r\n${content}\r\n--b`.slice(0, -1).includes('\r\n--b'))
      const whole = bytesOf(opening, ...own.map((content) => file(content)), end)
      assert.equal(countOf(Buffer.from(whole), ...cuts.map((cut) => Math.min(cut, whole.length))), own.length)
    }),
    { numRuns: 2_000 },
  )
})

test('a body is counted the same in single bytes', () => {
  const body = Buffer.from(
    bytesOf(field('a', 'b'), file('x'), '--b\r\n\r\nno headers\r\n', '--b-\r\n\r\n\r\n', end),
  )
  assert.equal(countOf(body, ...Array.from({ length: body.length }, (_, at) => at)), 4)
  assert.equal(countOf(body), 4)
})

test('what follows the last delimiter is no part', () => {
  const body = Buffer.from(bytesOf(field('a', 'b'), end, field('c', 'd'), end))
  assert.equal(countOf(body), 1)
  assert.equal(countOf(body, bytesOf(field('a', 'b'), end).length), 1)
})
