import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* The reference that a server shows at `/docs`, as a reader sees it. */

/** Bytes that a first visit may load, compressed: the component is nearly all of them. */
const largestVisit = 1_500_000

describe('the reference in a browser', { ...needsChromium, timeout: 300_000 }, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
  })
  after(async () => {
    await browser?.close()
    await posthorn?.stop()
  })

  /** Texts of headings that are cut off because something stands where they should. */
  const cutHeadings = (page: Page) =>
    page.evaluate<
      string[]
    >(`[...document.querySelectorAll('#reference :is(h1, h2, h3)')].flatMap((heading) => {
      const box = heading.closest('button') ?? heading
      return box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1 ? [heading.textContent] : []
    })`)

  for (const [width, colorScheme, page_] of [
    [1280, 'light', 'rgb(248, 248, 246)'],
    [1280, 'dark', 'rgb(18, 18, 17)'],
    [360, 'light', 'rgb(248, 248, 246)'],
  ] as const)
    test(`has the colours of the console, and no heading under another text, at ${width} pixels, ${colorScheme}`, async () => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
      const page = await context.newPage()
      let loaded = 0
      page.on('response', async (response) => {
        const { responseBodySize } = await response.request().sizes()
        loaded += responseBodySize
      })
      page.setDefaultTimeout(120_000)
      await page.goto(`${posthorn.url}/docs`)
      await page.getByRole('heading', { name: 'First steps' }).waitFor()
      await page.locator('h2', { hasText: 'Authentication' }).first().waitFor()
      assert.deepEqual(await cutHeadings(page), [])
      const ground = `getComputedStyle(document.querySelector('#reference aside, #reference .references-navigation') ?? document.body).getPropertyValue('--page')`
      const resolved = `(() => { const probe = document.createElement('i'); probe.style.color = 'var(--page)'; document.body.append(probe); return getComputedStyle(probe).color })()`
      assert.notEqual(await page.evaluate(ground), '')
      assert.equal(await page.evaluate(resolved), page_)
      assert.ok(loaded > 500_000 && loaded < largestVisit, `${loaded} bytes are loaded`)
      await context.close()
    })
})
