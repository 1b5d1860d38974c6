import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { PictureAnswer } from '../../driver/abilities/pictures.ts'
import { scriptOf } from '../address.ts'

/** The pixels of a side of the picture. */
const side = 16

/** The picture of a person with a name: a square in a colour of their own. Others show none. */
export function pictureAt(address: string): PictureAnswer {
  if (address.startsWith('+') || scriptOf(address)?.answers[0]?.kind === 'refuses') return { kind: 'none' }
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(address).digest()
  return { kind: 'found', bytes: squareOf([red, green, blue]) }
}

/** A PNG (ISO/IEC 15948) of one colour. */
function squareOf(colour: readonly number[]): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8)
  // Each line begins with the number of its filter.
  const line = [0, ...Array.from({ length: side }, () => colour).flat()]
  const lines = Buffer.from(Array.from({ length: side }, () => line).flat())
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
