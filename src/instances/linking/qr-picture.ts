import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { QRCode } from 'qrcode'

/** The light border that scanners need, in modules (ISO/IEC 18004, section 9.1). */
const quietZone = 4

const deflated = promisify(deflate)

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * A QR code as a PNG of 8 × 8 pixels for each module (ISO/IEC 15948): with one bit for each pixel, a module is a byte of its row, so
 * that hardly anything is left to be computed and compressed.
 */
export async function pngOf({ modules }: Pick<QRCode, 'modules'>): Promise<Uint8Array> {
  const side = modules.size + 2 * quietZone
  const row = Buffer.alloc(1 + side, 0xff)
  // No filter.
  row[0] = 0
  const rows: Buffer[] = []
  const add = (line: Buffer) => rows.push(...Array<Buffer>(8).fill(line))
  for (let y = 0; y < side; y++) {
    const line = Buffer.from(row)
    for (let x = 0; x < modules.size; x++) {
      const isInside = y >= quietZone && y < side - quietZone
      if (isInside && modules.get(y - quietZone, x)) line[1 + quietZone + x] = 0
    }
    add(line)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side * 8, 0)
  header.writeUInt32BE(side * 8, 4)
  // One bit of grey for each pixel; compression, filter and interlace have no other, or none.
  header[8] = 1
  const data = await deflated(Buffer.concat(rows))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, check])
}

/** A QR code as an SVG: one path over a white square, a unit for each module. */
export function svgOf({ modules }: Pick<QRCode, 'modules'>): Uint8Array {
  const side = modules.size + 2 * quietZone
  const bars: string[] = []
  for (let y = 0; y < modules.size; y++) {
    for (let x = 0; x < modules.size; ) {
      let width = 0
      while (x + width < modules.size && modules.get(y, x + width)) width++
      if (width > 0) bars.push(`M${x + quietZone} ${y + quietZone}h${width}v1h-${width}z`)
      x += Math.max(width, 1)
    }
  }
  const size = `width="${side * 8}" height="${side * 8}" viewBox="0 0 ${side} ${side}"`
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/>` +
      `<path d="${bars.join('')}"/></svg>`,
  )
}
