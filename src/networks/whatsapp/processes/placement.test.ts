import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeFor } from './placement.ts'

/** Opens a client for each of these organizations, one after the other, and shows which process got it. */
function placesOf(parties: readonly string[], most: number): number[] {
  const processes: { clients: number; parties: Map<string, number> }[] = []
  return parties.map((party) => {
    const place = placeFor(party, processes, most) ?? { clients: 0, parties: new Map<string, number>() }
    if (!processes.includes(place)) processes.push(place)
    place.clients += 1
    place.parties.set(party, (place.parties.get(party) ?? 0) + 1)
    return processes.indexOf(place)
  })
}

test('the first account of a second organization begins another process', () => {
  assert.deepEqual(placesOf(['a', 'a', 'b', 'a', 'b'], 2), [0, 0, 1, 0, 1])
})

test('a third organization shares with the one that has fewer accounts, and stays there', () => {
  assert.deepEqual(placesOf(['a', 'a', 'b', 'c', 'a', 'a', 'a', 'c'], 2), [0, 0, 1, 1, 0, 0, 0, 1])
})

test('a fourth organization shares with as few others as can be', () => {
  assert.deepEqual(placesOf(['a', 'a', 'a', 'b', 'c', 'd'], 2), [0, 0, 0, 1, 1, 0])
})

test('an organization takes another process with its 201st account, and never more than there may be', () => {
  const places = placesOf(
    Array.from({ length: 500 }, () => 'a'),
    2,
  )
  assert.deepEqual([...new Set(places.slice(0, 200))], [0])
  assert.equal(places[200], 1)
  assert.deepEqual([...new Set(places)], [0, 1])
})

test('a process whose accounts have gone is used before another is begun', () => {
  const empty = { clients: 0, parties: new Map<string, number>() }
  const full = { clients: 1, parties: new Map([['a', 1]]) }
  assert.equal(placeFor('b', [full, empty], 3), empty)
})
