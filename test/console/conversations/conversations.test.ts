import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { type Hand, keyboard, ways } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Conversations in the console: people of the sandbox who answer, one after the other. */

const hostile = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>'

describe('conversations in the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    // With what he answers, more than one page.
    for (let number = 1; number <= 35; number++) await write('bob@replies.sandbox', `Number ${number}.`)
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  /** A person at a place of the console. */
  const at = (place: string, options: Parameters<typeof visit>[2] = {}) =>
    visit(browser, posthorn, { ...options, place })

  const write = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words }, 20)

  async function answer(page: Page, hand: Hand, words: string): Promise<void> {
    await hand.enter(page.getByRole('textbox', { name: /^Message to/ }), words)
    await hand.press(page.getByRole('button', { name: 'Send', exact: true }))
  }

  for (const [at, way] of ways.entries())
    test(`somebody is answered with a text and a file, and answers, ${way.name}`, async () => {
      const { page, ...window } = await visit(browser, posthorn, way.window)
      const hand = way.on(page)
      const list = page.getByRole('navigation', { name: 'Conversations' })
      const log = page.getByRole('log')
      const open = () => hand.press(list.getByRole('link', { name: /bob@replies.sandbox/ }))
      await hand.goTo('Conversations')
      await open()
      await log.getByText('Number 35.').nth(1).waitFor()
      assert.equal(await log.evaluate(isAtEnd), true, 'the newest is in view')
      if (way === keyboard) await hand.press(page.getByRole('link', { name: 'Skip to your answer' }))
      const box = page.getByRole('textbox', { name: 'Message to Bob' })
      await answer(page, hand, `Good morning ${at}`)
      const said = log.getByRole('listitem').filter({ hasText: `Good morning ${at}` })
      await said.nth(1).waitFor()
      await said.nth(0).getByText('Delivered').waitFor()
      assert.equal(await box.inputValue(), '')
      assert.equal(await log.evaluate(isAtEnd), true, 'the newest is in view')

      const file = { name: `order-${at}.txt`, mimeType: 'text/plain', buffer: Buffer.from('4711: 12 EUR') }
      await hand.attach(page.getByLabel('Attach a file'), file)
      await hand.press(page.getByRole('button', { name: `Remove ${file.name}` }))
      await hand.attach(page.getByLabel('Attach a file'), file)
      await answer(page, hand, `The order ${at}`)
      const sent = log
        .getByRole('listitem')
        .filter({ hasText: `The order ${at}` })
        .first()
      await sent.getByText('Delivered').waitFor()
      const saving = page.waitForEvent('download')
      await hand.press(sent.getByRole('link', { name: `Download ${file.name}` }))
      assert.equal((await saving).suggestedFilename(), file.name)

      // On a phone, the list and the thread are screens of their own.
      assert.equal(await list.isVisible(), !way.window.isPhone)
      await hand.press(page.getByRole('main').getByRole('link', { name: 'Conversations', exact: true }))
      await log.waitFor({ state: 'detached' })
      await list.getByText(`The order ${at}`).waitFor()
      await open()
      await sent.waitFor()
      assert.equal(await log.getByText('Number 1.').count(), 0)
      await hand.press(log.getByRole('button', { name: 'Show older messages' }))
      await log.getByText('Number 1.').first().waitFor()
      await log.getByRole('button', { name: 'Show older messages' }).waitFor({ state: 'detached' })
      if (way === keyboard) assert.ok(await log.evaluate(hasFocus), 'the next Tab is beyond the messages')
      else {
        await answer(page, hand, `From further up ${at}`)
        await log.getByText(`From further up ${at}`).nth(1).waitFor()
        assert.equal(await log.evaluate(isAtEnd), true, 'what was just sent is in view')
      }
      const oldest = log.getByRole('listitem').first()
      await hand.press(oldest.getByRole('button', { name: /^What to do with/ }))
      await hand.press(oldest.getByRole('link', { name: 'Details', exact: true }))
      await page.getByRole('heading', { level: 1, name: /^(To|From) / }).waitFor()
      await page.getByText('Number 1.', { exact: true }).waitFor()
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('a file is sent with its caption, what is begun meanwhile stays, and a received one can be saved', async () => {
    await write('carl@shares-by-reference.sandbox', 'What is in the file')
    const { page, ...window } = await at('#/conversations/shop/carl@shares-by-reference.sandbox')
    const saving = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download message.txt' }).click()
    assert.equal((await saving).suggestedFilename(), 'message.txt')
    await page.getByLabel('Attach a file').setInputFiles({
      name: `${hostile.replaceAll('/', '')}.html`,
      mimeType: 'text/html',
      buffer: Buffer.from(`<script>document.title = 3</script>`),
    })
    const box = page.getByRole('textbox')
    await box.fill('Look at this')
    const sending = Promise.withResolvers<void>()
    await page.route('**/v1/messages/media/upload', async (route) => {
      await sending.promise
      await route.fallback()
    })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await box.press('End')
    await box.pressSequentially(' and at that')
    sending.resolve()
    const sent = page.getByRole('listitem').filter({ hasText: 'Look at this' }).first()
    await sent.getByRole('link', { name: /^Download .*\.html/ }).waitFor()
    await sent.getByText('Delivered').waitFor()
    assert.equal(await box.inputValue(), ' and at that')
    assert.match(await page.title(), /^Carl/)
    window.checkFaults()
    await window.close()
  })

  test('the list shows who writes, and what strangers write is only ever text', async () => {
    await write('dora@delivers.sandbox', 'First')
    const { page, ...window } = await at('#/conversations')
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByText('You: First').waitFor()
    await write('eve@replies.sandbox', hostile)
    const first = list.getByRole('listitem').first()
    await first.getByText(hostile, { exact: true }).waitFor()
    await first.getByRole('link').hover()
    await write('finn@delivers.sandbox', 'Later')
    const show = list.getByRole('button', { name: 'Show 1 new conversation' })
    await show.waitFor()
    await first.getByText('eve@replies.sandbox').waitFor()
    await show.click()
    await list.getByText('finn@delivers.sandbox').waitFor()
    await list.getByRole('link', { name: /eve@/ }).click()
    await page.getByRole('log').getByText(hostile, { exact: true }).first().waitFor()
    assert.match(await page.title(), /^Eve/)
    assert.equal(await page.locator('main img:not(.avatar *)').count(), 0)
    window.checkFaults()
    await window.close()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async () => {
      const { page, ...window } = await at('#/conversations', { width, colorScheme })
      for (const place of ['#/conversations', '#/conversations/shop/bob@replies.sandbox']) {
        await page.goto(`${posthorn.url}/console${place}`)
        await page
          .getByText(/The order \d/)
          .filter({ visible: true })
          .first()
          .waitFor()
        await checkAccessibility(page)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, place)
      }
      window.checkFaults()
      await window.close()
    })
  }
})

const isAtEnd = (log: { scrollHeight: number; clientHeight: number; scrollTop: number }) =>
  log.scrollHeight - log.clientHeight - log.scrollTop < 2

const hasFocus = (element: { matches(selector: string): boolean }) => element.matches(':focus-within')
