import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { listEvents } from '../../src/contract/operations/event-operations.ts'
import {
  createInstance,
  startInstance,
  stopInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../src/contract/operations/message-operations.ts'
import { createWebhook } from '../../src/contract/operations/webhook-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { chooseFilter } from '../kit/console/filters.ts'
import { ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { startTcpProxy } from '../kit/far-ends/tcp-proxy.ts'
import { WebhookReceiver } from '../kit/far-ends/webhook-receiver.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A person watches the events. */

describe('events in the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([
      startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } }),
      startBrowser(),
    ])
    const body = { name: 'shop', network: 'sandbox' }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  /** Sends a text, and waits until it is sent. */
  const send = (text: string, instance = 'shop') =>
    posthorn.admin.call(sendTextMessage, {
      body: { instance, to: 'ana@delivers.sandbox', text },
      waitSeconds: 20,
    })

  const make = (name: string) =>
    posthorn.admin.call(createInstance, { body: { name, network: 'sandbox' }, waitSeconds: 20 })

  for (const [number, way] of ways.entries())
    test(`events are there at once, come live, are held by a pause, and replayed from the oldest on, ${way.name}`, async () => {
      const instance = `shop-${number}`
      await make(instance)
      await send('before', instance)
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Events')
      await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
      await chooseFilter(page, hand, 'Type', 'message.sent')
      await chooseFilter(page, hand, 'Instance', instance)
      // Rows that are pointed at hold what comes, and the option was above them.
      await page.getByRole('heading', { name: 'Events' }).hover()
      const sent = page.getByRole('link', { name: 'message.sent' })
      await sent.waitFor()
      await send('seen', instance)
      await sent.nth(1).waitFor()
      await hand.press(page.getByRole('button', { name: 'Pause' }))
      await send('held', instance)
      await page.getByText('1 waiting event', { exact: true }).waitFor()
      assert.equal(await sent.count(), 2)
      await hand.press(page.getByRole('button', { name: 'Continue' }))
      await sent.nth(2).waitFor()
      await hand.press(sent.first())
      await page.getByRole('heading', { name: 'message.sent' }).waitFor()
      await page.getByText('"text": "held"').waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: 'Events' }).waitFor()
      await hand.press(page.getByRole('link', { name: 'All', exact: true }))
      await hand.press(page.getByRole('button', { name: 'From the oldest event kept' }))
      await page.getByRole('link', { name: 'instance.created' }).first().waitFor()
      // As often as there is more.
      const end = page.getByText('There are no further events yet.')
      const more = page.getByRole('button', { name: 'Read on' })
      await more.waitFor()
      while (!(await end.isVisible())) await hand.press(more)
      await hand.press(page.getByRole('link', { name: 'All', exact: true }))
      await page.getByRole('button', { name: 'Pause' }).waitFor()
      await page.getByRole('link', { name: 'message.sent' }).first().waitFor()
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('an event is sent to a webhook again', async () => {
    const receiver = await WebhookReceiver.start()
    const body = { url: receiver.url, name: 'Stock', events: ['quota.exceeded' as const] }
    await posthorn.admin.call(createWebhook, { body })
    await send('to be sent again')
    const { body: newest } = await posthorn.admin.call(listEvents, { query: { last: 1 } })
    const id = newest.data[0]?.id ?? ''
    const window = await visit(browser, posthorn, { place: `#/events/${id}` })
    const { page } = window
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await receiver.until('the event', (received) => received.some(({ event }) => event.id === id))
    await page.getByRole('heading', { name: 'Stock' }).waitFor()
    await page.locator('.delivery').getByText('HTTP 204').waitFor()
    window.checkFaults()
    await window.close()
    await receiver.stop()
  })

  test('events that come late are left out, and shown where they are', async (t) => {
    await make('late')
    const proxy = await startTcpProxy({ port: Number(new URL(posthorn.url).port) })
    t.after(() => proxy.stop())
    const url = `http://127.0.0.1:${proxy.port}`
    const window = await visit(
      browser,
      { ...posthorn, url },
      { place: '#/events?types=message.sent&instances=late' },
    )
    const { page } = window
    const sent = page.getByRole('link', { name: 'message.sent' })
    await page.getByText('Live', { exact: true }).waitFor()
    // The list has been read: what is sent now comes by the stream, by whose first events the page knows the later ones as late.
    await page.getByText('Events appear here as they happen').waitFor()
    await send('in time', 'late')
    await sent.waitFor()
    proxy.hold('to-client')
    await page.evaluate('{ const now = Date.now.bind(Date); Date.now = () => now() + 60_000 }')
    await send('late', 'late')
    proxy.release()
    await page.getByText('Some events were left out here').waitFor()
    await page.getByRole('link', { name: 'Show them' }).click()
    await sent.click()
    await page.getByText('"text": "late"').waitFor()
    window.checkFaults()
    await window.close()
  })

  test('events that were left out are shown where they are, even if none had come before', async (t) => {
    await make('silent')
    const proxy = await startTcpProxy({ port: Number(new URL(posthorn.url).port) })
    t.after(() => proxy.stop())
    const url = `http://127.0.0.1:${proxy.port}`
    const place = '#/events?types=message.sent&instances=silent'
    const { page, ...window } = await visit(browser, { ...posthorn, url }, { place })
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('Events appear here as they happen').waitFor()
    // A connection that was away for long goes on with new events.
    await page.evaluate('{ const now = Date.now.bind(Date); Date.now = () => now() + 120_000 }')
    proxy.hold('to-client')
    await send('not seen', 'silent')
    proxy.cut()
    await page.getByText('Some events were left out here').waitFor()
    await page.getByRole('link', { name: 'Show them' }).click()
    await page.getByRole('link', { name: 'message.sent' }).click()
    await page.getByText('"text": "not seen"').waitFor()
    await window.close()
  })

  test('nothing moves an event that is pointed at, and what others do displaces none that is watched', async () => {
    const body = { name: 'quiet', network: 'sandbox' }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    const window = await visit(browser, posthorn, { place: '#/events' })
    const { page } = window
    await page.getByText('Live', { exact: true }).first().waitFor()
    await chooseFilter(page, ways[0].on(page), 'Instance', 'quiet')
    await page.getByRole('button', { name: 'Show the API call' }).click()
    await page.getByText(/curl -N .*instances=quiet[\s\S]*text\/event-stream/).waitFor()
    await page.keyboard.press('Escape')
    const connected = page.getByRole('row').filter({ hasText: 'Connected' })
    await connected.first().waitFor()
    const known = await connected.count()
    await posthorn.admin.call(stopInstance, { params: { name: 'quiet' } })
    const stopped = page.getByRole('row').filter({ hasText: 'Stopped' })
    await stopped.waitFor()
    await stopped.hover()
    await posthorn.admin.call(startInstance, { params: { name: 'quiet' } })
    await page.getByText(/^\d waiting events?$/).waitFor()
    assert.equal(await page.getByRole('row').nth(1).getByText('Stopped').count(), 1)
    await page.getByRole('heading', { name: 'Events' }).hover()
    await connected.nth(known).waitFor()
    // More events than the tail keeps.
    await Promise.all(Array.from({ length: 80 }, (_, number) => send(`${number}`)))
    await posthorn.admin.call(stopInstance, { params: { name: 'quiet' } })
    await stopped.nth(1).waitFor()
    assert.equal(await connected.count(), known + 1)
    window.checkFaults()
    await window.close()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async () => {
      const window = await visit(browser, posthorn, { width, colorScheme, place: '#/events?after=oldest' })
      const { page } = window
      await page.getByRole('link', { name: 'instance.created' }).first().waitFor()
      await checkAccessibility(page)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok(Number(overflow) <= 0, `the page is ${overflow} pixels wider than the screen`)
      window.checkFaults()
      await window.close()
    })
  }
})
