import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import jsqr from 'jsqr'
import { PNG } from 'pngjs'
import { LinkPictures, longestQrText } from './link-pictures.ts'

/** A QR text of WhatsApp in its longest form: a reference, three keys of 32 bytes in base64, and the kind of the client. */
function whatsappText(): string {
  const keys = [1, 2, 3].map(() => randomBytes(32).toString('base64'))
  return [`2@${randomBytes(72).toString('base64')}`, ...keys, '1'].join(',')
}

const wanted = (text: string, type = 'image/png', instanceId = 'inst_1') => ({
  organizationId: 'org_1',
  instanceId,
  text,
  type,
})

/** Reads a picture as a phone does; returns its text, and its width in pixels. */
function read(png: Uint8Array): { text: string | undefined; width: number } {
  const { data, width, height } = PNG.sync.read(Buffer.from(png))
  return { text: jsqr.default(new Uint8ClampedArray(data), width, height)?.data, width }
}

test('a PNG has the text, with a quiet zone of four modules and eight pixels for each module', async () => {
  const text = whatsappText()
  assert.ok(text.length >= 230, `${text.length} characters`)
  const png = await new LinkPictures().draw(wanted(text))
  const { data, width } = PNG.sync.read(Buffer.from(png))
  assert.equal(read(png).text, text)
  const isDark = (x: number, y: number) => data[(y * width + x) * 4] === 0
  assert.equal(width % 8, 0)
  for (let at = 0; at < width; at++) {
    assert.ok(!isDark(at, 31) && !isDark(31, at) && !isDark(width - 32, at) && !isDark(at, width - 32))
  }
  // The finder pattern in the corner: seven modules wide.
  const corner = Array.from({ length: 64 }, (_, x) => isDark(32 + x, 32))
  assert.deepEqual(corner, [...Array(56).fill(true), ...Array(8).fill(false)])
})

test('texts of any length up to the limit can be read from the picture', async () => {
  const pictures = new LinkPictures()
  for (const length of [1, 17, 100, 500, longestQrText]) {
    const text = randomBytes(length).toString('hex').slice(0, length)
    assert.equal(read(await pictures.draw(wanted(text))).text, text)
  }
  assert.equal(read(await pictures.draw(wanted('Grüße ☕'))).text, 'Grüße ☕')
})

test('an SVG has the same modules as the PNG', async () => {
  const pictures = new LinkPictures()
  const text = whatsappText()
  const svg = Buffer.from(await pictures.draw(wanted(text, 'image/svg+xml'))).toString()
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const pixels = new Uint8ClampedArray(side * side * 64 * 4).fill(255)
  for (const [, x, y, width] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let row = Number(y) * 8; row < Number(y) * 8 + 8; row++)
      pixels.fill(
        0,
        (row * side * 8 + Number(x) * 8) * 4,
        (row * side * 8 + (Number(x) + Number(width)) * 8) * 4,
      )
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255
  assert.equal(jsqr.default(pixels, side * 8, side * 8)?.data, text)
})

test('a text that is too long for a code is refused', async () => {
  const tooLong = 'x'.repeat(longestQrText + 1)
  await assert.rejects(new LinkPictures().draw(wanted(tooLong)), { code: 'not_acceptable' })
})

test('however many ask for the picture of a step, it is drawn once; the next step has another', async () => {
  const pictures = new LinkPictures()
  const [text, next] = [whatsappText(), whatsappText()]
  const drawn = await Promise.all(Array.from({ length: 1_000 }, () => pictures.draw(wanted(text))))
  assert.equal(new Set(drawn).size, 1)
  const followed = await pictures.draw(wanted(next))
  assert.equal(read(followed).text, next)
  assert.notEqual(await pictures.draw(wanted(text, 'image/png', 'inst_2')), drawn[0])
})

test('while hundreds of pictures are drawn, other work goes on between any two', async () => {
  const pictures = new LinkPictures()
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const drawn = Array.from({ length: 300 }, (_, at) =>
    pictures.draw(wanted(whatsappText(), 'image/png', `inst_${at}`)),
  )
  await Promise.all(drawn)
  isOver = true
  assert.ok(turns >= 300, `${turns} turns of the event loop`)
})
