import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { listInstances } from '../../src/contract/operations/instance-operations.ts'
import { openAccountMenu } from '../kit/console/account-menu.ts'
import {
  checkAccessibility,
  checkFitsEverywhere,
  needsChromium,
  openWindow,
  startBrowser,
} from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { create, eventually, everythingReceived, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* The frame of every screen: signing in and out, the menu, the languages, the appearance, the keys. */

/** Resolves when a page has done with a response what it does, and drawn that. */
async function isDrawn(page: Page): Promise<void> {
  for (let turn = 0; turn < 20; turn++)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))')
}

describe('the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  test('signs in with a key, and keeps it nowhere', async () => {
    const window = await visit(browser, posthorn)
    const { page, context } = window
    await page.reload()
    await page.locator('nav').waitFor()
    const storage = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    const secret = posthorn.adminKey.slice(4)
    const cookies = await context.cookies()
    for (const place of [storage, await page.content(), page.url(), JSON.stringify(cookies)])
      assert.ok(!String(place).includes(secret), 'the key is there')
    assert.ok(cookies.every(({ httpOnly }) => httpOnly))
    window.checkFaults()
    await window.close()
  })

  test('says why a key is refused, and takes the right one then', async () => {
    const { page, close } = await openWindow(browser, { url: posthorn.url })
    await page.goto(`${posthorn.url}/console`)
    const field = page.getByLabel('API key or operator token')
    await field.fill('phk_wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Copy the whole key again').waitFor()
    await field.fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('this was taken for the operator token').waitFor()
    await field.fill(`${posthorn.url}/link#phl_x`)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This link is for a customer').waitFor()
    await field.fill(`Authorization: Bearer ${posthorn.adminKey}`)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').waitFor()
    await close()
  })

  test('shows its host and the command for a link, speaks another language, and takes a whole link for a key', async () => {
    const { id } = await posthorn.createKey('default', 'read')
    const { page, close } = await openWindow(browser, { url: posthorn.url })
    await page.goto(`${posthorn.url}/console`)
    await page.getByText(new URL(posthorn.url).host, { exact: true }).waitFor()
    await page.getByText('npx posthorn console', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Español' }).click()
    await page.getByRole('heading', { name: 'Iniciar sesión en este servidor' }).waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByLabel('API key or operator token').focus()
    await page.keyboard.insertText(`${posthorn.url}/console#code=${await posthorn.signInCode(id)}`)
    await page.keyboard.press('Enter')
    await page.getByText('Read-only key').waitFor()
    await close()
  })

  test('signs out, and shows nothing any more', async () => {
    const window = await visit(browser, posthorn)
    const { page } = window
    await openAccountMenu(page)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await window.close()
  })

  test('says that somebody is not signed out if the server did not do it', async () => {
    const window = await visit(browser, posthorn)
    const { page } = window
    await page.route('**/console/session', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503 }) : route.continue(),
    )
    await openAccountMenu(page)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText(/\b503\b/).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Sign in' }).count(), 0)
    window.checkFaults([503])
    await window.close()
  })

  test('signs in by a link, also whoever is signed in already, and keeps the code nowhere; a used link ends no session', async () => {
    const { id } = await posthorn.createKey('default', 'read')
    const window = await visit(browser, posthorn)
    const { page } = window
    const codes = [await posthorn.signInCode(id), await posthorn.signInCode(id)] as const
    await page.goto(`${posthorn.url}/console#code=${codes[0]}`)
    await page.getByText('Read-only key').waitFor()
    assert.ok(!page.url().includes(codes[0]))
    await page.goto('about:blank')
    await page.goto(`${posthorn.url}/console#code=${codes[1]}`)
    await page.getByRole('navigation').first().waitFor()
    assert.ok(!page.url().includes(codes[1]))
    await page.goto('about:blank')
    await page.goto(`${posthorn.url}/console#code=${codes[1]}`)
    await page.getByText('has expired or was used already').waitFor()
    await page.getByRole('button', { name: 'Continue in the current session' }).click()
    await page.getByText('Read-only key').waitFor()
    window.checkFaults([401])
    await window.close()
  })

  test('says in every tab that another key has signed in, and does nothing by that key', async () => {
    await posthorn.createOrganization('partner')
    const partner = await posthorn.createKey('partner', 'admin')
    const window = await visit(browser, posthorn, { place: '#/instances/~new' })
    const { page: hears, context } = window
    const deaf = await context.newPage()
    const unnamed: string[] = []
    deaf.on('request', async (request) => {
      const path = new URL(request.url()).pathname
      const isStream = request.resourceType() === 'eventsource'
      const names = 'posthorn-opened-by' in (await request.allHeaders())
      if (path.startsWith('/v1/') && path !== '/v1/me' && !isStream && !names) unnamed.push(path)
    })
    await deaf.addInitScript('BroadcastChannel = class { postMessage() {} }')
    await deaf.goto(`${posthorn.url}/console#/instances/~new`)
    await deaf.getByRole('radio', { name: 'Sandbox' }).check()
    await deaf.getByLabel('Name', { exact: true }).fill('planted')
    // Its own requests have been answered: it hears of the other by the key that is pressed.
    await deaf.getByText('Live', { exact: true }).waitFor()
    const other = await context.newPage()
    await other.goto(`${posthorn.url}/console#code=${await posthorn.signInCode(partner.id)}`)
    await other.getByRole('navigation').first().waitFor()
    await hears.getByRole('heading', { name: 'Another key has signed in' }).waitFor()
    await deaf.getByRole('button', { name: 'Create instance' }).click()
    await deaf.getByRole('heading', { name: 'Another key has signed in' }).waitFor()
    const { body } = await posthorn.client(partner.key).call(listInstances)
    assert.deepEqual([body.data, unnamed], [[], []])
    await hears.getByRole('button', { name: 'Continue with the other key' }).click()
    await hears.getByText('partner').first().waitFor()
    window.checkFaults([403])
    await window.close()
  })

  test('stays at the screen that was chosen last, even if the one before is loaded later', async () => {
    const window = await openWindow(browser, { url: posthorn.url })
    const { page } = window
    const overview = Promise.withResolvers<void>()
    await page.route('**/overview/overview.*', async (route) => {
      await overview.promise
      await route.continue()
    })
    await page.goto(`${posthorn.url}/console`)
    await page.getByLabel('API key or operator token').fill(posthorn.adminKey)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').getByRole('link', { name: 'Instances' }).click()
    const create = page.getByRole('link', { name: 'New instance' }).first()
    await create.waitFor()
    const loaded = page.waitForEvent('requestfinished', (request) =>
      /overview\/overview\./.test(request.url()),
    )
    overview.resolve()
    await loaded
    await isDrawn(page)
    assert.ok(await create.isVisible(), 'the screen is gone')
    window.checkFaults()
    await window.close()
  })

  test('leads to what was created only from where that was asked for', async () => {
    const window = await visit(browser, posthorn, { place: '#/instances/~new?network=sandbox' })
    const { page } = window
    const answer = Promise.withResolvers<void>()
    await page.route('**/v1/instances', async (route) => {
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('late')
    const [response] = await Promise.all([
      page.waitForEvent('requestfinished', (request) => request.method() === 'POST'),
      (async () => {
        await page.getByRole('button', { name: 'Create instance' }).click()
        await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
        await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
        answer.resolve()
      })(),
    ])
    assert.equal((await response.response())?.status(), 201)
    await isDrawn(page)
    assert.ok(await page.getByRole('heading', { level: 1, name: 'Webhooks' }).isVisible())
    window.checkFaults()
    await window.close()
  })

  test('says where nothing is, and leads back', async () => {
    const window = await visit(browser, posthorn, { place: '#/instnces' })
    const { page } = window
    await page.getByRole('heading', { level: 1, name: 'There is nothing here.' }).waitFor()
    await checkAccessibility(page)
    const main = page.getByRole('main')
    await main.getByText('#/instnces').waitFor()
    await main.getByRole('button', { name: 'Search or jump' }).click()
    await page.keyboard.press('Escape')
    await main.getByRole('link', { name: 'Did you mean Instances?' }).click()
    await page.getByRole('heading', { level: 1, name: 'Instances' }).waitFor()
    await page.goto(`${posthorn.url}/console/xyz/a%2Fb?c=d`)
    await main.getByText('#/xyz/a%2Fb').waitFor()
    assert.equal(await main.getByRole('link', { name: /Did you mean/ }).count(), 0)
    await main.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.goto(`${posthorn.url}/console/instances/~new`)
    await page.getByRole('heading', { level: 1, name: 'New instance' }).waitFor()
    window.checkFaults()
    await window.close()
  })

  test('throws out whose key is revoked', async () => {
    const { id, key } = await posthorn.createKey('default', 'admin')
    const { page, close } = await visit(browser, posthorn, { key })
    await posthorn.revokeKey(id)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await close()
  })

  test('speaks the language of the browser, and another if it is chosen', async () => {
    const window = await visit(browser, posthorn, { language: 'pt-BR' })
    const { page } = window
    await openAccountMenu(page)
    await page.getByRole('button', { name: 'Sair', exact: true }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR')
    await page.getByLabel('Idioma').selectOption('es')
    await page.getByRole('link', { name: 'Instancias', exact: true }).waitFor()
    await page.reload()
    await openAccountMenu(page)
    await page.getByRole('button', { name: 'Cerrar sesión', exact: true }).waitFor()
    window.checkFaults()
    await window.close()
  })

  test('is used by keyboard', async () => {
    const window = await visit(browser, posthorn)
    const { page } = window
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    window.checkFaults()
    await window.close()
  })

  test('finds areas, instances, people and messages from anywhere, and goes there', async () => {
    await create(posthorn.admin, 'bakery')
    const { id } = await text(posthorn.admin, {
      instance: 'bakery',
      to: 'ana@replies.sandbox',
      text: 'Hello',
    })
    await eventually(
      'an answer',
      () => everythingReceived(posthorn.admin, 'bakery'),
      ({ length }) => length > 0,
    )
    const window = await visit(browser, posthorn, { place: '#/keys' })
    const { page } = window
    const field = page.getByRole('combobox', { name: 'Search or jump' })
    const option = (name: string | RegExp) => page.getByRole('option', { name, exact: true })
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('char')
    await option('Charts').waitFor()
    await checkAccessibility(page)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor()
    await page.getByRole('button', { name: 'Search or jump' }).click()
    await field.fill('bake')
    await option('bakery sandbox').click()
    await page.getByRole('heading', { level: 1, name: 'bakery' }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('ana')
    await option(/bakery$/).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Hello', { exact: true }).first().waitFor()
    await page.keyboard.press('Control+k')
    await field.fill(id)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^To / }).waitFor()
    window.checkFaults()
    await window.close()
  })

  for (const language of ['en', 'pt-BR', 'es'] as const)
    test(`the way in, and a place that is none, fit every screen and can be used by everyone, in ${language}`, async () => {
      const window = await openWindow(browser, { url: posthorn.url, language })
      const { page } = window
      await page.goto(`${posthorn.url}/console#/instnces`)
      const field = page.locator('input[type=password]')
      await field.fill('phk_wrong')
      await field.press('Enter')
      await page.getByRole('alert').waitFor()
      await checkFitsEverywhere(page)
      await field.fill(posthorn.adminKey)
      await field.press('Enter')
      await page.locator('main.nowhere h1').waitFor()
      await checkFitsEverywhere(page)
      window.checkFaults([401])
      await window.close()
    })
})
