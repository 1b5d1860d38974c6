import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import pixelmatch from 'pixelmatch'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { startPartsServer } from '../kit/console/parts-server.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/*
 * Every part of the console, as it looked when it was photographed last. With `POSTHORN_TEST_SCREENSHOTS=parts`, the pictures are
 * taken anew. Fonts and browsers draw letters differently: on a machine that has others than the one that took the pictures, the
 * styles of the parts are compared alone.
 */

const isTaking = process.env.POSTHORN_TEST_SCREENSHOTS === 'parts'
const folder = new URL('parts/', import.meta.url)
const now = new Date('2026-01-15T12:00:00.000Z')

/** The same letters are drawn alike each time, so that the smoothing of edges counts, too; the few pixels are for other processors. */
const exactly = { threshold: 0.1, includeAA: true }
const maxDifferent = 6

interface Box {
  readonly part: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The parts as they were seen: where they stand, how they are styled, and with what letters they were drawn. */
interface Seen {
  readonly letters: string
  readonly boxes: readonly Box[]
  readonly styles: readonly string[]
}

describe('the parts of the console', needsChromium, () => {
  let posthorn: Posthorn
  let server: Awaited<ReturnType<typeof startPartsServer>>
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    server = await startPartsServer(posthorn.url)
    if (isTaking) mkdirSync(folder, { recursive: true })
  })

  after(async () => {
    await browser?.close()
    await server?.stop()
    await posthorn?.stop()
  })

  async function open(width: number, colorScheme: 'light' | 'dark', place: string): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      locale: 'en',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.clock.setFixedTime(now)
    await page.goto(`${server.url}/console#/parts`)
    await page.locator('input[type=password]').fill(posthorn.adminKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Parts' }).waitFor()
    await page.goto(`${server.url}/console#/parts${place}`)
    return page
  }

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [360, 'light'],
    [360, 'dark'],
  ] as const)
    test(`look as they did, ${width} pixels wide, ${colorScheme}`, async (context) => {
      const page = await open(width, colorScheme, '')
      await page.evaluate('document.fonts.ready')
      await checkAccessibility(page)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
      const seen = { ...(await page.evaluate<Seen>(look)), browser: browser.version() }
      const picture = await page.screenshot({ fullPage: true, animations: 'disabled' })
      const name = `${width}-${colorScheme}`
      if (isTaking) await keep(name, seen, picture)
      else await compare(context, name, seen, picture)
      await page.context().close()
    })

  test('a dialog over them can be used by everyone', async () => {
    const page = await open(360, 'dark', '?open=dialog')
    const dialog = page.getByRole('dialog', { name: 'Remove the bakery' })
    await dialog.waitFor()
    await checkAccessibility(page)
    assert.ok(await dialog.getByRole('button', { name: 'Remove the bakery' }).isDisabled())
    await page.context().close()
  })

  test('are in no build: the server knows neither the screen nor its modules', async () => {
    const html = await (await fetch(`${posthorn.url}/console`)).text()
    const [files] = /console\/files\/[^/]+/.exec(html) ?? []
    const statusOf = async (path: string) =>
      (await fetch(`${posthorn.url}/${files}/web/console/${path}`)).status
    assert.equal(await statusOf('screens/overview/overview.ts'), 200)
    assert.equal(await statusOf('screens/parts/part-list.ts'), 404)
  })
})

async function keep(
  name: string,
  { boxes, styles, ...drawn }: Seen & { readonly browser: string },
  picture: Buffer,
): Promise<void> {
  writeFileSync(new URL(`${name}.webp`, folder), await packed(picture))
  const lines = [JSON.stringify(drawn), ...boxes.map((box) => JSON.stringify(box)), ...styles]
  writeFileSync(new URL(`${name}.txt`, folder), `${lines.join('\n')}\n`)
}

/** Compresses a picture without losing anything: each clone of the repository has it. */
async function packed(picture: Buffer): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  return sharp(picture).webp({ lossless: true, effort: 6 }).toBuffer()
}

async function unpacked(file: URL): Promise<PNG> {
  const { default: sharp } = await import('sharp')
  return PNG.sync.read(await sharp(readFileSync(file)).png().toBuffer())
}

