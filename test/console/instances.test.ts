import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import jsqr from 'jsqr'
import type { Browser, Locator, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import {
  createInstance,
  getInstance,
  stopInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { getLinkPage, getLinkPagePicture } from '../../src/contract/operations/link-page-operations.ts'
import {
  checkAccessibility,
  checkFitsEverywhere,
  needsChromium,
  startBrowser,
} from '../kit/console/browser.ts'
import { chooseFilter } from '../kit/console/filters.ts'
import { ways } from '../kit/console/hands.ts'
import { giveOrder } from '../kit/console/order-menu.ts'
import { visit } from '../kit/console/visit.ts'
import { freePort } from '../kit/far-ends/free-ports.ts'
import { problemOf } from '../kit/http/problem-of.ts'
import { create, eventually, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* Instances: a person creates them, links them, looks after them and removes them. */

describe('the screens of instances', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    // The URL of link pages begins with that of the server.
    const address = `127.0.0.1:${await freePort()}`
    const environment = { POSTHORN_LISTEN: address, POSTHORN_BASE_URL: `http://${address}` }
    ;[posthorn, browser] = await Promise.all([startPosthorn({ environment }), startBrowser()])
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const statusIs = (page: Page, status: string) =>
    page.getByRole('region', { name: 'Connection' }).getByText(status, { exact: true }).waitFor()

  test('create one by the form of its network, stop it, start it, and remove it by typing its name', async () => {
    const window = await visit(browser, posthorn, { place: '#/instances' })
    const { page } = window
    await page.getByText('There is no instance yet.').waitFor()
    await page.getByRole('link', { name: 'New instance' }).first().click()
    // The list has a field of that name, too.
    await page.getByRole('heading', { level: 1, name: 'New instance' }).waitFor()
    await fillIn(page)
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Create instance' }).click()
    const name = page.getByLabel('Name', { exact: true })
    await page.getByRole('alert').waitFor()
    assert.match(await describedBy(page, name), /must be 1 to 63 characters/)
    await eventually('the focus', () => name.evaluate((field) => field.matches(':focus')), Boolean)
    await name.fill('shop')
    await page.getByRole('button', { name: 'Create instance' }).click()
    const replies = page.getByLabel('Reply window seconds')
    await eventually(
      'the fault',
      () => describedBy(page, replies),
      (said) => /at least 1/.test(said),
    )
    await replies.fill('60')
    await page.getByText('Show the API call', { exact: true }).click()
    const command = await page.getByRole('region', { name: 'Show the API call' }).textContent()
    assert.match(command ?? '', /"name":"shop".*"reply_window_seconds":60.*"token":"<token>"/)
    assert.ok(!command?.includes('open-sesame'), 'the secret is shown')
    await page.getByRole('button', { name: 'Create instance' }).click()
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    await statusIs(page, 'Connected')
    await page.getByText('<b>4711</b>').waitFor()
    await checkAccessibility(page)
    const { body } = await posthorn.admin.call(getInstance, { params: { name: 'shop' } })
    assert.deepEqual(
      [body.settings, body.metadata],
      [{ reply_window_seconds: 60 }, { customer: '<b>4711</b>' }],
    )
    const hand = ways[0].on(page)
    await giveOrder(page, hand, 'Stop')
    await statusIs(page, 'Stopped')
    await page.getByRole('button', { name: 'Start' }).click()
    await statusIs(page, 'Connected')
    await giveOrder(page, hand, 'Remove')
    const dialog = page.getByRole('dialog', { name: 'Remove' })
    await dialog.getByLabel('Type shop to confirm').fill('shop1')
    assert.ok(await dialog.getByRole('button', { name: 'Remove' }).isDisabled())
    await dialog.getByLabel('Type shop to confirm').fill('shop')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'Instances' }).waitFor()
    const gone = () => problemOf(posthorn.admin.call(getInstance, { params: { name: 'shop' } }))
    assert.equal((await gone()).code, 'instance_not_found')
    window.checkFaults([400])
    await window.close()
  })

  test('the list says what others do meanwhile, without moving rows', async () => {
    await create(posthorn.admin, 'list-a')
    await create(posthorn.admin, 'list-c', { behaviour: 'refuses_credentials' })
    const window = await visit(browser, posthorn, { place: '#/instances' })
    const { page } = window
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('list-c').getByText('Logged out').waitFor()
    await row('list-a').getByRole('img', { name: 'Messages of each hour: 0 sent and 0 failed' }).waitFor()
    await posthorn.admin.call(stopInstance, { params: { name: 'list-a' } })
    await row('list-a').getByText('Stopped').waitFor()
    await create(posthorn.admin, 'list-b')
    await page.getByRole('button', { name: 'Show 1 new instance' }).click()
    await row('list-b').getByText('Connected').waitFor()
    const hand = ways[0].on(page)
    await chooseFilter(page, hand, 'Status', 'Logged out')
    await row('list-a').waitFor({ state: 'detached' })
    assert.equal(await row('list-c').count(), 1)
    assert.match(page.url(), /status=logged_out/)
    await chooseFilter(page, hand, 'Status', 'All')
    await page.keyboard.press('/')
    await page.keyboard.type('LIST-B')
    await row('list-b').waitFor()
    await row('list-a').waitFor({ state: 'detached' })
    assert.match(page.url(), /search=LIST-B/)
    await page.getByRole('searchbox', { name: 'Name, account, label' }).fill('nobody has this')
    await page.getByText('Nothing matches these filters.').waitFor()
    await checkAccessibility(page)
    window.checkFaults()
    await window.close()
  })

  test('link one by the QR code on the screen, which is renewed, and by a phone number', async () => {
    const settings = { link: 'qr', links_after_seconds: 3600, link_step_seconds: 8 }
    const body = { name: 'by-phone', network: 'sandbox', settings }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
    const window = await visit(browser, posthorn, { place: '#/instances/by-phone' })
    const { page } = window
    const read = () => readQr(page)
    await page.getByRole('region', { name: "Scan this with the account's phone" }).waitFor()
    await checkAccessibility(page)
    const first = await eventually('a code', read, (code) => code !== '')
    assert.match(first, /^sandbox-link:/)
    await eventually('another code', read, (next) => next !== '' && next !== first)
    const late = { link: 'code', links_after_seconds: 3600, link_step_seconds: 2 }
    await posthorn.admin.call(createInstance, { body: { ...body, name: 'too-late', settings: late } })
    await page.goto(`${posthorn.url}/console#/instances/too-late`)
    await page.getByText('Start again when the phone is at hand').waitFor()
    await page.getByLabel('Phone number').fill('12')
    await page.getByRole('button', { name: 'Link with a code' }).click()
    const phone = page.getByLabel('Phone number')
    await eventually(
      'the fault',
      () => describedBy(page, phone),
      (said) => /7 to 15 digits/.test(said),
    )
    await page.getByLabel('Phone number').fill('+49 151 12345678')
    await page.getByRole('button', { name: 'Link with a code' }).click()
    await page.getByText(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/).waitFor()
    await page.getByRole('button', { name: 'Page for a customer' }).click()
    const dialog = page.getByRole('dialog', { name: 'Page for a customer' })
    await dialog.getByLabel('Name of your business').fill('Bakery Ana')
    await dialog.getByLabel('Valid').selectOption('For a week')
    const logo = dialog.getByLabel('Picture of your business')
    const picture = PNG.sync.write(new PNG({ width: 8, height: 8 }))
    const choose = (buffer: Buffer) => logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer })
    await choose(Buffer.concat([picture, randomBytes(100_000)]))
    await dialog.getByText('The picture is larger than 64 KB. Choose a smaller one.').waitFor()
    await choose(picture)
    await checkAccessibility(page)
    await dialog.getByRole('button', { name: 'Create the page' }).click()
    const url = (await dialog.getByText(/\/link#/).textContent()) ?? ''
    const customer = posthorn.client(new URL(url).hash.slice(1))
    assert.equal((await customer.call(getLinkPage)).body.title, 'Bakery Ana')
    const { bytes } = await customer.call(getLinkPagePicture, { accept: 'image/png' })
    assert.deepEqual(Buffer.from(bytes ?? []), picture)
    await dialog.getByRole('button', { name: 'End all pages' }).click()
    await page.getByText('The pages of this instance have ended.').waitFor()
    assert.equal((await problemOf(customer.call(getLinkPage))).code, 'link_page_not_found')
    window.checkFaults([400])
    await window.close()
  })

  test('link one by answering what the network asks', async () => {
    await create(posthorn.admin, 'asked', { link: 'question' })
    const window = await visit(browser, posthorn, { place: '#/instances/asked' })
    const { page } = window
    const question = await page.getByText(/^Which code did the sandbox send you/).textContent()
    await page.getByLabel('Answer').fill('wrong')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Answer').fill(/It sent (\S+)/.exec(question ?? '')?.[1] ?? '')
    await page.getByRole('button', { name: 'Send the answer' }).click()
    await page.getByRole('heading', { name: 'The account is linked.' }).waitFor()
    await statusIs(page, 'Connected')
    await checkAccessibility(page)
    const next = page.getByRole('link', { name: 'Send a first message' })
    assert.equal(await next.getAttribute('href'), '#/send?instance=asked')
    await text(posthorn.admin, { instance: 'asked', to: 'ana@reads.sandbox', text: '<img src=x>' })
    const message = page.getByRole('row').filter({ hasText: '<img src=x>' })
    await message.getByText('Read', { exact: true }).waitFor()
    window.checkFaults([409])
    await window.close()
  })

  test('replace the credentials that the network refuses', async () => {
    const credentials = { token: 'refused' }
    const body = { name: 'refused', network: 'sandbox', credentials }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
    const spanish = await visit(browser, posthorn, { place: '#/instances/refused', language: 'es' })
    await spanish.page.getByText('La red rechazó el token.').waitFor()
    await spanish.page.getByText('The sandbox refuses this token.').waitFor()
    await spanish.page.goto(`${posthorn.url}/console#/instances/~new?network=telegram`)
    await spanish.page.getByText('Un bot al que las personas escriben primero.').waitFor()
    await spanish.page.getByText('Quien lo tiene controla el bot.').waitFor()
    await spanish.page.getByRole('button', { name: 'Crear instancia' }).click()
    await spanish.page.getByText('El formato no es correcto').waitFor()
    await spanish.page.goto(`${posthorn.url}/console#/instances/nobody`)
    await spanish.page.getByRole('alert').getByText('Esa instancia no existe.').waitFor()
    spanish.checkFaults([400, 404])
    await spanish.close()
    const window = await visit(browser, posthorn, { place: '#/instances/refused' })
    const { page } = window
    await statusIs(page, 'Logged out')
    await page.getByText('token_refused').waitFor()
    await page.getByRole('button', { name: 'Replace credentials' }).click()
    await page.getByRole('dialog').getByLabel('Token').fill('open-sesame')
    await page.keyboard.press('Enter')
    await statusIs(page, 'Connected')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    window.checkFaults()
    await window.close()
  })

  test('the network restricts one, says until when, and what templates it has', async () => {
    await create(posthorn.admin, 'restricted', { behaviour: 'restricts', after_seconds: 1 })
    const window = await visit(browser, posthorn, { place: '#/instances/restricted' })
    const { page } = window
    const connection = page.getByRole('region', { name: 'Connection' })
    await connection.getByText('The sandbox restricts the account for a while').waitFor()
    await connection.getByText('All messages wait until it ends.').waitFor()
    await connection.getByText('It lasts until').waitFor()
    await page.getByRole('button', { name: 'Ask the network' }).click()
    const row = page.getByRole('table', { name: 'Templates' }).getByRole('row')
    await row.filter({ hasText: 'order_update' }).filter({ hasText: 'en_US' }).getByText('Approved').waitFor()
    await row.filter({ hasText: 'account_alert' }).getByText('INVALID_FORMAT').waitFor()
    await page.goto(`${posthorn.url}/console#/`)
    const needs = page.getByRole('region', { name: 'Needs your attention' })
    await needs
      .getByRole('listitem')
      .filter({ hasText: 'restricted' })
      .getByText(/for a while/)
      .waitFor()
    window.checkFaults()
    await window.close()
  })

  for (const way of ways)
    test(`choose a network, create one, stop it, and remove it, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Instances')
      await hand.press(page.getByRole('link', { name: 'New instance' }).first())
      await hand.pick(page.getByRole('radio', { name: 'XMPP' }))
      await page.getByRole('textbox', { name: 'Address' }).waitFor()
      await hand.pick(page.getByRole('radio', { name: 'Sandbox' }))
      await hand.enter(page.getByRole('textbox', { name: 'Name', exact: true }), 'held')
      await hand.press(page.getByRole('button', { name: 'Create instance' }))
      await page.getByRole('heading', { name: 'held' }).waitFor()
      await statusIs(page, 'Connected')
      await giveOrder(page, hand, 'Stop')
      await statusIs(page, 'Stopped')
      await giveOrder(page, hand, 'Remove')
      await hand.closeDialog()
      await giveOrder(page, hand, 'Remove')
      await hand.enter(page.getByRole('textbox', { name: 'Type held to confirm' }), 'held')
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Remove' }))
      await page.getByRole('heading', { name: 'Instances' }).waitFor()
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('all of it fits a phone, in the dark', async () => {
    await create(posthorn.admin, 'phone')
    const window = await visit(browser, posthorn, { place: '#/instances', width: 360, colorScheme: 'dark' })
    const { page } = window
    await page.getByRole('link', { name: 'phone', exact: true }).waitFor()
    await checkFits(page)
    await page.getByRole('link', { name: 'phone', exact: true }).click()
    await statusIs(page, 'Connected')
    await checkFits(page)
    await page.goto(`${posthorn.url}/console#/instances/~new?network=xmpp`)
    await page.getByLabel('Address').waitFor()
    await checkFits(page)
    window.checkFaults()
    await window.close()
  })

  for (const language of ['pt-BR', 'es'] as const)
    test(`choosing a network and linking fit every screen, in ${language}`, async () => {
      const name = `wide-${language.toLowerCase()}`
      const settings = { link: 'qr', links_after_seconds: 3600, link_step_seconds: 3600 }
      await posthorn.admin.call(createInstance, { body: { name, network: 'sandbox', settings } })
      const window = await visit(browser, posthorn, { place: `#/instances/${name}`, language })
      const { page } = window
      await page.locator('.link-picture img').waitFor()
      await checkFitsEverywhere(page)
      await page.goto(`${posthorn.url}/console#/instances/~new`)
      await page.getByRole('radio', { name: 'XMPP' }).check()
      await page.locator('form .panel > details > summary').first().click()
      await checkFitsEverywhere(page)
      window.checkFaults()
      await window.close()
    })

  test('a key that may only read is offered nothing that it may not do', async () => {
    await create(posthorn.admin, 'watched')
    const { key } = await posthorn.createKey('default', 'read')
    const window = await visit(browser, posthorn, { key, place: '#/instances/watched' })
    const { page } = window
    await statusIs(page, 'Connected')
    assert.equal(await page.getByRole('button', { name: /Stop|Remove|Restart/ }).count(), 0)
    window.checkFaults()
    await window.close()
  })
})

