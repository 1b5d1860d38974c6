import { randomFillSync } from 'node:crypto'

/*
 * UUIDv7 as RFC 9562 section 5.7 lays it out, with the counter of section 6.2 (method 1): 48 bits of milliseconds, a counter
 * of 32 bits that begins at random in each millisecond, and 42 random bits. Random bytes are drawn in batches, because a
 * draw of sixteen bytes costs more than all the rest of accepting a message on its thread.
 */

const pool = Buffer.alloc(8192)
let drawn = pool.length

let lastMs = 0
let counter = 0

/** The 16 bytes of a new UUIDv7. Those of one process ascend, also within a millisecond and when the clock is set back. */
export function newUuid7(now: number = Date.now()): Uint8Array {
  const random = draw(10)
  if (now > lastMs) {
    lastMs = now
    // The highest bit starts at zero, which leaves two thousand million ids for each millisecond.
    counter = pool.readUInt32BE(random) >>> 1
  } else if (++counter > 0xffffffff) {
    lastMs++
    counter = 0
  }
  const bytes = new Uint8Array(16)
  bytes[0] = lastMs / 2 ** 40
  bytes[1] = lastMs / 2 ** 32
  bytes[2] = lastMs / 2 ** 24
  bytes[3] = lastMs / 2 ** 16
  bytes[4] = lastMs / 2 ** 8
  bytes[5] = lastMs
  bytes[6] = 0x70 | (counter >>> 28)
  bytes[7] = counter >>> 20
  bytes[8] = 0x80 | ((counter >>> 14) & 0x3f)
  bytes[9] = counter >>> 6
  bytes[10] = ((counter & 0x3f) << 2) | ((pool[random + 4] as number) & 3)
  for (let index = 11; index < 16; index++) bytes[index] = pool[random + index - 6] as number
  return bytes
}

/** The offset of that many unused random bytes in the pool. */
function draw(count: number): number {
  if (drawn + count > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += count
  return drawn - count
}
