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

  test('a conversation: what is drawn stays when older messages or a new one come', async () => {
    for (let part = 0; part < 4; part++) await write(50)
    const window = await visit(browser, posthorn, { place: '#/conversations/shop/eva@reads.sandbox' })
    const { page } = window
    const drawn = page.locator('.bubble')
    await drawn.nth(49).waitFor()
    for (const count of [100, 150]) {
      await mark(page)
      await readOlder(page)
      await drawn.nth(count - 1).waitFor()
      assert.equal(await marked(page), count - 50)
    }
    // No more than 150 are drawn: 50 give way to older ones.
    await mark(page)
    await readOlder(page)
    await page.locator('.bubble p', { hasText: /^Number 0$/ }).waitFor()
    assert.equal(await marked(page), 100)
    window.checkFaults()
    await window.close()

    const other = await visit(browser, posthorn, { place: '#/conversations/shop/eva@reads.sandbox' })
    await other.page.locator('.bubble').nth(49).waitFor()
    await mark(other.page)
    await text(posthorn.admin, { instance: 'shop', to: 'eva@reads.sandbox', text: 'One more' })
    await other.page.locator('.bubble', { hasText: 'One more' }).waitFor()
    assert.equal(await marked(other.page), 50)
    other.checkFaults()
    await other.close()
  })

  let written = 0
  /** Writes so many messages to one person. */
  async function write(count: number): Promise<void> {
    const messages = Array.from({ length: count }, () => ({
      ...{ type: 'text', instance: 'shop', to: 'eva@reads.sandbox', text: `Number ${written++}` },
    }))
    await posthorn.admin.call(sendMessageBatch, { body: { messages: messages as never } })
  }
})

/** Marks the elements of the messages that are drawn. */
const mark = (page: Page) =>
  page.evaluate(`for (const each of document.querySelectorAll('.bubble')) each.isMarked = true`)

/** The number of marked elements that are still there. */
const marked = (page: Page) =>
  page.evaluate<number>(`[...document.querySelectorAll('.bubble')].filter(({ isMarked }) => isMarked).length`)

/** Scrolls to the top, as a person does to press the button there. */
async function readOlder(page: Page): Promise<void> {
  await page.locator('.log').evaluate((log: { scrollTop: number }) => {
    log.scrollTop = 0
  })
  await page.getByRole('button', { name: 'Show older messages' }).click()
}
