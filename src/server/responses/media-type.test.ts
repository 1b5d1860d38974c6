import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getLink } from '../../contract/operations/link-operations.ts'
import { offeredBy, preferred } from './media-type.ts'

const offered = ['application/json', 'image/png', 'image/svg+xml']

test('an operation offers JSON first, and then its other media types', () => {
  assert.deepEqual(offeredBy(getLink), offered)
})

const wishes: readonly [accept: string | undefined, given: string | undefined][] = [
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/*', 'application/json'],
  ['application/problem+json', 'application/json'],
  ['image/png', 'image/png'],
  ['IMAGE/PNG', 'image/png'],
  ['image/png, application/problem+json', 'image/png'],
  ['image/svg+xml', 'image/svg+xml'],
  ['image/*', 'image/png'],
  ['image/png;q=0.5, image/svg+xml', 'image/svg+xml'],
  ['application/json;q=0.1, image/svg+xml;q=0.2', 'image/svg+xml'],
  ['*/*, image/png;q=0', 'application/json'],
  ['image/*, image/png;q=0', 'image/svg+xml'],
  // The header that browsers send for a picture in a page.
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'image/png'],
  ['text/html', undefined],
  ['image/webp, application/problem+json', undefined],
  ['image/png;q=0', undefined],
  ['image/png;q=none', undefined],
  ['', undefined],
]
for (const [accept, given] of wishes) {
  test(`whoever accepts ${accept ?? 'anything'} gets ${given ?? 'nothing'}`, () => {
    assert.equal(preferred(accept, offered), given)
  })
}
