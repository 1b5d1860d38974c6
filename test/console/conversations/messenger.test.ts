import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { keyboard } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The ways that people know from messengers: search and filters, what is unread, drafts, topics, and the keys. */

const token = 'the token of the shop'

describe('conversations as a messenger', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  let callbackUrl: string

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    const { body } = await posthorn.admin.call(createInstance, {
      body: { name: 'shop', network: 'sandbox', settings: {}, credentials: { token } },
      waitSeconds: 20,
    })
    callbackUrl = new URL(String(body.callback_url), posthorn.url).href
    await says('ana@delivers.sandbox', 'Is there rye bread?', { sender: named('ana', 'Ana Lima') })
    await says('bia@delivers.sandbox', 'Thank you', { sender: named('bia', 'Bia Souza') })
    await text(posthorn.admin, { instance: 'shop', to: 'team@group.sandbox', text: 'We open at seven.' }, 20)
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const named = (name: string, shown: string) => ({
    ...{ address: `${name}@delivers.sandbox`, name: shown, username: null },
  })

  /** A person writes to the account. */
  async function says(from: string, words: string, content: object = {}): Promise<void> {
    const body = JSON.stringify({ from, text: words, content })
    const signature = createHmac('sha256', token).update(body).digest('hex')
    const headers = { 'x-sandbox-signature': `sha256=${signature}` }
    const { status } = await fetch(callbackUrl, { method: 'POST', headers, body })
    assert.equal(status, 200)
    await eventually(
      'the message to have come',
      () => everythingReceived(posthorn.admin, 'shop'),
      (all) => all.some((message) => message.from === from && message.text === words),
    )
  }

  const at = (place: string) => visit(browser, posthorn, { place })
  const listIn = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })
  const fieldIn = (page: Page) => page.getByRole('textbox', { name: /^Message to/ })

  test('people, texts, groups and what is unread are found, and the link keeps it', async () => {
    const { page, ...window } = await at('#/conversations')
    const list = listIn(page)
    const rows = list.locator('li strong')
    await list.getByText('Ana Lima').waitFor()
    const search = page.getByRole('searchbox', { name: 'Person or text' })
    await search.fill('lima')
    await list.getByText('Bia Souza').waitFor({ state: 'detached' })
    await list.getByText('Ana Lima').waitFor()
    await search.fill('rye')
    await list.getByRole('heading', { name: 'Messages with these words' }).waitFor()
    await list.getByRole('link', { name: /Is there rye bread/ }).waitFor()
    await page.waitForURL(/q=rye/)
    await checkAccessibility(page)
    await page.reload()
    await list.getByRole('link', { name: /Is there rye bread/ }).waitFor()
    assert.equal(await search.inputValue(), 'rye')
    await search.fill('')
    const show = (name: string) => page.getByRole('button', { name, exact: true })
    await list.getByText('Ana Lima').waitFor()
    await show('Groups').click()
    await list.getByText('Ana Lima').waitFor({ state: 'detached' })
    assert.deepEqual(await rows.allTextContents(), ['team@group.sandbox'])
    await show('Unread').click()
    await list.getByText('Bia Souza').waitFor()
    assert.equal(await rows.filter({ hasText: 'team@' }).count(), 0)
    await page.goBack()
    await list.getByText('team@group.sandbox').first().waitFor()
    assert.equal(await show('Groups').getAttribute('aria-pressed'), 'true')
    window.checkFaults()
    await window.close()
  })

  test('the arrows walk through the list, Enter opens, and Escape leads back to the row', async () => {
    const { page, ...window } = await at('#/conversations')
    const hand = keyboard.on(page)
    const list = listIn(page)
    await list.getByText('Ana Lima').waitFor()
    const links = list.getByRole('link')
    await links.first().focus()
    await page.keyboard.press('ArrowDown')
    assert.equal(await links.nth(1).evaluate(isFocused), true)
    await page.keyboard.press('ArrowUp')
    assert.equal(await links.nth(0).evaluate(isFocused), true)
    await page.keyboard.press('ArrowDown')
    const name = String(await links.nth(1).locator('strong').textContent())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await fieldIn(page).focus()
    await page.keyboard.type('Begun')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor()
    assert.equal(await links.filter({ hasText: name }).evaluate(isFocused), true)
    await hand.rest()
    await page.keyboard.press('Enter')
    await page.getByRole('log').waitFor()
    assert.equal(await fieldIn(page).inputValue(), 'Begun', 'what was begun is kept')
    await fieldIn(page).fill('')
    window.checkFaults()
    await window.close()
  })

  test('who comes by mouse writes at once; a line stands above what was unread', async () => {
    await says('cleo@delivers.sandbox', 'Good morning')
    await says('cleo@delivers.sandbox', 'Are you open?')
    const { page, ...window } = await at('#/conversations')
    await listIn(page).getByRole('link', { name: /cleo@/ }).click()
    const line = page.getByRole('log').locator('.unread-line')
    await line.getByText('2 unread').waitFor()
    assert.match(String(await page.getByRole('log').locator('ol').textContent()), /^2 unread.*Good morning/)
    await fieldIn(page).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('We are.')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('We are.').waitFor()
    await line.waitFor({ state: 'detached' })
    window.checkFaults()
    await window.close()
  })

  test('what comes while a person reads above moves nothing, and a button says how much it is', async () => {
    const who = 'dora@delivers.sandbox'
    for (let number = 1; number <= 30; number++)
      await text(posthorn.admin, { instance: 'shop', to: who, text: `Number ${number}.` })
    const { page, ...window } = await at(`#/conversations/shop/${who}`)
    const log = page.getByRole('log')
    await log.getByText('Number 30.').waitFor()
    await log.evaluate((element) => element.scrollTo(0, 0))
    const first = log.locator('.bubble').first()
    const place = () => first.evaluate((element) => Math.round(element.getBoundingClientRect().top))
    const before = await place()
    for (const words of ['One', 'Two']) await says(who, words)
    const newer = log.getByRole('button', { name: 'Show 2 newer messages' })
    await newer.waitFor()
    assert.equal(await place(), before)
    await checkAccessibility(page)
    await newer.click()
    await newer.waitFor({ state: 'detached' })
    await eventually(
      'the end to be in view',
      () =>
        log.evaluate(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop),
      (distance) => distance < 2,
    )
    window.checkFaults()
    await window.close()
  })

  test('what is written goes into the topic of the newest message, of the answered one, or into another', async () => {
    const who = 'eli@delivers.sandbox'
    await says(who, 'About bread', { topic: { id: '7', name: 'Bread' } })
    await says(who, 'About cakes', { topic: { id: '8', name: 'Cakes' } })
    const { page, ...window } = await at(`#/conversations/shop/${who}`)
    const log = page.getByRole('log')
    const topic = page.getByRole('combobox', { name: 'Topic' })
    await topic.waitFor()
    const chosen = () => topic.evaluate((select) => String(select.selectedOptions[0]?.label))
    assert.equal(await chosen(), 'Cakes')
    const send = async (words: string) => {
      await fieldIn(page).fill(words)
      await fieldIn(page).press('Enter')
      await log.locator('.bubble.outbound').filter({ hasText: words }).getByText('Delivered').waitFor()
    }
    await send('To the newest')
    await topic.selectOption({ label: 'Bread' })
    await send('To another')
    const asked = log.locator('.bubble').filter({ hasText: 'About cakes' })
    await asked.hover()
    await asked.getByRole('button', { name: /^What to do with/ }).click()
    await asked.getByRole('button', { name: 'Reply', exact: true }).click()
    assert.equal(await chosen(), 'Cakes')
    await send('An answer')
    const query = { instance: 'shop', conversation: who, direction: 'outbound' as const }
    const { data } = (await posthorn.admin.call(listMessages, { query })).body
    assert.deepEqual(
      data.map(({ text: words, topic }) => `${words}: ${topic?.id}`),
      ['An answer: 8', 'To another: 7', 'To the newest: 8'],
    )
    await checkAccessibility(page)
    await page.goto(`${posthorn.url}/console#/send?instance=shop&to=${who}`)
    const field = page.getByLabel('Topic', { exact: true })
    await field.focus()
    await page.locator('datalist option[value="7"][label="Bread"]').waitFor({ state: 'attached' })
    await checkAccessibility(page)
    await field.fill('7')
    await page.getByLabel('Text', { exact: true }).fill('From the form')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'Your message' }).getByText('Delivered').first().waitFor()
    const [newest] = (await posthorn.admin.call(listMessages, { query })).body.data
    assert.equal(`${newest?.text}: ${newest?.topic?.id}`, 'From the form: 7')
    window.checkFaults()
    await window.close()
  })
})

const isFocused = (element: { matches(selector: string): boolean }) => element.matches(':focus')
