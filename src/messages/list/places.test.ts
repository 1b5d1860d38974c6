import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keptPlaces, placesIn } from './places.ts'

test('places are kept in a byte or two each, and come back', () => {
  const some = fc.uniqueArray(fc.nat(1023)).map((places) => places.toSorted((a, b) => a - b))
  const isKept = fc.property(some, (places) => {
    const kept = keptPlaces(places)
    assert.deepEqual(placesIn(kept), places)
    assert.ok(kept.length <= 2 * places.length)
  })
  fc.assert(isKept, { examples: [[[]], [[0]], [[127]], [[128]], [[1023]], [[0, 128]], [[0, 129, 1023]]] })
  const all = Array.from({ length: 1024 }, (_, place) => place)
  assert.equal(keptPlaces(all).length, 1024)
})
