import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* Conversations in the console: people of the sandbox who answer, one after the other. */

const hostile = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>'

describe('conversations in the console', needsChromium, () => {
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

  /** Somebody at a place of the console. */
  const at = (place: string, options: Parameters<typeof visit>[2] = {}) =>
    visit(browser, posthorn, { ...options, place })

  const write = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words }, 20)

  test('somebody is answered, and answers', async () => {
    await write('bob@replies.sandbox', 'Is it you? '.repeat(300))
    const { page, ...window } = await at('#/conversations')
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('link', { name: /bob@replies.sandbox.*Is it you\?/ }).click()
    const log = page.getByRole('log')
    const box = page.getByRole('textbox', { name: 'Message to bob@replies.sandbox' })
    await box.fill('One line')
    await box.press('Shift+Enter')
    await box.pressSequentially('and another')
    await box.press('Enter')
    const said = log.getByRole('listitem').filter({ hasText: 'One line' })
    await said.nth(1).waitFor()
    assert.match((await said.nth(0).textContent()) ?? '', /One line\nand another/)
    await said.nth(0).getByText('Delivered').waitFor()
    assert.equal(await box.inputValue(), '')
    assert.equal(await log.evaluate(isAtEnd), true, 'the newest is in view')
    window.checkFaults()
    await window.close()
  })

  test('a file is sent with its caption, and a received one can be saved', async () => {
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
    await page.getByRole('textbox').fill('Look at this')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const sent = page.getByRole('listitem').filter({ hasText: 'Look at this' }).first()
    await sent.getByRole('link', { name: /^Download .*\.html/ }).waitFor()
    await sent.getByText('Delivered').waitFor()
    assert.match(await page.title(), /^carl@/)
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
    assert.match(await page.title(), /^eve@/)
    assert.equal(await page.locator('main img').count(), 0)
    window.checkFaults()
    await window.close()
  })

  test('older messages are shown when they are asked for, without moving what is read', async () => {
    const to = 'gus@accepts.sandbox'
    for (let number = 1; number <= 55; number++)
      await text(posthorn.admin, { instance: 'shop', to, text: `Number ${number}.` })
    const { page, ...window } = await at(`#/conversations/shop/${to}`)
    await page.getByText('Number 55.', { exact: true }).waitFor()
    assert.equal(await page.getByText('Number 5.', { exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Show older messages' }).click()
    await page.getByText('Number 1.', { exact: true }).waitFor()
    assert.equal(await page.getByText('Number 6.', { exact: true }).isVisible(), true)
    assert.equal(await page.getByRole('button', { name: 'Show older messages' }).count(), 0)
    window.checkFaults()
    await window.close()
  })

  test('on a phone, the list and the thread are screens of their own', async () => {
    await write('bob@replies.sandbox', 'Is it you?')
    const { page, ...window } = await at('#/conversations', { width: 360, colorScheme: 'dark' })
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('link', { name: /bob@/ }).click()
    await page.getByRole('log').waitFor()
    assert.equal(await list.isVisible(), false)
    await page.getByRole('link', { name: 'Conversations' }).filter({ visible: true }).click()
    await list.waitFor()
    assert.equal(await page.getByRole('log').count(), 0)
    window.checkFaults()
    await window.close()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async () => {
      await write('bob@replies.sandbox', 'Is it you?')
      const { page, ...window } = await at('#/conversations', { width, colorScheme })
      for (const place of ['#/conversations', '#/conversations/shop/bob@replies.sandbox']) {
        await page.goto(`${posthorn.url}/console${place}`)
        await page.getByText('Is it you?').filter({ visible: true }).first().waitFor()
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
