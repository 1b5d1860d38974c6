import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import type { ProblemError } from '../../src/contract/client/client.ts'
import { listInstances } from '../../src/contract/operations/instance-operations.ts'
import { checkAccessibility, needsChromium, openWindow, startBrowser } from '../kit/console/browser.ts'
import { type Hand, ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { create } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A person hands out keys and takes them back; and the operator makes organizations. */

describe('keys and organizations in the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const operatorToken = () => readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim()

  /** Makes a key through the form, and returns it as it is shown once. */
  async function createKey(page: Page, hand: Hand, name: string, role: string): Promise<string> {
    await hand.press(page.getByRole('button', { name: 'New key' }))
    const dialog = page.getByRole('dialog')
    await hand.enter(dialog.getByRole('textbox', { name: 'Name' }), name)
    await hand.choose(dialog.getByRole('combobox', { name: 'Role' }), role)
    await hand.press(dialog.getByRole('button', { name: 'New key' }))
    const key = await page
      .getByRole('dialog', { name: 'Key' })
      .getByText(/^phk_\w{59}$/)
      .textContent()
    await hand.closeDialog()
    // A dialog that is closed is hidden before it leaves the page.
    await page.locator('dialog').waitFor({ state: 'detached' })
    return key ?? ''
  }

  /** Revokes the key in a row, by typing how it begins. */
  async function revoke(page: Page, hand: Hand, row: Locator): Promise<void> {
    const hint = ((await row.locator('code').textContent()) ?? '').replace('…', '')
    await hand.press(row.getByRole('button', { name: 'Revoke' }))
    await hand.enter(page.getByLabel(`Type ${hint} to confirm`), hint)
    await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }))
    await row.waitFor({ state: 'detached' })
  }

  for (const way of ways)
    test(`a key is made, signs somebody in, and throws them out once it is revoked, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Keys')
      const key = await createKey(page, hand, 'Order system', 'read: only reads')
      const row = page.getByRole('row').filter({ hasText: key.slice(0, 10) })
      await row.getByText('Order system').waitFor()
      assert.ok(!(await page.content()).includes(key), 'the key is still in the page')
      const client = posthorn.client(key)
      assert.equal((await client.call(listInstances)).status, 200)
      const other = await openWindow(browser, { url: posthorn.url, ...way.window })
      const otherHand = way.on(other.page)
      await other.page.goto(`${posthorn.url}/console`)
      await otherHand.enter(other.page.getByLabel('API key'), key)
      await otherHand.press(other.page.getByRole('button', { name: 'Sign in' }))
      await otherHand.goTo('Messages')

      await revoke(page, hand, row)
      await assert.rejects(client.call(listInstances), (error) => (error as ProblemError).status === 401)
      await hand.press(page.getByLabel('Show revoked keys'))
      await row.getByText('Revoked').waitFor()
      await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await otherHand.rest()
      other.checkFaults([401])
      await other.close()
      window.checkFaults()
      await window.close()
    })

  test('a key leads to the changes that it made', async () => {
    const { id, key } = await posthorn.createKey('default', 'admin')
    await create(posthorn.client(key), 'changed-by-key')
    await create(posthorn.admin, 'changed-by-another')
    const { page, ...window } = await visit(browser, posthorn, { place: '#/keys' })
    const hint = key.slice(0, 10)
    await page.getByRole('link', { name: `Changes by ${hint}`, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    assert.equal(await page.evaluate('location.hash'), `#/audit?actor=${id}`)
    const rows = page.getByRole('table').locator('tbody tr')
    await rows.filter({ hasText: 'changed-by-key' }).waitFor()
    assert.equal(await rows.filter({ hasText: 'changed-by-another' }).count(), 0)
    window.checkFaults()
    await window.close()
  })

  for (const [at, way] of ways.entries())
    test(`the operator makes an organization and its first key, and revokes it, ${way.name}`, async () => {
      const name = `acme-${at}`
      const window = await visit(browser, posthorn, { ...way.window, key: operatorToken() })
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Organizations')
      await hand.press(page.getByRole('button', { name: 'New organization' }))
      const dialog = page.getByRole('dialog')
      await hand.enter(dialog.getByRole('textbox', { name: 'Name' }), name)
      await hand.press(dialog.getByRole('button', { name: 'New organization' }))
      await page.getByRole('heading', { name }).waitFor()
      await hand.press(page.getByRole('button', { name: 'Show the API call' }))
      await page.getByText(/the operator's token .* operator\.token/).waitFor()
      await hand.closeDialog()
      const client = posthorn.client(await createKey(page, hand, 'First', 'admin: everything'))
      assert.equal((await client.call(listInstances)).status, 200)
      assert.equal(await page.getByRole('link', { name: 'Instances' }).count(), 0)
      await revoke(page, hand, page.getByRole('row').filter({ hasText: 'First' }))
      await assert.rejects(client.call(listInstances), (error) => (error as ProblemError).status === 401)
      await hand.goTo('Organizations')
      await hand.press(page.getByRole('link', { name, exact: true }))
      await page.getByText('There is no key.').waitFor()
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('a key that may only read is offered no keys', async () => {
    const { key } = await posthorn.createKey('default', 'read')
    const window = await visit(browser, posthorn, { key })
    await window.page.getByRole('link', { name: 'Events' }).waitFor()
    assert.equal(await window.page.getByRole('link', { name: 'Keys' }).count(), 0)
    window.checkFaults()
    await window.close()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async () => {
      const own = await visit(browser, posthorn, { width, colorScheme, place: '#/keys' })
      await own.page.getByRole('row').nth(1).waitFor({ state: 'attached' })
      await checkAccessibility(own.page)
      await own.close()
      const key = operatorToken()
      const operators = await visit(browser, posthorn, {
        width,
        colorScheme,
        key,
        place: '#/organizations/default',
      })
      await operators.page.getByRole('heading', { name: 'Keys' }).waitFor()
      await checkAccessibility(operators.page)
      operators.checkFaults()
      await operators.close()
    })
  }
})
