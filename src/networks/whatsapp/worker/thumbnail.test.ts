import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import sharp from 'sharp'
import { thumbnailOf } from './thumbnail.ts'

function png(width: number, height: number): Buffer {
  const image = new PNG({ width, height })
  for (let at = 0; at < image.data.length; at++) image.data[at] = at % 251
  return PNG.sync.write(image)
}

for (const [width, height, shownWidth, shownHeight] of [
  [800, 600, 72, 54],
  [600, 800, 54, 72],
  [72, 72, 72, 72],
  [3, 2, 3, 2],
  [5000, 10, 72, 1],
] as const) {
  test(`an image of ${width} by ${height} has a small JPEG`, async () => {
    const thumbnail = (await thumbnailOf(png(width, height))) ?? assert.fail()
    assert.deepEqual([thumbnail.width, thumbnail.height], [width, height])
    assert.ok(thumbnail.jpeg.length <= 10 * 1024)
    const shown = await sharp(thumbnail.jpeg).metadata()
    assert.deepEqual([shown.format, shown.width, shown.height], ['jpeg', shownWidth, shownHeight])
    assert.equal(shown.exif, undefined)
  })
}

test('a photo that is stored on its side is shown upright', async () => {
  const photo = await sharp(png(400, 200)).jpeg().withMetadata({ orientation: 6 }).toBuffer()
  const thumbnail = (await thumbnailOf(photo)) ?? assert.fail()
  assert.deepEqual([thumbnail.width, thumbnail.height], [200, 400])
  const shown = await sharp(thumbnail.jpeg).metadata()
  assert.deepEqual([shown.width, shown.height, shown.orientation], [36, 72, undefined])
})

/** A PNG that says it has so many pixels, and has none of them. */
function announcing(width: number, height: number): Buffer {
  const bytes = png(1, 1)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

test('what is no whole JPEG or PNG has none', async () => {
  const jpeg = await sharp(png(300, 300)).jpeg().toBuffer()
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
  for (const bytes of [
    Buffer.alloc(0),
    randomBytes(1000),
    Buffer.from(svg),
    await sharp(png(9, 9)).webp().toBuffer(),
    await sharp(png(9, 9)).gif().toBuffer(),
    jpeg.subarray(0, jpeg.length / 2),
    announcing(60_000, 60_000),
    deflateSync(Buffer.alloc(1000)),
  ]) {
    assert.equal(await thumbnailOf(bytes), null)
  }
})

test('a small file that takes much to unpack has none: a million rows, or megabytes at once', async () => {
  const create = { width: 7_000, height: 7_000, channels: 3, background: '#123456' } as const
  assert.equal(await thumbnailOf(png(1, 70_000)), null)
  assert.equal(await thumbnailOf(await sharp({ create }).jpeg({ progressive: true }).toBuffer()), null)
  assert.notEqual(await thumbnailOf(await sharp({ create }).jpeg().toBuffer()), null)
})
