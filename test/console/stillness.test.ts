import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { sendMessageBatch } from '../../src/contract/operations/content-operations.ts'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { tasksDuring } from '../kit/console/tasks.ts'
import { visit } from '../kit/console/visit.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A page that is read stands still, and answers at once, while much happens on the server. */

/** Layout shift that people do not notice (https://web.dev/articles/cls), by half. */
const maxShift = 0.05
/** Milliseconds of the processor that a task may take (https://www.w3.org/TR/longtasks-1/). */
const maxTask = 50

/** Notes shifts without a person's doing, from the beginning of each page. */
const watch = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

const places = [
  ['overview', (page: Page) => page.locator('.traffic svg')],
  ['charts', (page: Page) => page.locator('canvas').first()],
] as const

/** Lists that follow what happens. */
const lists = [
  ...places,
  ['messages', (page: Page) => page.locator('tbody tr').first()],
  ['conversations', (page: Page) => page.locator('.conversation-list li').first()],
  ['events', (page: Page) => page.locator('tbody tr').first()],
  ['instances', (page: Page) => page.locator('tbody tr').first()],
] as const

describe('overview, charts and lists', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    await create(posthorn.admin, 'refused', { behaviour: 'refuses_credentials' })
    await text(posthorn.admin, { instance: 'shop', to: 'dora@refuses.sandbox' })
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  for (const [place, content] of places)
    for (const width of [1280, 360])
      test(`${place}: nothing moves while it is read, at ${width} pixels`, async () => {
        const window = await visit(browser, posthorn, { width })
        const { page } = window
        await page.addInitScript(watch)
        await page.goto('about:blank')
        await page.goto(`${posthorn.url}/console#/${place}`)
        await content(page).waitFor()
        // Two frames: what was read is drawn.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        const shift = await page.evaluate<number>('shift')
        assert.ok(shift <= maxShift, `it moved by ${shift}`)
        window.checkFaults()
        await window.close()
      })

  /** A hundred events a second, for some seconds. */
  async function sendMuch(): Promise<void> {
    for (let second = 0; second < 4; second++) {
      const messages = Array.from({ length: 25 }, (_, number) => ({
        ...{ type: 'text', instance: 'shop', to: `ana${number}@reads.sandbox`, text: 'Your order is ready.' },
      }))
      await Promise.all([
        posthorn.admin.call(sendMessageBatch, { body: { messages: messages as never } }),
        setTimeout(1_000),
      ])
    }
  }

  for (const [place, content] of lists)
    test(`${place}: no task takes more than ${maxTask} milliseconds at 100 events a second`, async () => {
      const window = await visit(browser, posthorn, { place: `#/${place}` })
      const { page } = window
      await content(page).waitFor()
      // The code of the page is compiled then, as it is after a while.
      await sendMuch()
      const tasks = await tasksDuring(browser, page, sendMuch)
      assert.deepEqual(
        tasks.filter((duration) => duration > maxTask),
        [],
      )
      window.checkFaults()
      await window.close()
    })
})
