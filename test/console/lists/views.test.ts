import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openAccountMenu } from '../../kit/console/account-menu.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { chipOf, chooseFilter } from '../../kit/console/filters.ts'
import { ways } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, reaches, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The ways in which a person keeps a list as they want it: names for filters, and the height of rows. */

describe('a list', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    const refused = await text(posthorn.admin, { instance: 'shop', to: 'ana@refuses.sandbox', text: 'No' })
    await text(posthorn.admin, { instance: 'shop', to: 'bo@delivers.sandbox', text: 'Yes' }, 20)
    await reaches(posthorn.admin, refused.id, 'failed')
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
  })

  const rows = (page: Page) => page.getByRole('table', { name: 'Messages' }).locator('tbody tr')
  const views = (page: Page) => page.getByRole('navigation', { name: 'Views' })

  for (const way of ways)
    test(`keeps filters under a name in this browser, and takes them out again, ${way.name}`, async () => {
      const { page, ...window } = await visit(browser, posthorn, { ...way.window, place: '#/messages' })
      const hand = way.on(page)
      await hand.press(views(page).getByRole('link', { name: 'Failed' }))
      await rows(page).nth(1).waitFor({ state: 'detached' })
      await rows(page).getByText('No', { exact: true }).waitFor()
      await hand.press(views(page).getByRole('link', { name: 'All', exact: true }))
      await rows(page).nth(1).waitFor()
      await chooseFilter(page, hand, 'Status', 'Delivered')
      await chooseFilter(page, hand, 'Time', 'Last 24 hours')
      await hand.press(page.getByRole('button', { name: 'Save as a view' }))
      await hand.enter(page.getByLabel('Name of the view'), 'Arrived')
      await hand.press(page.getByRole('button', { name: 'Save', exact: true }))
      const saved = views(page).getByRole('link', { name: 'Arrived' })
      await saved.and(page.locator('[aria-current]')).waitFor()
      await checkAccessibility(page)
      await hand.press(views(page).getByRole('link', { name: 'All', exact: true }))
      await rows(page).nth(1).waitFor()
      await page.reload()
      await way.on(page).press(saved)
      await rows(page).getByText('Yes', { exact: true }).waitFor()
      await rows(page).nth(1).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Remove the view' }).click()
      await saved.waitFor({ state: 'detached' })
      await rows(page).nth(1).waitFor()
      await page.reload()
      await rows(page).nth(1).waitFor()
      assert.equal(await saved.count(), 0)
      window.checkFaults()
      await window.close()
    })

  test('passes over what is no view where views are kept, and keeps no more than twelve', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/messages' })
    await rows(page).nth(1).waitFor()
    const view = (name: unknown, query: unknown) => ({ name, query })
    const many = Array.from({ length: 40 }, (_, at) => view(`View ${at}`, { status: 'read' }))
    const kept = [
      7,
      null,
      view('', {}),
      view('x'.repeat(500), {}),
      view('Numbers', { status: 7 }),
      view('List', ['status']),
      view('Long', { text: 'x'.repeat(9_000) }),
      view('<b>Good</b>', { status: 'failed' }),
      ...many,
    ]
    const { organization } = await page.evaluate<{ organization: { id: string } }>(
      `fetch('v1/me').then((response) => response.json())`,
    )
    const place = `posthorn-views-messages-${organization.id}`
    for (const [content, count] of [
      [JSON.stringify(kept), 3 + 12],
      ['{"name":', 3],
      ['{"length": 3}', 3],
    ] as const) {
      await page.evaluate(`localStorage.setItem(${JSON.stringify(place)}, ${JSON.stringify(content)})`)
      await page.reload()
      await rows(page).nth(1).waitFor()
      assert.equal(await views(page).getByRole('link').count(), count)
    }
    window.checkFaults()
    await window.close()
  })

  test('is as dense as the person wants, from then on', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/messages' })
    const height = async () => (await rows(page).first().boundingBox())?.height ?? 0
    await rows(page).nth(1).waitFor()
    const before = await height()
    await openAccountMenu(page)
    await page.getByLabel('Rows').selectOption('Dense')
    await page.keyboard.press('Escape')
    const dense = await height()
    assert.ok(dense < before, `${dense} is not less than ${before} pixels`)
    await page.reload()
    await rows(page).nth(1).waitFor()
    assert.equal(await height(), dense)
    await checkAccessibility(page)
    await page.keyboard.press('Escape')
    await chipOf(page, 'Status').click()
    await page.keyboard.press('f')
    await page.keyboard.press('Enter')
    await page.waitForURL(/status=failed/)
    window.checkFaults()
    await window.close()
  })
})
