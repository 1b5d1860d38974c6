import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../src/contract/operations/message-operations.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  redeliver,
  skipBacklog,
} from '../../src/contract/operations/webhook-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { type Hand, ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { WebhookReceiver } from '../kit/far-ends/webhook-receiver.ts'
import { eventually } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A person makes a webhook, sees why it fails, and delivers again what it missed. */

const name = 'Orders to the ERP'
const hostile = '<img src=x onerror="window.harmed = true"></script><script>window.harmed = true</script>'

describe('webhooks in the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  let receiver: WebhookReceiver

  before(async () => {
    ;[posthorn, browser, receiver] = await Promise.all([
      startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } }),
      startBrowser(),
      WebhookReceiver.start(),
    ])
    const body = { name: 'shop', network: 'sandbox' }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
    await receiver.stop()
  })

  /** Makes the webhook of these plays through the form, and returns the secret that is shown once. */
  async function makeWebhook(page: Page, hand: Hand): Promise<string> {
    await hand.press(page.getByRole('button', { name: 'New webhook' }))
    const dialog = page.getByRole('dialog')
    await hand.enter(dialog.getByRole('textbox', { name: 'Name' }), name)
    await hand.enter(dialog.getByRole('textbox', { name: 'URL', exact: true }), `${receiver.url}/elsewhere`)
    receiver.answer = (_, response) => response.writeHead(404).end('There is nothing here.')
    await hand.press(dialog.getByRole('button', { name: 'Try it' }))
    await dialog.getByText('HTTP 404').waitFor()
    await dialog.getByText('There is nothing here.').waitFor()
    receiver.answer = (_, response) => response.writeHead(204).end()
    await hand.enter(dialog.getByRole('textbox', { name: 'URL', exact: true }), receiver.url)
    await dialog.getByText('HTTP 404').waitFor({ state: 'detached' })
    await hand.press(dialog.getByRole('button', { name: 'Try it' }))
    await dialog.getByText('HTTP 204').waitFor()
    await hand.press(dialog.getByRole('button', { name: 'New webhook' }))
    const secret = await page.getByRole('dialog', { name: 'The secret' }).getByText('whsec_').textContent()
    await hand.closeDialog()
    return secret ?? ''
  }

  const send = (text: string) =>
    posthorn.admin.call(sendTextMessage, { body: { instance: 'shop', to: 'ana@delivers.sandbox', text } })

  for (const way of ways)
    test(`a webhook is made, breaks, and gets what it missed, ${way.name}`, async () => {
      receiver.answer = (_, response) => response.writeHead(204).end()
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Webhooks')
      assert.match(await makeWebhook(page, hand), /^whsec_/)
      await page.getByText('Nothing was sent to this webhook yet').waitFor()
      const tested = receiver.received.length
      await hand.press(page.getByRole('button', { name: 'Send a test' }))
      await receiver.until('the test', (received) =>
        received.slice(tested).some(({ event }) => event.type === 'webhook.test'),
      )
      const rows = page.locator('.delivery')
      await rows.filter({ hasText: 'webhook.test' }).getByText('HTTP 204').waitFor()

      const refusal = Promise.withResolvers<void>()
      receiver.answer = async (_, response) => {
        await refusal.promise
        response.writeHead(500).end(hostile)
      }
      await send('missed')
      const missed = rows.filter({ hasText: 'message.queued' })
      await missed.getByText('Waiting').waitFor()
      await hand.press(missed.getByRole('button', { name: 'message.queued' }))
      await missed.getByText('Nothing was sent yet.').waitFor()
      refusal.resolve()
      await missed.getByText('Attempt 1 · HTTP 500').waitFor()
      await missed.getByText('onerror').first().waitFor()
      await hand.press(missed.getByText('Request', { exact: true }))
      await missed.getByText('webhook-id: evt_').waitFor()
      assert.equal(await page.evaluate('window.harmed'), undefined)
      await missed.getByText('Retrying at').waitFor()
      await page.getByText('Your server answers HTTP 500.').waitFor()

      receiver.answer = (_, response) => response.writeHead(204).end()
      const before = receiver.received.length
      await hand.press(missed.getByRole('button', { name: 'Deliver again' }))
      await receiver.until('the event again', (received) =>
        received.slice(before).some(({ event }) => event.type === 'message.queued'),
      )
      await hand.press(missed.last().getByRole('button', { name: 'message.queued' }))
      await missed.first().getByText('HTTP 204').waitFor()
      await remove(page, hand)
      window.checkFaults()
      await window.close()
    })

  /** Removes the webhook that is shown, by typing its name. */
  async function remove(page: Page, hand: Hand): Promise<void> {
    await hand.press(page.getByRole('button', { name: 'Remove…' }))
    const dialog = page.getByRole('dialog', { name: 'Remove' })
    await hand.enter(dialog.getByRole('textbox'), name)
    await hand.press(dialog.getByRole('button', { name: 'Remove' }))
    await page.getByText('There is no webhook yet').waitFor()
  }

  /** A webhook for accepted messages only, of which one was sent, and who looks at it. */
  async function lookAtWebhook() {
    const body = { url: receiver.url, events: ['message.queued' as const] }
    const { id } = (await posthorn.admin.call(createWebhook, { body })).body
    const params = { webhook: id }
    const before = receiver.received.length
    await send('first')
    await receiver.until('the first', ({ length }) => length > before)
    const { page, ...window } = await visit(browser, posthorn, { place: `#/webhooks/${id}` })
    const rows = page.locator('.delivery')
    const leave = async () => {
      window.checkFaults()
      await window.close()
      await posthorn.admin.call(deleteWebhook, { params })
    }
    return { page, rows, params, leave }
  }

  test('new deliveries move no row that somebody points at, and else come by themselves', async () => {
    receiver.answer = (_, response) => response.writeHead(204).end()
    const { page, rows, leave } = await lookAtWebhook()
    await rows.getByText('HTTP 204').waitFor()
    const row = await rows.first().elementHandle()
    await row?.hover()
    const place = await row?.boundingBox()
    await send('second')
    const news = page.getByRole('button', { name: 'Show 1 new' })
    await news.waitFor()
    assert.deepEqual(await row?.boundingBox(), place)
    await news.click()
    await rows.getByText('HTTP 204').nth(1).waitFor()
    await send('third')
    await rows.getByText('HTTP 204').nth(2).waitFor()
    await leave()
  })

  test('what somebody else has delivered again is seen after a refresh', async () => {
    receiver.answer = (_, response) => response.writeHead(500).end()
    const { page, rows, params, leave } = await lookAtWebhook()
    await rows.getByText('HTTP 500').waitFor()
    await posthorn.admin.call(skipBacklog, { params, body: { until: new Date().toISOString() } })
    // Nothing is to come now, and nothing is read again.
    await page.reload()
    await rows.getByText('Skipped').waitFor()
    receiver.answer = (_, response) => response.writeHead(204).end()
    const [delivery] = (await posthorn.admin.call(listDeliveries, { params })).body.data
    const before = receiver.received.length
    await posthorn.admin.call(redeliver, { params: { ...params, delivery: delivery?.id ?? '' } })
    await receiver.until('the event again', ({ length }) => length > before)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await rows.getByText('HTTP 204').waitFor()
    await leave()
  })

  test('what a webhook missed is delivered in four clicks', async () => {
    receiver.answer = (_, response) => response.writeHead(410).end('gone')
    const body = { url: receiver.url, name, events: ['message.queued' as const] }
    const { id: webhook } = (await posthorn.admin.call(createWebhook, { body })).body
    await send('missed for good')
    const read = async () => (await posthorn.admin.call(getWebhook, { params: { webhook } })).body
    await eventually('the webhook to be disabled', read, ({ enabled }) => !enabled)
    receiver.answer = (_, response) => response.writeHead(204).end()
    const before = receiver.received.length
    const { page, ...window } = await visit(browser, posthorn, {})
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByRole('link', { name }).click()
    await page.getByRole('button', { name: 'Enable, and deliver what it missed' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click()
    await receiver.until('what was missed', (received) =>
      received.slice(before).some(({ event }) => event.type === 'message.queued'),
    )
    window.checkFaults()
    await window.close()
    await posthorn.admin.call(deleteWebhook, { params: { webhook } })
  })

  test('what was given up is offered while other events wait, and is not called safe', async () => {
    receiver.answer = (_, response) => response.writeHead(500).end()
    const { page, rows, leave } = await lookAtWebhook()
    await rows.getByText('HTTP 500').waitFor()
    await page.getByText('Nothing is lost: 1 event waits').waitFor()
    const offer = page.getByRole('button', { name: 'Deliver what it missed' })
    assert.equal(await offer.count(), 0)
    // A delivery is given up after three days: the statistics of this one come early.
    await page.route(/\/statistics/, async (route) => {
      const reply = await route.fetch()
      const statistics = await reply.json()
      statistics.data[0].failed = 2
      await route.fulfill({ response: reply, json: statistics })
    })
    await page.reload()
    await page.getByText('2 deliveries were given up in the last seven days.').waitFor()
    await page.getByText('1 event waits. Posthorn tries each event').waitFor()
    assert.equal(await page.getByText('Nothing is lost').count(), 0)
    await page.getByRole('button', { name: 'Try now' }).waitFor()
    await offer.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).waitFor()
    await page.keyboard.press('Escape')
    await leave()
  })

  test('a webhook says that it is working, and why it lags behind', async () => {
    const { body } = await posthorn.admin.call(createWebhook, { body: { url: receiver.url } })
    const window = await visit(browser, posthorn, { place: '#/webhooks' })
    const { page } = window
    const row = page.getByRole('row').filter({ hasText: receiver.url })
    await row.getByText('Working', { exact: true }).waitFor()
    let retry: string | null = null
    await page.route(/\/v1\/webhooks(\?|$|\/wh_\w+$)/, async (route) => {
      const reply = await route.fetch()
      const answer = await reply.json()
      for (const webhook of answer.data ?? [answer]) {
        webhook.lagging_since = webhook.oldest_at = webhook.created_at
        webhook.next_attempt_at = retry
      }
      await route.fulfill({ response: reply, json: answer })
    })
    await page.reload()
    await row.getByText('Lagging', { exact: true }).waitFor()
    await row.getByRole('link').click()
    const slow = page.getByText('Your server takes the events more slowly than they happen')
    await slow.waitFor()
    retry = new Date(Date.now() + 60 * 60_000).toISOString()
    await page.reload()
    await page.getByText('Some deliveries failed, and are tried again.').waitFor()
    await page.getByText(/Next attempt at/).waitFor()
    assert.equal(await slow.count(), 0)
    window.checkFaults()
    await window.close()
    await posthorn.admin.call(deleteWebhook, { params: { webhook: body.id } })
  })

  describe('and everyone', () => {
    before(async () => {
      await posthorn.admin.call(createWebhook, { body: { url: receiver.url } })
      await send('delivered')
    })

    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      test(`can use them at ${width} pixels, ${colorScheme}`, async () => {
        const window = await visit(browser, posthorn, { width, colorScheme, place: '#/webhooks' })
        const { page } = window
        await page.getByRole('link', { name: receiver.url }).waitFor()
        await checkAccessibility(page)
        await page.getByRole('link', { name: receiver.url }).click()
        await page
          .getByRole('button', { name: /message\./ })
          .first()
          .waitFor()
        await checkAccessibility(page)
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(overflow) <= 0, `the page is ${overflow} pixels wider than the screen`)
        window.checkFaults()
        await window.close()
      })
    }
  })
})
