import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../src/contract/operations/message-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { inMs } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A person wants to know how many messages were sent, and how long they took. */

describe('the charts of the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    for (const name of ['shop', 'quiet'])
      await posthorn.admin.call(createInstance, { body: { name, network: 'sandbox' }, waitSeconds: 20 })
    for (let number = 1; number <= 3; number++) {
      const body = { instance: 'shop', to: 'ana@delivers.sandbox', text: `number ${number}` }
      await posthorn.admin.call(sendTextMessage, { body, waitSeconds: 20 })
    }
    const scheduled = {
      instance: 'shop',
      to: 'ana@delivers.sandbox',
      text: 'later',
      send_at: inMs(86_400_000),
    }
    for (let number = 1; number <= 5; number++)
      await posthorn.admin.call(sendTextMessage, { body: scheduled })
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    test(`show what was sent, also in numbers, at ${width} pixels, ${colorScheme}`, async () => {
      const window = await visit(browser, posthorn, { width, colorScheme, place: '#/charts' })
      const { page } = window
      // Counts are made some seconds after the events.
      const sent = page.locator('td').filter({ hasText: /^3$/ }).first()
      const waiting = page.locator('td').filter({ hasText: /^5$/ })
      while (!(await sent.isVisible()) || !(await waiting.isVisible())) {
        await page.getByRole('button', { name: 'Refresh' }).click()
        await waiting.waitFor({ timeout: 1_000 }).catch(() => undefined)
      }
      await page.getByText('Queue now: 5 waiting messages').waitFor()
      for (const name of ['Messages', 'Queue', 'Seconds until sent'])
        await page.getByRole('figure', { name, exact: true }).locator('canvas').waitFor()
      await checkAccessibility(page)
      window.checkFaults()
      await window.close()
    })
  }

  for (const way of ways)
    test(`an instance and a period are chosen, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Charts')
      const canvas = page.getByRole('figure', { name: 'Messages', exact: true }).locator('canvas')
      await canvas.waitFor()
      await hand.choose(page.getByRole('combobox', { name: 'Instance' }), 'quiet')
      await page.getByText('Nothing was sent or received in this time.').waitFor()
      await hand.choose(page.getByRole('combobox', { name: 'Period' }), '30 days')
      await page.waitForURL(/#\/charts\?(?=.*instance=quiet)(?=.*period=day_30)/)
      await hand.choose(page.getByRole('combobox', { name: 'Instance' }), 'shop')
      await canvas.waitFor()
      const row = page.getByRole('table', { name: 'In numbers' }).locator('tbody tr')
      await row.getByText('8', { exact: true }).waitFor()
      await hand.press(page.getByRole('button', { name: 'Refresh' }))
      await hand.rest()
      window.checkFaults()
      await window.close()
    })
})
