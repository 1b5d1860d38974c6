import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import {
  checkAccessibility,
  checkFitsEverywhere,
  needsChromium,
  startBrowser,
  type Window,
} from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The palette: it finds, acts, and remembers what was used; what comes late changes nothing that was chosen. */

const instances = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']

describe('the palette', { ...needsChromium, timeout: 180_000 }, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    for (const name of instances) await create(posthorn.admin, name)
    await text(posthorn.admin, { instance: 'sixth', to: 'olga@replies.sandbox', text: 'Hello' })
    await eventually(
      'an answer',
      () => everythingReceived(posthorn.admin, 'sixth'),
      ({ length }) => length > 0,
    )
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
  })

  const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Search or jump' })
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name, exact: true })
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

  /** Opens the console at an area, and waits until it is there. */
  async function open(area: string, options: Parameters<typeof visit>[2] = {}): Promise<Window> {
    const window = await visit(browser, posthorn, { place: `#/${area.toLowerCase()}`, ...options })
    await heading(window.page, area).waitFor()
    return window
  }

  async function openPalette(page: Page, typed = ''): Promise<void> {
    await page.keyboard.press('Control+k')
    await fieldOf(page).waitFor()
    if (typed !== '') await fieldOf(page).fill(typed)
  }

  const isClosed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

  const statusIs = (name: string, wanted: string) =>
    eventually(
      `${name} to be ${wanted}`,
      async () => (await posthorn.admin.call(getInstance, { params: { name } })).body.status as string,
      (status) => status === wanted,
    )

  test('finds people of every instance', async () => {
    const { page, ...window } = await open('Keys')
    await openPalette(page, 'olga')
    await option(page, /sixth$/).click()
    await isClosed(page)
    await page.getByRole('log').getByText('Hello', { exact: true }).first().waitFor()
    window.checkFaults()
    await window.close()
  })

  test('stops and starts an instance that is named, and offers only what is possible', async () => {
    const { page, ...window } = await open('Keys')
    await openPalette(page, 'stop second')
    await option(page, 'Stop second sandbox').waitFor()
    assert.equal(await option(page, /^Start /).count(), 0)
    await checkAccessibility(page)
    await page.keyboard.press('Enter')
    await page.getByText('second is being stopped.').waitFor()
    await statusIs('second', 'stopped')
    await openPalette(page, 'second')
    await option(page, 'Start second sandbox').click()
    assert.equal(await option(page, 'Stop second sandbox').count(), 0)
    await statusIs('second', 'connected')
    await openPalette(page, 'restart third')
    await option(page, 'Restart third sandbox').click()
    await page.getByText('third is being restarted.').waitFor()
    window.checkFaults()
    await window.close()
  })

  test('offers a key only what it may do', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const { page, ...window } = await open('Messages', { key })
    await openPalette(page)
    await option(page, 'Charts').waitFor()
    for (const name of ['New instance', 'New webhook', 'New key', 'Send a message', 'Webhooks'])
      assert.equal(await option(page, name).count(), 0, name)
    await fieldOf(page).fill('third')
    await option(page, 'third sandbox').waitFor()
    await option(page, 'Messages with “third”').waitFor()
    assert.equal(await option(page, /(Stop|Restart) third/).count(), 0)
    window.checkFaults()
    await window.close()
  })

  test('opens the forms of new things, changes the page, and signs out', async () => {
    const { page, ...window } = await open('Webhooks')
    for (const [name, title] of [
      ['New webhook', 'New webhook'],
      ['New key', 'New key'],
    ] as const) {
      await openPalette(page, name)
      await option(page, name).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: title }).waitFor()
      await page.keyboard.press('Escape')
      await isClosed(page)
    }
    await page.waitForFunction("location.hash === '#/keys'")
    await openPalette(page, 'new inst')
    await page.keyboard.press('Enter')
    await heading(page, 'New instance').waitFor()
    await openPalette(page, 'dark')
    await option(page, 'Appearance: Dark').click()
    await page.locator('html[data-appearance=dark]').waitFor()
    await openPalette(page, 'copy')
    await option(page, 'Copy the link to this page').click()
    await page.getByText('Copied', { exact: true }).waitFor()
    await openPalette(page, 'espanol')
    await option(page, 'Language: Español').click()
    await page.locator('html[lang=es]').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Buscar o ir a' }).fill('cerrar')
    await page.getByRole('option', { name: 'Cerrar sesión' }).click()
    await page.getByRole('heading', { name: 'Iniciar sesión' }).waitFor()
    window.checkFaults()
    await window.close()
  })

  test('shows what was used last first, and remembers no person', async () => {
    const { page, context, ...window } = await open('Keys')
    await openPalette(page, 'charts')
    await page.keyboard.press('Enter')
    await heading(page, 'Charts').waitFor()
    await openPalette(page, 'fourth')
    await option(page, 'fourth sandbox').click()
    await heading(page, 'fourth').waitFor()
    await openPalette(page, 'olga')
    await option(page, /sixth$/).click()
    await isClosed(page)
    await openPalette(page)
    const last = page.getByRole('group', { name: 'Used last' }).getByRole('option')
    await last.first().waitFor()
    assert.deepEqual(await last.allTextContents(), ['fourth', 'Charts'])
    await checkFitsEverywhere(page)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.keyboard.press('Enter')
    await heading(page, 'fourth').waitFor()
    await page.reload()
    await heading(page, 'fourth').waitFor()
    await openPalette(page)
    await last.first().waitFor()
    assert.deepEqual(await last.allTextContents(), ['Charts'], 'where one is already is not offered')
    const stored = String(await page.evaluate('JSON.stringify({ ...localStorage })'))
    assert.ok(!/olga/i.test(stored), stored)
    window.checkFaults()
    await window.close()
  })

  test('does what was typed however late its code and the answers come, and no order that was not seen', async () => {
    const { page, context, ...window } = await open('Keys')
    const code = Promise.withResolvers<void>()
    await context.route('**/finder.ts', async (route) => {
      await code.promise
      await route.continue()
    })
    const answers = Promise.withResolvers<void>()
    await context.route('**/v1/instances?*', async (route) => {
      await answers.promise
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type('fifth')
    await page.keyboard.press('Enter')
    code.resolve()
    await fieldOf(page).waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'fifth')
    await page.getByRole('status').getByText('Loading…').waitFor()
    answers.resolve()
    await heading(page, 'fifth').waitFor()
    await openPalette(page)
    await page.keyboard.type('stop fifth')
    await page.keyboard.press('Enter')
    await option(page, 'Stop fifth sandbox').and(page.locator('[aria-selected=true]')).waitFor()
    const { body } = await posthorn.admin.call(getInstance, { params: { name: 'fifth' } })
    assert.equal(body.status, 'connected')
    window.checkFaults()
    await window.close()
  })
})
