import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createInstance, deleteInstance } from '../../../src/contract/operations/instance-operations.ts'
import { createWebhook } from '../../../src/contract/operations/webhook-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, eventually, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The menu says how much waits for a person, as far as the page knows. */

const token = 'the token of the shop'

describe('the menu counts what waits', { ...needsChromium, timeout: 180_000 }, () => {
  let posthorn: Posthorn
  let browser: Browser
  let receiver: WebhookReceiver
  let callbackUrl: string

  before(async () => {
    ;[posthorn, browser, receiver] = await Promise.all([
      startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } }),
      startBrowser(),
      WebhookReceiver.start((_, response) => response.writeHead(410).end()),
    ])
    const { body } = await posthorn.admin.call(createInstance, {
      body: { name: 'shop', network: 'sandbox', settings: {}, credentials: { token } },
      waitSeconds: 20,
    })
    callbackUrl = new URL(String(body.callback_url), posthorn.url).href
    await create(posthorn.admin, 'refused', { behaviour: 'refuses_credentials' })
    await says('ana@delivers.sandbox', 'Good morning')
    await says('ana@delivers.sandbox', 'Is there rye bread?')
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
    await receiver.stop()
  })

  async function says(from: string, words: string): Promise<void> {
    const body = JSON.stringify({ from, text: words })
    const signature = createHmac('sha256', token).update(body).digest('hex')
    const headers = { 'x-sandbox-signature': `sha256=${signature}` }
    assert.equal((await fetch(callbackUrl, { method: 'POST', headers, body })).status, 200)
  }

  /** Resolves when the menu shows these counts, and no others. */
  const shows = (page: Page, wanted: Readonly<Record<string, string>>) =>
    eventually(
      `the menu to show ${JSON.stringify(wanted)}`,
      () =>
        page.evaluate<Record<string, string>>(
          `Object.fromEntries([...document.querySelectorAll('.areas a:has(.waiting)')].map((link) =>
            [link.getAttribute('href').replace(/.*#./, ''), link.querySelector('.waiting').dataset.count]))`,
        ),
      (shown) =>
        JSON.stringify(Object.entries(shown).sort()) === JSON.stringify(Object.entries(wanted).sort()),
    )

  const go = (page: Page, area: string) =>
    page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: area, exact: true }).click()

  test('only what a screen has read, and from then on as it happens', async () => {
    const { page, checkFaults, close } = await visit(browser, posthorn, { place: '#/charts' })
    await page.getByRole('heading', { name: 'Charts', level: 1 }).waitFor()
    await shows(page, {})
    await go(page, 'Overview')
    await shows(page, { instances: '1' })
    assert.equal(await page.locator('.areas a:has(.waiting)').getAttribute('title'), 'Instances: 1 needs you')
    await checkAccessibility(page)
    await go(page, 'Conversations')
    await shows(page, { instances: '1', conversations: '1' })
    await go(page, 'Charts')
    await page.getByRole('heading', { name: 'Charts', level: 1 }).waitFor()
    await says('bia@delivers.sandbox', 'Thank you')
    await shows(page, { instances: '1', conversations: '2' })
    await posthorn.admin.call(deleteInstance, { params: { name: 'refused' } })
    await shows(page, { conversations: '2' })
    await go(page, 'Conversations')
    await page.getByRole('link', { name: /Thank you/ }).click()
    await shows(page, { conversations: '1' })
    await posthorn.admin.call(createWebhook, { body: { url: receiver.url, events: ['message.queued'] } })
    await text(posthorn.admin, { instance: 'shop', to: 'ana@reads.sandbox' })
    await go(page, 'Webhooks')
    await shows(page, { conversations: '1', webhooks: '1' })
    checkFaults()
    await close()
  })

  test('nothing while the server is out of reach', async () => {
    const { page, close } = await visit(browser, posthorn, { place: '#/conversations' })
    await shows(page, { conversations: '1' })
    await posthorn.stop()
    await page.getByText('The server is out of reach').waitFor({ timeout: 120_000 })
    await shows(page, {})
    await close()
  })
})
