import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { sendMessageBatch } from '../../../src/contract/operations/content-operations.ts'
import { needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Long conversations, and many of them: the page stays small, and everything can be reached. */

/** Messages, and conversations, of which there are more than a page draws. */
const many = 400
const maxDrawn = 300

describe('many conversations and messages', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    await send((number) => ({ to: 'bob@accepts.sandbox', text: `Number ${number}.` }))
    await send((number) => ({ to: `person-${number}@accepts.sandbox`, text: 'Hello' }))
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  async function send(messageOf: (number: number) => { readonly to: string; readonly text: string }) {
    for (let first = 1; first <= many; first += 100) {
      const messages = Array.from({ length: 100 }, (_, at) => ({
        ...{ type: 'text' as const, instance: 'shop' },
        ...messageOf(first + at),
      }))
      await posthorn.admin.call(sendMessageBatch, { body: { messages } })
    }
  }

  test('a long conversation is read to its beginning and back, and only a part of it is drawn', async () => {
    const place = '#/conversations/shop/bob@accepts.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const log = page.getByRole('log')
    const drawn = () => log.locator('.bubble').count()
    const exactly = (words: string) => log.getByText(words, { exact: true })
    await exactly(`Number ${many}.`).waitFor()
    const older = log.getByRole('button', { name: 'Show older messages' })
    const oldest = () => log.locator('.bubble').first().getAttribute('id')
    while ((await older.or(log.getByText('Loading…')).count()) > 0) {
      const before = await oldest()
      // A press while the thread is being read anew does nothing.
      await older.click({ timeout: 5_000 }).catch(() => {})
      await eventually('older ones', oldest, (id) => id !== before, 5_000).catch(() => {})
      assert.ok((await drawn()) <= maxDrawn)
    }
    await exactly('Number 1.').waitFor()
    assert.equal(await exactly(`Number ${many}.`).count(), 0)
    for (let rounds = 0; (await exactly(`Number ${many}.`).count()) === 0; rounds++) {
      assert.ok(rounds < 50, 'the newest is reached by scrolling')
      await log.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      assert.ok((await drawn()) <= maxDrawn)
    }
    window.checkFaults()
    await window.close()
  })

  test('the list is read to its end and back, and only a part of it is drawn', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/conversations' })
    const list = page.getByRole('navigation', { name: 'Conversations' })
    const row = (name: string): Locator => list.getByText(name, { exact: true }).first()
    await row(`person-${many}@accepts.sandbox`).waitFor()
    const more = list.getByRole('button', { name: 'Show more' })
    for (let read = 50; read < many + 1; read += 50) {
      await list
        .getByRole('link')
        .nth(Math.min(read, maxDrawn) - 1)
        .waitFor()
      const last = String(await list.getByRole('link').last().getAttribute('href'))
      await more.click()
      await eventually(
        'the next page',
        () => list.getByRole('link').last().getAttribute('href'),
        (href) => href !== last,
      )
      assert.ok((await list.getByRole('link').count()) <= maxDrawn)
    }
    const below = 'document.documentElement.scrollHeight - innerHeight'
    assert.equal(await page.evaluate(below), 0, 'only the list scrolls, not the page into nothing')
    await row('bob@accepts.sandbox').waitFor()
    assert.equal(await row(`person-${many}@accepts.sandbox`).count(), 0)
    const newer = list.getByRole('button', { name: 'Show newer conversations' })
    while ((await newer.count()) > 0) await newer.click()
    await row(`person-${many}@accepts.sandbox`).waitFor()
    window.checkFaults()
    await window.close()
  })

  test('the list of messages is read to its end and back, and only a part of it is drawn', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/messages' })
    const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr')
    const newest = rows.filter({ hasText: `person-${many}@accepts.sandbox` })
    await newest.waitFor()
    const last = () => rows.last().getAttribute('data-key')
    const more = page.getByRole('button', { name: 'Show more' })
    while ((await more.or(page.getByText('Loading…')).count()) > 0) {
      const before = await last()
      await more.click({ timeout: 5_000 }).catch(() => {})
      await eventually('the next page', last, (id) => id !== before, 5_000).catch(() => {})
      assert.ok((await rows.count()) <= maxDrawn)
    }
    await rows.getByText('Number 1.', { exact: true }).waitFor()
    assert.equal(await newest.count(), 0)
    const newer = page.getByRole('button', { name: 'Show newer messages' })
    while ((await newer.count()) > 0) await newer.click()
    await newest.waitFor()
    assert.ok((await rows.count()) <= maxDrawn)
    window.checkFaults()
    await window.close()
  })

  // The last one, because it writes to a person who is far down the lists.
  test('a message that was found opens in its place, with older and newer ones around it', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/conversations' })
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().waitFor()
    await page.getByRole('searchbox').fill('Number 137.')
    await page.getByRole('link', { name: 'Number 137.' }).click()
    const log = page.getByRole('log')
    const sought = log.locator('.bubble[aria-current=true]')
    await sought.getByText('Number 137.', { exact: true }).waitFor()
    for (const number of [132, 136, 138, 142])
      await log.getByText(`Number ${number}.`, { exact: true }).waitFor()
    assert.ok((await log.locator('.bubble').count()) <= maxDrawn)
    const isInView = () =>
      sought.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        const around = element.closest('.log').getBoundingClientRect()
        return top >= around.top && bottom <= around.bottom && element.matches(':focus')
      })
    await eventually('it to be in view', isInView, Boolean)
    await posthorn.admin.call(sendMessageBatch, {
      body: {
        messages: [{ type: 'text', instance: 'shop', to: 'bob@accepts.sandbox', text: 'News' }],
      },
    })
    await page.getByRole('button', { name: 'Show 1 newer message' }).waitFor()
    assert.ok(await isInView(), 'what comes meanwhile moves nothing')
    await page.getByRole('button', { name: 'Show 1 newer message' }).click()
    await log.getByText('News', { exact: true }).waitFor()
    window.checkFaults()
    await window.close()
  })
})
