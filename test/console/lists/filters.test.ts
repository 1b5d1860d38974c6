import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { chipOf } from '../../kit/console/filters.ts'
import { visit } from '../../kit/console/visit.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Filters stand in the link: one that is set undoes no other. */

describe('the filters of a list', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  test('are all kept if the typed one counts before the page has drawn the chosen one', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/messages' })
    await chipOf(page, 'Status').click()
    await page.getByRole('menuitemradio', { name: 'Delivered' }).waitFor()
    await page.evaluate(`{
      const [delivered] = [...document.querySelectorAll('.pop [role=menuitemradio]')].filter(({ textContent }) =>
        textContent.startsWith('Delivered'),
      )
      const search = document.querySelector('.search-field input')
      search.value = 'winter'
      // The typed text counts after a pause: in the very next task, because the page is busy until then.
      setTimeout(() => delivered.click(), 300)
      search.dispatchEvent(new InputEvent('input', { bubbles: true }))
      for (const begun = performance.now(); performance.now() - begun < 500; );
    }`)
    await page.waitForFunction('location.hash.includes("text=winter")')
    const query = new URLSearchParams(String(await page.evaluate('location.hash')).split('?')[1])
    assert.deepEqual(Object.fromEntries(query), { status: 'delivered', text: 'winter' })
    window.checkFaults()
    await window.close()
  })

  test('that were typed bring nobody back who has left the list', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/messages' })
    await page.locator('.search-field input').waitFor()
    await page.evaluate(`{
      const search = document.querySelector('.search-field input')
      search.value = 'winter'
      search.dispatchEvent(new InputEvent('input', { bubbles: true }))
      for (const begun = performance.now(); performance.now() - begun < 500; );
      location.hash = '#/keys'
    }`)
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    assert.equal(await page.evaluate('location.hash'), '#/keys')
    window.checkFaults()
    await window.close()
  })
})
