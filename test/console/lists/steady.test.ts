import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { type Furnished, startFurnished } from '../../kit/console/furnished.ts'
import { isForOperator, linkTo, placesOf } from '../../kit/console/places.ts'
import { visit } from '../../kit/console/visit.ts'

/* A page holds still while it is loaded, however late the server answers. */

/** Largest layout shift of a screen, as browsers measure it for a visit (https://web.dev/articles/cls). */
const maxShift = 0.05
/** Milliseconds by which each answer of the API is late. */
const late = 500

interface Shift {
  readonly value: number
  readonly moved: readonly string[]
}

describe('no screen moves while it is loaded', needsChromium, () => {
  let furnished: Furnished
  let browser: Browser

  before(async () => {
    const words = ['Your order 4711 is on its way.', 'Do you deliver on Sundays?'] as const
    ;[furnished, browser] = await Promise.all([
      startFurnished({
        label: 'Bakery Ana',
        texts: words,
        caption: 'The cake for Saturday',
        filename: 'cake.png',
        reference: 'order-4711',
        answer: '{"error":"the shop is closed"}',
        page: '<!doctype html><title>Order</title><p>Two loaves of bread',
      }),
      startBrowser(),
    ])
  })

  after(async () => {
    await browser?.close()
    await furnished?.stop()
  })

  for (const width of [1280, 360])
    test(`at ${width} pixels, with answers that are ${late} milliseconds late`, async (t) => {
      const { posthorn, operatorToken, named } = furnished
      const moved: string[] = []
      for (const [key, isOperator] of [
        [posthorn.adminKey, false],
        [operatorToken, true],
      ] as const) {
        const window = await visit(browser, posthorn, { key, width })
        await watchShifts(window.context)
        await answerLate(window.context)
        for (const place of placesOf(named)) {
          if (isForOperator(place) !== isOperator) continue
          const { value, moved: what } = await shiftsOf(
            window.page,
            `${posthorn.url}/console${linkTo(place)}`,
          )
          t.diagnostic(`${place.name}: ${value.toFixed(3)}`)
          if (value > maxShift) moved.push(`${place.name}: ${value.toFixed(3)}\n  ${what.join('\n  ')}`)
        }
        await window.close()
      }
      assert.deepEqual(moved, [])
    })
})

async function answerLate(context: BrowserContext): Promise<void> {
  await context.route(/\/v1\//, async (route) => {
    await setTimeout(late)
    // The page that made the request may be gone.
    await route.continue().catch(() => {})
  })
}

/** Notes in each page what moves that no person moved. */
async function watchShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(`
    window.shifts = { value: 0, moved: [] }
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (hadRecentInput) continue
        shifts.value += value
        const nameOf = (node) => node?.outerHTML?.slice(0, 90) ?? String(node?.nodeName)
        for (const { node, previousRect: from, currentRect: to } of sources)
          shifts.moved.push([value.toFixed(3), nameOf(node), Math.round(from.y) + ' → ' + Math.round(to.y), Math.round(from.x) + ' → ' + Math.round(to.x)].join(' '))
      }
    }).observe({ type: 'layout-shift', buffered: true })`)
}

async function shiftsOf(page: Page, url: string): Promise<Shift> {
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('main:not(:has(.loading)) h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  // Twice: what the last answer brought is drawn in the first, and measured by the second.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  return page.evaluate<Shift>('shifts')
}
