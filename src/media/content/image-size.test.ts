import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSize } from './image-size.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))

const png = '89504e470d0a1a0a 0000000d 49484452 00000400 00000201 08'
/** An APP0 segment, a Huffman table, padding, and then the frame: 513 lines of 1,024 samples. */
const jpeg = 'ffd8 ffe0 0004 1234 ffc4 0003 ff ff ffffc2 0011 08 0201 0400 03'

test('is read from the header of a PNG, and from the frame of a JPEG', () => {
  assert.deepEqual(imageSize('image/png', hex(png)), { width: 1024, height: 513 })
  assert.deepEqual(imageSize('image/jpeg', hex(jpeg)), { width: 1024, height: 513 })
})

test('is not known of what was cut off or is none, wherever that happens', () => {
  const cut = (type: 'image/png' | 'image/jpeg', text: string, says: number) => {
    const bytes = hex(text)
    for (let length = 0; length < says; length++)
      assert.equal(imageSize(type, bytes.subarray(0, length)), undefined, `${type} of ${length} bytes`)
  }
  cut('image/png', png, 24)
  cut('image/jpeg', jpeg, hex(jpeg).length - 1)
  assert.equal(imageSize('image/png', hex(png.replace('49484452', '49444154'))), undefined)
  assert.equal(imageSize('image/jpeg', hex(jpeg.replace('ffc4', '00c4'))), undefined)
  assert.equal(imageSize('image/jpeg', hex(`ffd8${'ff'.repeat(60_000)}`)), undefined)
  assert.equal(imageSize('image/jpeg', hex(`ffd8${'ffe00000'.repeat(15_000)}`)), undefined)
})
