import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { keyboard } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The code of a screen comes by a connection that a router forgot, while the server answers all else. */

describe('a screen that does not come', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
  })

  for (const isPhone of [false, true])
    test(`is said to be late, and comes when the page is reloaded, ${isPhone ? 'by finger' : 'by keyboard alone'}`, async () => {
      const options = { width: isPhone ? 360 : 1280, isPhone, place: '#/keys' }
      const window = await visit(browser, posthorn, options)
      const { page } = window
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
      const end = Promise.withResolvers<void>()
      await page.route('**/event-screen.ts', () => end.promise, { times: 1 })
      await page.evaluate("location.hash = '#/events'")
      await page.getByText('Loading…').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Reload the page' }).count(), 0)
      await page.getByText('The server answers, but the connection for this page may hang.').waitFor()
      await checkAccessibility(page)
      const reload = page.getByRole('button', { name: 'Reload the page' })
      // The page is gone at once: it cannot be looked at after the tap.
      if (isPhone) await reload.tap()
      else await keyboard.on(page).press(reload)
      await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
      end.resolve()
      window.checkFaults()
      await window.close()
    })
})
