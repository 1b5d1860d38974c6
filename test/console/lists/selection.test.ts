import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  createWebhook,
  deleteWebhook,
  updateWebhook,
} from '../../../src/contract/operations/webhook-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { ways } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { WebhookReceiver } from '../../kit/far-ends/webhook-receiver.ts'
import { create, inMs, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Several rows at once: selecting them, and doing something with each, of which some may fail. */

const tomorrow = () => inMs(24 * 60 * 60 * 1000)

describe('a selection of messages', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    await create(posthorn.admin, 'support')
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
  })

  const at = (place: string) => visit(browser, posthorn, { place })
  const rows = (page: Page) => page.getByRole('table', { name: 'Messages' }).locator('tbody tr')

  test('several are selected with Shift, canceled, and sent again; what fails is told, stays selected, and is tried again', async () => {
    const to = 'gus@delivers.sandbox'
    const ids: string[] = []
    for (const words of ['One', 'Two', 'Three', 'Four'])
      ids.push((await text(posthorn.admin, { instance: 'shop', to, text: words, send_at: tomorrow() })).id)
    const { page, ...window } = await at(`#/messages?to=${to}`)
    const row = (words: string) => rows(page).filter({ hasText: words })
    const chosen = page.getByRole('group', { name: 'Selected rows' })
    const box = (words: string) => row(words).getByRole('checkbox')
    await box('Four').click()
    await box('Two').click({ modifiers: ['Shift'] })
    await chosen.getByText('3 selected').waitFor()
    // One of them fails: it is the only one that stays.
    await page.route(`**/v1/messages/${ids[2]}/cancel`, (route) => route.abort(), { times: 1 })
    await chosen.getByRole('button', { name: 'Cancel 3 messages' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel 3 messages' }).click()
    await dialog.getByText('2 of 3 done').waitFor()
    await dialog.getByText('The server is out of reach.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await chosen.getByText('1 selected').waitFor()
    assert.equal(await box('Three').isChecked(), true)
    await chosen.getByRole('button', { name: 'Cancel 1 message' }).click()
    await dialog.getByRole('button', { name: 'Cancel 1 message' }).click()
    await row('Three').getByText('Canceled').waitFor()

    // The one that still waits is left out; each request is repeated under its key if its answer is lost.
    await row('One').getByRole('link').focus()
    await page.keyboard.press('Space')
    for (let rest = 3; rest > 0; rest--) await page.keyboard.press('Shift+ArrowUp')
    await chosen.getByText('4 selected').waitFor()
    let isLost = false
    await page.route('**/v1/messages/text', async (route) => {
      if (isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await chosen.getByRole('button', { name: 'Send 3 again' }).click()
    await dialog.getByText('1 of the selected is left out').waitFor()
    await dialog.getByRole('button', { name: 'Send 3 again' }).click()
    await dialog.getByText('2 of 3 done').waitFor()
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.waitFor({ state: 'detached' })
    await chosen.getByText('1 selected').waitFor()
    await chosen.getByRole('button', { name: 'Select nothing' }).click()
    await chosen.waitFor({ state: 'detached' })
    await page.reload()
    await rows(page).nth(6).waitFor()
    assert.equal(await rows(page).count(), 7)
    await window.close()
  })

  test('what may have arrived is sent again only by who says so', async () => {
    const to = 'hugo@never-certain.sandbox'
    await text(posthorn.admin, { instance: 'support', to, text: 'Hm', expires_at: inMs(2_500) })
    const { page, ...window } = await at(`#/messages?to=${to}`)
    await rows(page).getByText('Unknown', { exact: true }).waitFor({ timeout: 60_000 })
    await rows(page).getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Send 1 again' }).click()
    const dialog = page.getByRole('dialog')
    const send = dialog.getByRole('button', { name: /^Send \d again$/ })
    await dialog.getByText('it may arrive twice').waitFor()
    assert.equal(await send.isDisabled(), true)
    await dialog.getByLabel('Send those, too').check()
    await dialog.getByRole('button', { name: 'Send 1 again' }).click()
    await dialog.waitFor({ state: 'detached' })
    window.checkFaults()
    await window.close()
  })
})

describe('a selection of deliveries', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  let receiver: WebhookReceiver

  before(async () => {
    ;[posthorn, browser, receiver] = await Promise.all([
      startPosthorn({ environment: { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } }),
      startBrowser(),
      WebhookReceiver.start(),
    ])
    await create(posthorn.admin, 'shop')
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
    await receiver?.stop()
  })

  /** A webhook for accepted messages that is paused: as many were delivered, and the newest one waits. */
  async function deliver(count: number) {
    const body = { url: receiver.url, events: ['message.queued' as const] }
    const params = { webhook: (await posthorn.admin.call(createWebhook, { body })).body.id }
    const before = receiver.received.length
    for (let number = 1; number <= count; number++) await send(`number ${number}`)
    await receiver.until('all but the last', ({ length }) => length === before + count)
    const pause = (paused: boolean) => posthorn.admin.call(updateWebhook, { params, body: { paused } })
    await pause(true)
    await send('the last one')
    const remove = () => posthorn.admin.call(deleteWebhook, { params })
    return { params, resume: () => pause(false), remove, place: `#/webhooks/${params.webhook}` }
  }

  const send = (words: string) =>
    text(posthorn.admin, { instance: 'shop', to: 'ana@delivers.sandbox', text: words })

  for (const way of ways)
    test(`is delivered again, and what could not be is told and tried again, ${way.name}`, async () => {
      const { params, resume, remove, place } = await deliver(4)
      const { page, ...window } = await visit(browser, posthorn, { ...way.window, place })
      const hand = way.on(page)
      const rows = page.locator('.delivery')
      await rows.getByText('HTTP 204').nth(3).waitFor()
      await rows.nth(4).waitFor()
      // The newest one waits, and is left out.
      for (const at of [0, 1, 3, 4]) await hand.press(rows.nth(at).getByRole('checkbox'))
      const chosen = page.getByRole('group', { name: 'Selected rows' })
      await chosen.getByText('4 selected').waitFor()
      await checkAccessibility(page)
      await hand.press(chosen.getByRole('button', { name: 'Deliver 3 again' }))
      const dialog = page.getByRole('dialog')
      await dialog.getByText('1 of the selected is left out: it still waits').waitFor()
      await checkAccessibility(page)
      const before = receiver.received.length
      await posthorn.admin.call(updateWebhook, { params, body: { enabled: false } })
      await hand.press(dialog.getByRole('button', { name: 'Deliver 3 again' }))
      await dialog.getByText('It failed for 3.').waitFor()
      assert.equal(await dialog.getByText(/^message\.queued, .*: .*\bdisabled\b/).count(), 3)
      await posthorn.admin.call(updateWebhook, { params, body: { enabled: true } })
      await hand.press(dialog.getByRole('button', { name: 'Try again' }))
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('3 deliveries were created.').waitFor()
      // The one that waits is still selected; the new ones are shown by themselves once it no longer is.
      await chosen.getByText('1 selected').waitFor()
      await chosen.getByText('They still wait').waitFor()
      await hand.press(chosen.getByRole('button', { name: 'Select nothing' }))
      await chosen.waitFor({ state: 'detached' })
      await rows.nth(7).waitFor()
      await hand.rest()
      await resume()
      await receiver.until('all that waited', ({ length }) => length === before + 4)
      const words = receiver.received
        .slice(before)
        .map(({ body }) => /number \d|the last one/.exec(body)?.[0])
      assert.deepEqual(words.sort(), ['number 1', 'number 2', 'number 4', 'the last one'])
      await rows.getByText('HTTP 204').nth(7).waitFor()
      window.checkFaults([409])
      await window.close()
      await remove()
    })

  test('is made of a range by mouse and by keyboard, and the rows stay where they are meanwhile', async () => {
    const { resume, remove, place } = await deliver(4)
    const { page, ...window } = await visit(browser, posthorn, { place })
    const rows = page.locator('.delivery')
    const boxes = rows.getByRole('checkbox')
    const chosen = page.getByRole('group', { name: 'Selected rows' })
    await rows.getByText('HTTP 204').nth(3).waitFor()
    await rows.nth(4).waitFor()
    await boxes.nth(1).click()
    await boxes.nth(3).click({ modifiers: ['Shift'] })
    await chosen.getByText('3 selected').waitFor()
    // The person is elsewhere meanwhile.
    await page.getByRole('heading', { level: 1 }).click()
    const order = () => boxes.evaluateAll((all) => all.map(({ ariaLabel, checked }) => [ariaLabel, checked]))
    const shown = await order()
    await resume()
    await send('number 5')
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor()
    assert.deepEqual(await order(), shown)

    await boxes.nth(1).focus()
    await page.keyboard.press('Escape')
    await chosen.waitFor({ state: 'detached' })
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await chosen.getByText('2 selected').waitFor()
    for (let steps = 2; steps > 0; steps--) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+Space')
    await chosen.getByText('4 selected').waitFor()
    await chosen.getByRole('button', { name: 'Select all 5 shown' }).click()
    await chosen.getByText('5 selected').waitFor()
    await boxes.nth(4).focus()
    await page.keyboard.press('Tab')
    assert.ok(await rows.nth(4).getByRole('button').and(page.locator(':focus')).count())
    // Space opens a row, as it presses any button.
    await page.keyboard.press('Space')
    await rows.nth(4).getByText('Attempt 1 · HTTP 204').waitFor()
    await chosen.getByText('5 selected').waitFor()
    window.checkFaults()
    await window.close()
    await remove()
  })
})
