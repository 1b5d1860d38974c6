/** In pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Returns the size that a PNG or JPEG states; undefined if it states none. In time that grows with its bytes, at most. */
export function imageSize(type: 'image/png' | 'image/jpeg', bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return type === 'image/png' ? sizeOfPng(view) : sizeOfJpeg(view)
}

/** The header is the first chunk (PNG, third edition, 5.6 and 11.2.1). */
function sizeOfPng(view: DataView): ImageSize | undefined {
  const header = 0x49484452
  if (view.byteLength < 24 || view.getUint32(12) !== header) return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** DHT, JPG and DAC: their numbers lie between those of frames. */
const otherThanFrames = [0xc4, 0xc8, 0xcc]

/** The frame comes after segments that say how long they are (ITU-T T.81, B.1.1 and B.2.2). */
function sizeOfJpeg(view: DataView): ImageSize | undefined {
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !otherThanFrames.includes(marker)
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    // Any number of these bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return undefined
}
