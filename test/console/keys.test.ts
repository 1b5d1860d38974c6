import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { ProblemError } from '../../src/contract/client.ts'
import { listInstances } from '../../src/contract/operations/instance-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* Somebody who hands out keys and takes them back; and the operator, who makes organizations. */

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

  /** Makes a key through the form, by keyboard alone, and returns it as it is shown once. */
  async function createKey(page: Page, name: string, role: string): Promise<string> {
    await page.getByRole('button', { name: 'New key' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Role').selectOption(role)
    await dialog.getByLabel('Name').press('Enter')
    const key = await page
      .getByRole('dialog', { name: 'Key' })
      .getByText(/^phk_\w{59}$/)
      .textContent()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    return key ?? ''
  }

  test('a key is made, works, and works no more once it is revoked', async () => {
    const window = await visit(browser, posthorn, { place: '#/keys' })
    const { page } = window
    const key = await createKey(page, 'Order system', 'read')
    const row = page.getByRole('row').filter({ hasText: 'Order system' })
    await row.waitFor()
    assert.ok(!(await page.content()).includes(key), 'the key is still in the page')
    const client = posthorn.client(key)
    assert.equal((await client.call(listInstances)).status, 200)

    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByLabel(/^Type .* to confirm$/).fill(key.slice(0, 10))
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    await assert.rejects(client.call(listInstances), (error) => (error as ProblemError).status === 401)
    await page.getByLabel('Show revoked keys').check()
    await row.getByText('Revoked').waitFor()
    window.checkFaults()
    await window.close()
  })

  test('the operator makes an organization and its first key', async () => {
    const window = await visit(browser, posthorn, { key: operatorToken() })
    const { page } = window
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('acme')
    await page.getByRole('dialog').getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('heading', { name: 'acme' }).waitFor()
    await page.getByRole('button', { name: 'Show the API call' }).click()
    await page.getByText(/the operator's token .* operator\.token/).waitFor()
    await page.keyboard.press('Escape')
    const key = await createKey(page, 'First', 'admin')
    assert.equal((await posthorn.client(key).call(listInstances)).status, 200)
    assert.equal(await page.getByRole('link', { name: 'Instances' }).count(), 0)
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
