import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator } from 'playwright-core'
import { listConversations } from '../../../src/contract/operations/conversation-operations.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
import { eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* People in the conversations of the console: their pictures, what they are doing, and what they want. */

const token = 'the token of the shop'

describe('people in conversations', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  let callbackUrl: string

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    const { body } = await posthorn.admin.call(createInstance, {
      body: {
        ...{ name: 'shop', network: 'sandbox', settings: {}, credentials: { token } },
        ...{ stop_words: ['stop'], start_words: ['start'] },
      },
      waitSeconds: 20,
    })
    callbackUrl = new URL(String(body.callback_url), posthorn.url).href
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const write = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words }, 20)

  /** A person writes to the account. */
  async function says(from: string, words: string, name?: string): Promise<void> {
    const content = name ? { sender: { address: from, name, username: null } } : undefined
    const body = JSON.stringify({ from, text: words, ...(content && { content }) })
    const signature = createHmac('sha256', token).update(body).digest('hex')
    const headers = { 'x-sandbox-signature': `sha256=${signature}` }
    const { status } = await fetch(callbackUrl, { method: 'POST', headers, body })
    assert.equal(status, 200)
    // A page that is opened before it has come shows a button for it instead.
    await eventually(
      'the message to have come',
      () => everythingReceived(posthorn.admin, 'shop'),
      (messages) => messages.some((message) => message.from === from && message.text === words),
    )
  }

  test('the pictures of people are shown, and initials of those who show none', async () => {
    await write('rita@refuses.sandbox', 'Good morning')
    await says('rita@refuses.sandbox', 'Good morning', 'Rita Souza')
    await says('ana@delivers.sandbox', 'Good morning', 'Ana Lima')
    const { page, ...window } = await visit(browser, posthorn, { place: '#/conversations' })
    const list = page.getByRole('navigation', { name: 'Conversations' })
    const avatarOf = (name: string) => list.getByRole('link', { name }).locator('.avatar')
    const picture = avatarOf('Ana Lima').locator('img')
    await eventually(
      'the picture',
      () => picture.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth),
      (width) => width > 0,
    )
    const asked: string[] = []
    page.on('request', (request) => /\/rita.*\/picture$/.test(request.url()) && asked.push(request.url()))
    await avatarOf('Rita Souza').locator('img').waitFor({ state: 'detached' })
    assert.equal(await avatarOf('Rita Souza').textContent(), 'RS')
    await checkAccessibility(page)
    await list.getByRole('link', { name: 'Ana Lima' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ana Lima' }).waitFor()
    await page.locator('.thread-header .avatar img').waitFor()
    await page.locator('.thread-header').getByText('ana@delivers.sandbox').waitFor()
    await page.locator('.sidebar').getByRole('link', { name: 'Overview' }).click()
    await page.goBack()
    await avatarOf('Rita Souza').waitFor()
    assert.deepEqual(asked, [], 'what was missing is not asked for again')
    window.checkFaults()
    await window.close()
  })

  test('those who are writing are seen, until their message is here', async () => {
    await write('tom@types.sandbox', 'Hello')
    const place = '#/conversations/shop/tom@types.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /tom@/ })
    const log = page.getByRole('log')
    await log.locator('li.bubble.inbound').first().waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
    // The page is not told who was writing before it listened, so it is tried until both places show it.
    const isSeen = (place: Locator) =>
      place.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      )
    await eventually(
      'both places to show it',
      async () => {
        const seen = [row, page.locator('.thread-header')].map((place) => isSeen(place.getByText('Typing…')))
        await write('tom@types.sandbox', 'Are you there?')
        return Promise.all(seen)
      },
      (seen) => seen.every(Boolean),
    )
    await row.getByText('Typing…').waitFor({ state: 'detached' })
    await page.locator('.thread-header .writing').waitFor({ state: 'detached' })
    window.checkFaults()
    await window.close()
  })

  test('the recipient is shown that one writes, at most every few seconds', async () => {
    await write('uwe@delivers.sandbox', 'Hello')
    const place = '#/conversations/shop/uwe@delivers.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    await page.getByRole('button', { name: 'Send something else' }).waitFor()
    const told: (string | null)[] = []
    page.on('request', (request) => request.url().endsWith('/typing') && told.push(request.postData()))
    await page.getByRole('textbox', { name: /^Message to/ }).pressSequentially('How are you today?')
    await eventually(
      'the notice',
      async () => told.length,
      (count) => count > 0,
    )
    assert.deepEqual(told, [JSON.stringify({ to: 'uwe@delivers.sandbox', seconds: 10 })])
    window.checkFaults()
    await window.close()
  })

  test('a person who wants no marketing is known as such, at once', async () => {
    await says('vera@delivers.sandbox', 'Good morning')
    const place = '#/conversations/shop/vera@delivers.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const header = page.locator('.thread-header')
    const wish = header.getByText('Wants no marketing, since')
    await header
      .getByText('vera@delivers.sandbox')
      .or(page.getByText('Good morning').first())
      .first()
      .waitFor()
    assert.equal(await wish.count(), 0)
    await says('vera@delivers.sandbox', 'STOP')
    await wish.waitFor()
    await checkAccessibility(page)
    await page.reload()
    await wish.waitFor()
    await says('vera@delivers.sandbox', 'START')
    await wish.waitFor({ state: 'detached' })
    window.checkFaults()
    await window.close()
  })

  test('a person is forgotten by typing their address, by those who may', async () => {
    const address = 'gina@delivers.sandbox'
    await says(address, 'My secret', 'Gina Rossi')
    const { body: listedBefore } = await posthorn.admin.call(listConversations, { query: { limit: 50 } })
    const place = `#/conversations/shop/${address}`
    const { page, ...window } = await visit(browser, posthorn, { place })
    await page.getByRole('heading', { level: 1, name: 'Gina Rossi' }).waitFor()
    await page.locator('.thread-header').getByRole('button', { name: 'More', exact: true }).press('Enter')
    await checkAccessibility(page)
    await page.getByRole('menuitem', { name: 'Forget this person…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Forget this person' })
    await dialog.getByText('Backups that exist already keep all of it').waitFor()
    await checkAccessibility(page)
    const confirm = dialog.getByRole('button', { name: 'Forget this person' })
    assert.ok(await confirm.isDisabled())
    await dialog.getByRole('textbox').fill(address)
    await confirm.click()
    await page.getByText('Gina Rossi is being forgotten.').waitFor()
    await page.getByText('Choose a conversation to read it.').waitFor()
    const row = page.locator('.conversation-list li', { hasText: address })
    const isEmptied = async () => !/My secret|Gina/.test((await row.textContent()) ?? '')
    assert.ok(await isEmptied(), 'the list shows nothing of the person at once')
    const received = await eventually(
      'the text to be emptied',
      () => everythingReceived(posthorn.admin, 'shop'),
      (messages) => messages.some(({ from, forgotten }) => from === address && forgotten === true),
    )
    assert.doesNotMatch(JSON.stringify(received), /My secret|Gina/)
    // As from a server that is still emptying them.
    const theirs = listedBefore.data.find(({ conversation }) => conversation === address)
    const other = { ...theirs, conversation: 'nina@delivers.sandbox', name: 'Read anew' }
    const json = { ...listedBefore, data: [theirs, other] }
    await page.route('**/v1/conversations?*', (route) => route.fulfill({ json }))
    await page.getByRole('button', { name: 'People', exact: true }).press('Enter')
    await page.getByText('Read anew').waitFor()
    assert.ok(await isEmptied(), 'nor if the list is read before the server has emptied all')
    await says(address, 'Good evening', 'Gina Rossi')
    await row.getByText('Good evening').waitFor()
    await row.getByText('Gina Rossi').waitFor()
    window.checkFaults()
    await window.close()
  })

  test('a key that only sends is not offered to forget a person', async () => {
    await says('hugo@delivers.sandbox', 'Good evening', 'Hugo Reis')
    const { key } = await posthorn.createKey('default', 'send')
    const place = '#/conversations/shop/hugo@delivers.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { key, place })
    await page.getByRole('heading', { level: 1, name: 'Hugo Reis' }).waitFor()
    await page.getByRole('button', { name: 'Send something else' }).waitFor()
    assert.equal(await page.locator('.thread-header').getByRole('button', { name: 'More' }).count(), 0)
    window.checkFaults()
    await window.close()
  })

  test('when the time to answer is over, the way leads to a template for the same person', async () => {
    const body = { name: 'brief', network: 'sandbox', settings: { reply_window_seconds: 1 } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    const to = 'ines@replies.sandbox'
    await text(posthorn.admin, { instance: 'brief', to, text: 'Good morning' }, 20)
    await eventually(
      'the time to be over',
      () => everythingReceived(posthorn.admin, 'brief'),
      ([first]) => Date.parse(first?.window_ends_at ?? '') < Date.now(),
    )
    const { page, ...window } = await visit(browser, posthorn, { place: `#/conversations/brief/${to}` })
    await page.getByText('The time to answer freely is over').waitFor()
    await page.getByRole('link', { name: 'Send a template instead' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Send a message' }).waitFor()
    await page.getByRole('textbox', { name: 'Language' }).waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'To', exact: true }).inputValue(), to)
    window.checkFaults()
    await window.close()
  })
})
