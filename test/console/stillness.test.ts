import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { sendMessageBatch } from '../../src/contract/operations/content-operations.ts'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A page that is read stands still, and answers at once, while much happens on the server. */

/** Layout shift that people do not notice (https://web.dev/articles/cls), by half. */
const maxShift = 0.05
/** Milliseconds that a script may take at once (https://www.w3.org/TR/longtasks-1/). */
const maxTask = 50

/** Notes shifts without a person's doing, and tasks that take long, from the beginning of each page. */
const watch = `
  globalThis.shift = 0
  globalThis.tasks = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.tasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })`

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

  for (const [place, content] of lists)
    test(`${place}: no task takes more than ${maxTask} milliseconds at 100 events a second`, async () => {
      const window = await visit(browser, posthorn)
      const { page } = window
      await page.addInitScript(watch)
      await page.goto('about:blank')
      await page.goto(`${posthorn.url}/console#/${place}`)
      await content(page).waitFor()
      // Another program on the machine may take the processor away: one round without is the proof.
      const rounds: number[][] = []
      for (let round = 0; round < 3 && rounds.at(-1)?.length !== 0; round++) {
        await page.evaluate('tasks.length = 0')
        for (let second = 0; second < 4; second++) {
          const messages = Array.from({ length: 25 }, (_, number) => ({
            ...{
              type: 'text',
              instance: 'shop',
              to: `ana${number}@reads.sandbox`,
              text: 'Your order is ready.',
            },
          }))
          await Promise.all([
            posthorn.admin.call(sendMessageBatch, { body: { messages: messages as never } }),
            setTimeout(1_000),
          ])
        }
        const tasks = await page.evaluate<number[]>('tasks')
        rounds.push(tasks.filter((duration) => duration > maxTask))
      }
      assert.deepEqual(rounds.at(-1), [], `tasks of ${JSON.stringify(rounds)} milliseconds`)
      window.checkFaults()
      await window.close()
    })
})
