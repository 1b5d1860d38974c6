import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { startTcpProxy } from '../kit/far-ends/tcp-proxy.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A tab of the console that stays open for days beside a busy gateway. */

/** Messages that come for one person, and for others: each makes three events. */
const flood = 550
/** Messages that come before the page has taken in the ones before. */
const block = 50
/** Rows that a list may hold: a page, some hundreds more, and those that come with a single look at the stream. */
const maxRows = 450

describe('a tab that stays open', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const write = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words })

  /** Texts to one person, and as many to others, no faster than the page takes them in, with the last of each at the end. */
  async function writeMany(name: string, list: Locator): Promise<void> {
    for (let number = 0; number < flood; number += block) {
      const numbers = Array.from({ length: block }, (_, at) => number + at)
      const words = (each: number) => `${name} ${each} `.repeat(20)
      await Promise.all(
        numbers.flatMap((each) => [
          write('bob@delivers.sandbox', words(each)),
          write(`${name}-${each}@delivers.sandbox`, words(each)),
        ]),
      )
      await write('bob@delivers.sandbox', `So far ${number} of ${name}`)
      await list.getByText(`So far ${number} of ${name}`).waitFor()
    }
    await write(`${name}-last@delivers.sandbox`, `The last of ${name}`)
    await write('bob@delivers.sandbox', `The last of ${name}`)
  }

  test('holds only so much of what came, and says that there is more', async () => {
    await write('bob@delivers.sandbox', 'The first')
    const window = await visit(browser, posthorn, { place: '#/conversations/shop/bob@delivers.sandbox' })
    const { page } = window
    const list = page.getByRole('navigation', { name: 'Conversations' })
    const log = page.getByRole('log')
    await log.getByText('The first').waitFor()
    await page.evaluate(watchRows)
    await writeMany('morning', list)
    await log.getByText('The last of morning').waitFor()
    await list.getByText('morning-last@').waitFor()
    assert.ok((await log.getByRole('listitem').count()) <= maxRows)
    const early = await held(page)

    // A person reads further up, and points at the list.
    await log.getByText('Show older messages').scrollIntoViewIfNeeded()
    // A request of the page that is under way may still be answered.
    await log.getByText('Loading…').waitFor({ state: 'detached' })
    const read = log.locator('li.bubble').first()
    const which = await read.getAttribute('id')
    await list.getByRole('link').first().hover()
    await writeMany('evening', list)
    await list.getByText('The last of evening').waitFor()
    const newer = log.getByRole('button', { name: /^Show \d{3} newer messages$/ })
    const others = list.getByRole('button', { name: /^Show \d{3} new conversations$/ })
    await newer.waitFor()
    await others.waitFor()
    assert.equal(await read.getAttribute('id'), which, 'what is read stays')
    const late = await held(page)
    assert.ok(late.heap - early.heap < 5e6, `the page grew from ${early.heap} to ${late.heap} bytes`)
    assert.ok(late.nodes - early.nodes < 5_000, `the page grew from ${early.nodes} to ${late.nodes} nodes`)
    // The page shows them by itself if a click scrolls to the end first.
    await newer.dispatchEvent('click')
    await log.getByText('The last of evening').waitFor()
    await others.click()
    await list.getByText('evening-last@').waitFor()
    const most = await page.evaluate<{ list: number; log: number }>('window.mostRows')
    assert.ok(most.list <= maxRows && most.log <= maxRows, JSON.stringify(most))
    window.checkFaults()
    await window.close()
  })

  test('asks for what it missed after a moment, and for the state of things after a night', async (t) => {
    const proxy = await startTcpProxy({ port: Number(new URL(posthorn.url).port) })
    t.after(() => proxy.stop())
    const url = `http://127.0.0.1:${proxy.port}`
    const window = await visit(browser, { ...posthorn, url }, { place: '#/conversations' })
    const { page } = window
    const list = page.getByRole('navigation', { name: 'Conversations' })
    /** The streams that were asked for, each with what its request said. */
    const streams = () => proxy.arrived('to-server').match(/GET \/v1\/events\S* HTTP[\s\S]*?\r\n\r\n/g) ?? []
    const isContinued = (request = '') => /^last-event-id:|[?&]after=/im.test(request)
    /** Breaks the stream, for so long by the clock of the page, and resolves with the streams that were asked for by then. */
    const breakFor = async (hours: number, name: string) => {
      proxy.hold('to-client')
      await write(`${name}@delivers.sandbox`, 'Are you there?')
      await page.evaluate(
        `{ const now = Date.now.bind(Date); Date.now = () => now() + ${hours} * 3_600_000 }`,
      )
      proxy.cut()
      await list.getByText(`${name}@`).waitFor()
      return streams().filter((request) => /text\/event-stream/.test(request))
    }
    // The first may come with what is read, the second only over the stream.
    for (const name of ['carl', 'dora']) {
      await write(`${name}@delivers.sandbox`, 'Good morning')
      await list.getByText(`${name}@`).waitFor()
    }
    const [, second, ...none] = await breakFor(0, 'eve')
    assert.deepEqual([isContinued(second), none], [true, []])
    assert.equal(isContinued((await breakFor(8, 'finn')).at(-1)), false)
    await window.close()
  })
})

/** Notes how many rows there ever were at once. */
const watchRows = `window.mostRows = { list: 0, log: 0 }
  const note = (name, rows) => window.mostRows[name] = Math.max(window.mostRows[name], document.querySelectorAll(rows).length)
  new MutationObserver(() => {
    note('list', 'main nav li')
    note('log', '[role=log] li')
  }).observe(document.body, { childList: true, subtree: true })`

/** Measures the page after a garbage collection: bytes of its heap, and nodes. */
async function held(page: Page): Promise<{ heap: number; nodes: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  return { heap: usedSize, nodes }
}
