/*
 * The places of messages in a block, as the index of lists keeps them: ascending, each as its distance from the one before. A distance
 * below 128 is a byte; a longer one is two, the first of which has its highest bit set. So a conversation with a message in a block
 * takes a byte or two there, and an instance with all of them a byte for each.
 */

/** Places must be ascending, and below 32,768. */
export function keptPlaces(places: readonly number[]): Uint8Array {
  const kept: number[] = []
  let next = 0
  for (const place of places) {
    const distance = place - next
    if (distance < 128) kept.push(distance)
    else kept.push(128 | (distance >> 8), distance & 255)
    next = place + 1
  }
  return Uint8Array.from(kept)
}

/** The places again. */
export function placesIn(kept: Uint8Array): number[] {
  const places: number[] = []
  let next = 0
  for (let at = 0; at < kept.length; at++) {
    const first = kept[at] ?? 0
    const distance = first < 128 ? first : ((first & 127) << 8) | (kept[++at] ?? 0)
    places.push(next + distance)
    next += distance + 1
  }
  return places
}
