import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { createLinkPage } from '../../../src/contract/operations/link-page-operations.ts'
import { needsChromium, openWindow, startBrowser } from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/** Screens by their width, as pages count it, and by their pixels for each pixel of a page. */
const screens = [
  { width: 360, density: 1 },
  { width: 360, density: 2.625 },
  { width: 1280, density: 1 },
  { width: 1280, density: 1.25 },
  { width: 1280, density: 2 },
]

describe('a QR code is drawn in whole pixels of the screen', { ...needsChromium, timeout: 180_000 }, () => {
  const name = 'shop'
  let posthorn: Posthorn
  before(async () => {
    posthorn = await startPosthorn({ environment: { POSTHORN_BASE_URL: 'https://posthorn.example' } })
    const settings = { link: 'qr', links_after_seconds: 3600, link_step_seconds: 3600 }
    await posthorn.admin.call(createInstance, {
      body: { name, network: 'sandbox', settings },
      waitSeconds: 20,
    })
  })
  after(() => posthorn?.stop())

  for (const { width, density } of screens)
    test(`${width} pixels wide, with ${density} for each of the page`, async () => {
      // A density that a window pretends to have is a picture that is stretched afterwards.
      const browser = await startBrowser([
        `--window-size=${width},800`,
        `--force-device-scale-factor=${density}`,
      ])
      try {
        await checkConsole(browser)
        await checkLinkPage(browser)
      } finally {
        await browser.close()
      }
    })

  async function checkConsole(browser: Browser): Promise<void> {
    const place = `#/instances/${name}`
    const { page, checkFaults, close } = await visit(browser, posthorn, { isPlain: true, place })
    await checkModules(page, '.link-picture')
    checkFaults()
    await close()
  }

  async function checkLinkPage(browser: Browser): Promise<void> {
    const { url } = (await posthorn.admin.call(createLinkPage, { params: { name }, body: {} })).body
    const { page, checkFaults, close } = await openWindow(browser, { url: posthorn.url, isPlain: true })
    await page.goto(url.replace('https://posthorn.example', posthorn.url))
    await page.getByRole('button', { name: 'I trust them, continue' }).click()
    await checkModules(page, '.qr')
    checkFaults()
    await close()
  }
})

/** Fails unless all modules that the screen shows have the same whole number of pixels, and the code fills what it can of its place. */
async function checkModules(page: Page, place: string): Promise<void> {
  const room = page.locator(place)
  await page.locator(`${place} img[width]`).waitFor()
  const read = async () => runsOf(PNG.sync.read(await room.screenshot()))
  const runs = await eventually('the code', read, ({ lengths }) => lengths.length > 0)
  // The three squares in the corners of every code have lines and gaps of one module.
  const module = Math.min(...runs.lengths)
  assert.deepEqual([...new Set(runs.lengths.map((length) => length % module))], [0], `modules of ${module}`)
  const box = (await room.boundingBox()) ?? assert.fail('nothing is shown')
  const density = await page.evaluate<number>('devicePixelRatio')
  const side = runs.width / module + 8
  // The element around it may have a frame of its own, of ten pixels at most.
  assert.ok((module + 1) * side > (box.width - 10) * density, `${module} pixels for each of ${side} modules`)
  assert.ok(module * side <= box.width * density, 'it is cut off')
}

/** The lengths of the runs of equal pixels in each row and column of a code, and how wide it is. */
function runsOf({ width, height, data }: PNG): { lengths: number[]; width: number } {
  const isDark = (x: number, y: number) => (data[(y * width + x) * 4] ?? 255) < 128
  const dark: { x: number; y: number }[] = []
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (isDark(x, y)) dark.push({ x, y })
  if (dark.length === 0) return { lengths: [], width: 0 }
  const [xs, ys] = [dark.map(({ x }) => x), dark.map(({ y }) => y)]
  const [left, right, top, bottom] = [least(xs), most(xs), least(ys), most(ys)]
  const lengths: number[] = []
  const along = (length: number, at: (step: number) => boolean) => {
    let began = 0
    for (let step = 1; step <= length; step++)
      if (step === length || at(step) !== at(began)) {
        lengths.push(step - began)
        began = step
      }
  }
  for (let y = top; y <= bottom; y++) along(right - left + 1, (x) => isDark(left + x, y))
  for (let x = left; x <= right; x++) along(bottom - top + 1, (y) => isDark(x, top + y))
  return { lengths, width: right - left + 1 }
}

const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b))
const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b))
