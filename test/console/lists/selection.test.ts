import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
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