/** Chooses the sandbox, and fills its form with a name and a time that are wrong. */
async function fillIn(page: Page): Promise<void> {
  const card = (network: string) => page.getByRole('radio', { name: network, exact: true })
  assert.ok(await card('WhatsApp').isChecked(), 'what most people want is chosen already')
  await page.getByText('WhatsApp allows no unofficial apps').waitFor()
  await card('Sandbox').check()
  await page.getByText('WhatsApp allows no unofficial apps').waitFor({ state: 'detached' })
  await page.getByLabel('Name', { exact: true }).fill('Shop 1')
  assert.equal(await page.getByRole('textbox').count(), 1, 'what few need is folded')
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Token').fill('open-sesame')
  await page.getByLabel('Reply window seconds').fill('0')
  await page.getByRole('button', { name: 'Add a label' }).click()
  await page.getByLabel('Label', { exact: true }).fill('customer')
  await page.getByLabel('Value').fill('<b>4711</b>')
}

/** Returns the description of a field: its hint, or the reason why its value was refused. */
async function describedBy(page: Page, field: Locator): Promise<string> {
  const id = await field.getAttribute('aria-describedby')
  return (await page.locator(`[id="${id}"]`).textContent()) ?? ''
}

/** Returns the content of the QR code that a phone reads from the screen; empty if there is none. */
async function readQr(page: Page): Promise<string> {
  const picture = page.getByRole('img', { name: 'QR code that links the account' })
  // It may be replaced by the next one just now.
  const photo = await picture.screenshot({ timeout: 5_000 }).catch(() => undefined)
  if (!photo) return ''
  const { data, width, height } = PNG.sync.read(photo)
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data ?? ''
}

async function checkFits(page: Page): Promise<void> {
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  await checkAccessibility(page)
}