async function compare(
  context: TestContext,
  name: string,
  { boxes, styles, ...drawn }: Seen & { readonly browser: string },
  picture: Buffer,
): Promise<void> {
  const file = new URL(`${name}.txt`, folder)
  assert.ok(existsSync(file), `there is no picture yet: ${howToTake}`)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const boxesThen = lines.filter((line) => line.startsWith('{"part"')).map((line) => JSON.parse(line) as Box)
  const stylesThen = lines.slice(1 + boxesThen.length)
  const changed = [
    ...stylesThen.filter((line) => !styles.includes(line)).map((line) => `- ${line}`),
    ...styles.filter((line) => !stylesThen.includes(line)).map((line) => `+ ${line}`),
  ]
  assert.deepEqual(changed, [], `parts are styled differently: ${howToTake}`)
  if (JSON.stringify(drawn) !== lines[0]) {
    context.diagnostic(
      'the letters are drawn otherwise here than in the pictures, so only styles were compared',
    )
    return
  }
  const then = await unpacked(new URL(`${name}.webp`, folder))
  const now = PNG.sync.read(picture)
  const different = boxes.filter((box) => {
    const before = boxesThen.find(({ part }) => part === box.part)
    if (!before || before.width !== box.width || before.height !== box.height) return true
    const [a, b] = [cut(then, before), cut(now, box)]
    const count = pixelmatch(a.data, b.data, undefined, a.width, a.height, exactly)
    return count > maxDifferent
  })
  if (different.length === 0 && boxes.length === boxesThen.length) return
  const shown = join(mkdtempSync(join(tmpdir(), 'parts-')), `${name}.png`)
  writeFileSync(shown, picture)
  const parts = different.map(({ part }) => part).join(', ')
  assert.fail(`these parts look different: ${parts}. See ${shown}. If that is right, ${howToTake}`)
}

const howToTake =
  'take the pictures anew with POSTHORN_TEST_SCREENSHOTS=parts node --test test/console/parts.test.ts, and look at them'

function cut(from: PNG, { x, y, width, height }: Box): PNG {
  const part = new PNG({ width, height })
  PNG.bitblt(from, part, x, y, width, height, 0, 0)
  return part
}

/** Runs in the page: measures each part, tells how everything in it is styled, and how letters are drawn here. */
const look = `(() => {
  const properties = ['color', 'background-color', 'border-top-color', 'border-top-width', 'border-inline-start-width',
    'border-start-start-radius', 'padding-block', 'padding-inline', 'gap', 'display', 'font-size', 'font-weight', 'min-height', 'opacity',
    'box-shadow', 'text-decoration-line']
  const usual = new Set(['0px', 'none', 'normal', 'auto', '1', '400', 'block', 'inline', 'rgba(0, 0, 0, 0)'])
  const nameOf = (element) => [element.localName, ...element.classList].join('.')
  // A value that the element has from the one around it, and the colour of a border that is none, say nothing.
  const isInherited = (element, name, value) =>
    (/^(color|font)/.test(name) && value === getComputedStyle(element.parentElement).getPropertyValue(name)) ||
    (name === 'border-top-color' && getComputedStyle(element).borderWidth === '0px')
  const parts = [...document.querySelectorAll('[data-part]')]
  const styles = new Set()
  for (const part of parts)
    for (const element of part.querySelectorAll(':not(svg *, option)')) {
      const style = getComputedStyle(element)
      const path = []
      for (let at = element; at !== part; at = at.parentElement) path.unshift(nameOf(at))
      styles.add(part.dataset.part + ' ' + path.slice(-3).join(' ') + ': ' + properties.map((name) => [name, style.getPropertyValue(name)])
        .filter(([name, value]) => !usual.has(value) && !isInherited(element, name, value)).map((pair) => pair.join(' ')).join('; '))
    }
  const canvas = document.createElement('canvas')
  const drawing = canvas.getContext('2d', { willReadFrequently: true })
  let letters = ''
  for (const face of ['--sans', '--mono']) {
    drawing.font = '14px ' + getComputedStyle(document.documentElement).getPropertyValue(face)
    drawing.clearRect(0, 0, 300, 150)
    drawing.fillText('Quartz jock, vex BMW: 0123', 2, 20)
    letters += [...drawing.getImageData(0, 0, 300, 40).data].reduce((sum, value) => (sum * 31 + value) >>> 0, 7).toString(36) + ' '
  }
  const boxes = parts.map((part) => {
    const { x, y, width, height } = part.getBoundingClientRect()
    return { part: part.dataset.part, x: Math.round(x), y: Math.round(y + scrollY), width: Math.round(width), height: Math.round(height) }
  })
  return { letters: letters.trim(), boxes, styles: [...styles].sort() }
})()`
