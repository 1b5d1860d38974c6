import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createWebhook, getWebhook } from '../../src/contract/operations/webhook-operations.ts'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { WebhookReceiver } from '../kit/far-ends/webhook-receiver.ts'
import { hastyDriver, onlyWhatsApp } from '../kit/networks/whatsapp/stage.ts'
import { create, eventually, everythingReceived, reaches, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { startWhatsApp } from '../simulators/whatsapp/start-whatsapp.ts'

/*
 * Five tasks of people, from the overview on, by no more presses of a mouse than in docs/console-review.md. What is typed, and Enter
 * at its end, counts nothing.
 */

describe('five tasks', { ...needsChromium, timeout: 180_000 }, () => {
  let posthorn: Posthorn
  let browser: Browser
  let receiver: WebhookReceiver
  let status = 410

  before(async () => {
    receiver = await WebhookReceiver.start((_, response) => void response.writeHead(status).end())
    ;[posthorn, browser] = await Promise.all([
      startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } }),
      startBrowser(),
    ])
    await create(posthorn.admin, 'shop')
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
    await receiver?.stop()
  })

  /** Plays a task in a window that opens with the overview, and counts the presses. */
  async function within(most: number, server: Posthorn, play: (page: Page) => Promise<void>): Promise<void> {
    const window = await visit(browser, server, { place: '#/overview' })
    const { page } = window
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.evaluate(`window.presses = 0; addEventListener('pointerdown', () => window.presses++, true)`)
    await play(page)
    const presses = await page.evaluate('window.presses')
    assert.ok(Number(presses) <= most, `it took ${presses} presses instead of ${most}`)
    window.checkFaults()
    await window.close()
  }

  test('link an account: three presses', async () => {
    const whatsapp = await startWhatsApp({ after: () => {} })
    const own = await startPosthorn({ drivers: [hastyDriver(whatsapp, {})], environment: onlyWhatsApp })
    try {
      await within(3, own, async (page) => {
        await page.getByRole('link', { name: 'New instance' }).first().click()
        await page.getByRole('radio', { name: 'WhatsApp', exact: true }).click()
        await page.getByRole('textbox', { name: 'Name', exact: true }).fill('salon')
        await page.getByRole('button', { name: 'Create instance' }).click()
        await page.getByRole('img', { name: 'QR code that links the account' }).waitFor()
      })
    } finally {
      await own.stop()
      await whatsapp.stop()
    }
  })

  test('find why a message failed: one press', async () => {
    const { id } = await text(posthorn.admin, {
      instance: 'shop',
      to: 'dora@refuses.sandbox',
      text: 'Your table',
    })
    await reaches(posthorn.admin, id, 'failed')
    await within(1, posthorn, async (page) => {
      await page.getByRole('region', { name: 'Latest failures' }).getByRole('link').first().click()
      await page
        .getByText(/refuses|refused/)
        .first()
        .waitFor()
    })
  })

  test('redeliver what a broken webhook missed: two presses', async () => {
    const body = { url: receiver.url, name: 'Order system', events: ['message.queued' as const] }
    const { id: webhook } = (await posthorn.admin.call(createWebhook, { body })).body
    await text(posthorn.admin, { instance: 'shop', to: 'eva@reads.sandbox', text: 'Missed' })
    const read = async () => (await posthorn.admin.call(getWebhook, { params: { webhook } })).body
    await eventually('it to be disabled', read, ({ enabled }) => !enabled)
    status = 204
    const missed = receiver.received.length
    await within(2, posthorn, async (page) => {
      const needs = page.getByRole('region', { name: 'Needs your attention' })
      await needs.getByRole('button', { name: 'Enable, and deliver what it missed' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click()
      await receiver.until('what was missed', ({ length }) => length > missed)
    })
  })

  test('answer a customer: two presses', async () => {
    await text(posthorn.admin, { instance: 'shop', to: 'carla@replies.sandbox', text: 'Hello' })
    await eventually(
      'her answer',
      () => everythingReceived(posthorn.admin, 'shop'),
      ({ length }) => length > 0,
    )
    await within(2, posthorn, async (page) => {
      await page.getByRole('link', { name: 'Conversations', exact: true }).click()
      await page.getByRole('link', { name: /Carla/ }).first().click()
      await page.getByRole('textbox', { name: /^Message to/ }).fill('At ten.')
      await page.keyboard.press('Enter')
      await page.getByRole('log').getByText('At ten.').waitFor()
    })
  })

  test('give a colleague a key: three presses', async () => {
    await within(3, posthorn, async (page) => {
      await page.getByRole('link', { name: 'Keys', exact: true }).click()
      await page.getByRole('button', { name: 'New key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Kim')
      await page.keyboard.press('Enter')
      await page.getByText(/^phk_\w{59}$/).waitFor()
    })
  })
})
