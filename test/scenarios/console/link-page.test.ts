import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import {
  createInstance,
  getInstanceStatus,
  stopInstance,
} from '../../../src/contract/operations/instance-operations.ts'
import { createLinkPage, revokeLinkPages } from '../../../src/contract/operations/link-page-operations.ts'
import type { CreateLinkPage } from '../../../src/contract/resources/link-page.ts'
import {
  checkAccessibility,
  checkFitsEverywhere,
  needsChromium,
  openWindow,
  startBrowser,
  type WindowOptions,
} from '../../kit/console/browser.ts'
import { type Hand, ways } from '../../kit/console/hands.ts'
import { english, type LinkPageWords, portuguese, spanish } from '../../kit/console/link-page-words.ts'
import { visit as visitConsole } from '../../kit/console/visit.ts'
import { environmentFor, textIn, unpaced } from '../../kit/networks/whatsapp/stage.ts'
import { eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../../simulators/whatsapp/start-whatsapp.ts'

/** An image's size in the browser. */
interface Sized {
  readonly naturalWidth: number
}

describe('a customer opens a link page', { ...needsChromium, timeout: 300_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let browser: Browser
  before(async () => {
    whatsapp = await startWhatsApp({ after: () => {} })
    const environment = { ...environmentFor(whatsapp), POSTHORN_BASE_URL: 'https://posthorn.example' }
    posthorn = await startPosthorn({ environment })
    browser = await startBrowser()
  })
  after(async () => {
    await browser?.close()
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  const at = (name: string) => ({ params: { name } })
  const statusOf = async (name: string) =>
    (await posthorn.admin.call(getInstanceStatus, at(name))).body.status

  /** Makes an instance whose account is not being linked. */
  async function unlinked(name: string, network: string, settings: object): Promise<void> {
    await posthorn.admin.call(createInstance, {
      body: { name, network, settings: { ...settings } },
      waitSeconds: 20,
    })
    await posthorn.admin.call(stopInstance, { ...at(name), waitSeconds: 10 })
  }

  /** Opens the page as the visitor for whom it was made. */
  async function visit(name: string, body: CreateLinkPage, options: Omit<WindowOptions, 'url'> = {}) {
    const { url } = (await posthorn.admin.call(createLinkPage, { ...at(name), body })).body
    const window = await openWindow(browser, { url: posthorn.url, ...options })
    await window.page.goto(url.replace('https://posthorn.example', posthorn.url))
    return window
  }

  const heading = (page: Page, text: string | RegExp) =>
    page.getByRole('heading', { level: 1, name: text }).waitFor()

  /** Reads the notice that comes before anything that links an account, and agrees with one press. */
  async function agree(page: Page, hand: Pick<Hand, 'press'>, words: LinkPageWords = english): Promise<void> {
    await page.getByText(words.warning).waitFor()
    assert.equal(
      await page.locator('.qr, .code, img:not(.business img), input').count(),
      0,
      'something is shown too early',
    )
    assert.equal(await page.getByRole('button').count(), 1)
    await hand.press(page.getByRole('button', { name: words.agree }))
  }

  /** Returns the text that a phone reads off the screen. */
  async function scanned(page: Page): Promise<string> {
    await page.locator('.qr:not(.fading) img').waitFor()
    return textIn(await page.screenshot())
  }

  const box = async (element: Locator) => (await element.boundingBox()) ?? assert.fail('nothing is shown')

  const plainly = { press: (target: Locator) => target.click() }

  for (const [at, way] of ways.entries())
    test(`which warns them, and starts nothing until they agree; a phone scans the QR code from the screen, ${way.name}`, async () => {
      const [name, phone] = [`shop-${at}`, `491510000001${at}`]
      await whatsapp.control.createPerson({ phone })
      await unlinked(name, 'whatsapp', unpaced)
      const { page, checkFaults, close } = await visit(name, { title: 'Bakery Ana' }, way.window)
      const hand = way.on(page)
      await heading(page, 'Link your WhatsApp account')
      assert.match((await page.locator('main').textContent()) ?? '', /^Request fromBakery Ana/)
      await checkAccessibility(page)
      await page.reload()
      await heading(page, 'Link your WhatsApp account')
      assert.equal(await statusOf(name), 'stopped')
      await agree(page, hand)
      // On a phone, the way with a code comes first.
      if (way.window.isPhone) {
        assert.equal(await statusOf(name), 'stopped')
        await hand.press(page.getByRole('button', { name: 'Show a QR code' }))
      }
      const qr = await scanned(page)
      await page.getByText(english.warning).waitFor()
      await page.getByText('This page never asks for a password').waitFor()
      await page.getByText('under Linked devices, tap this device, and then Log out').waitFor()
      await checkAccessibility(page)
      await page
        .getByRole('timer')
        .getByText(/^It is valid for \d:\d\d\.$/)
        .waitFor()
      await hand.rest()
      await whatsapp.control.scan({ person: phone, qr })
      await heading(page, 'Your account is linked')
      await hand.rest()
      await checkAccessibility(page)
      await page.reload()
      await heading(page, 'Your account is linked')
      assert.equal(await statusOf(name), 'connected')
      checkFaults()
      await close()
    })

  for (const width of [360, 1280])
    test(`and sees the picture of the business beside its name, ${width} pixels wide`, async () => {
      const name = `pictured-${width}`
      await unlinked(name, 'sandbox', { link: 'qr', links_after_seconds: 3600 })
      const picture = PNG.sync.write(new PNG({ width: 1024, height: 600 })).toString('base64')
      const body = { title: 'Bakery Ana', picture }
      const { page, checkFaults, close } = await visit(name, body, { width })
      const image = page.getByRole('img', { name: 'Picture of Bakery Ana', exact: true })
      await image.waitFor()
      const source = await image.getAttribute('src')
      assert.match(source ?? '', /^blob:/, 'it comes from this server, and no URL has the token')
      assert.equal(await image.evaluate((element) => (element as unknown as Sized).naturalWidth), 1024)
      await page
        .getByText('The name and the picture above were given by the sender. Nobody has checked them.')
        .waitFor()
      await checkAccessibility(page)
      const [shown, title] = [await box(image), await box(page.getByText('Bakery Ana', { exact: true }))]
      assert.ok(shown.width <= 64 && shown.height <= 64, 'it takes no room from the warning')
      assert.ok(
        shown.x + shown.width < title.x && shown.y < title.y + title.height,
        'they stand side by side',
      )
      const warning = await box(page.getByText(english.warning))
      assert.ok(warning.y + warning.height < Number(await page.evaluate('innerHeight')), 'it is seen at once')
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= width)
      await agree(page, plainly)
      await scanned(page)
      assert.equal(await image.getAttribute('src'), source, 'it is loaded once')
      await checkAccessibility(page)
      checkFaults()
      await close()
    })

  test('on a small phone, in the dark, in Portuguese and by keyboard alone, and types a code', async () => {
    await unlinked('desk', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    const title = '<img src=x onerror="document.title=1">'
    const options = { width: 360, colorScheme: 'dark', language: 'en' } as const
    const { page, checkFaults, close } = await visit('desk', { title, language: 'pt-BR' }, options)
    await heading(page, 'Vincule sua conta do Sandbox')
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR')
    assert.match((await page.locator('main').textContent()) ?? '', /^Pedido de<img src=x onerror=/)
    const tabTo = async (name: string) => {
      const button = page.getByRole('button', { name })
      const isThere = () => button.evaluate((element) => element === element.ownerDocument.activeElement)
      while (!(await isThere())) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
    }
    await tabTo('Confio em quem enviou, continuar')
    assert.match(await scanned(page), /^sandbox-link:/)
    await tabTo('Usar um código')
    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    await page.getByText('Este não é um número completo.').waitFor()
    await checkAccessibility(page)
    for (let typed = 0; typed < 2; typed++) await page.keyboard.press('Backspace')
    await page.keyboard.type('+55 11 91234-5678')
    await page.keyboard.press('Enter')
    const code = page.locator('.code')
    assert.match((await code.textContent()) ?? '', /^\w{4}-\w{4}$/)
    await checkAccessibility(page)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 360, `${width} pixels`)
    await tabTo('Mostrar um QR code')
    assert.match(await scanned(page), /^sandbox-link:/)
    await checkAccessibility(page)
    assert.equal(await page.title(), 'Vincular sua conta')
    checkFaults()
    await close()
  })

  test('sees the QR code renew itself, and begins again when nobody scanned it', async () => {
    await unlinked('till', 'sandbox', { link: 'qr', links_after_seconds: 3600, link_step_seconds: 4 })
    const { page, checkFaults, close } = await visit('till', {}, { language: 'es' })
    await page.getByRole('button', { name: 'Confío en quien lo envió, continuar' }).click()
    await scanned(page)
    const picture = () => page.locator('.qr img').getAttribute('src')
    const first = await picture()
    await eventually('another code', picture, (shown) => shown !== first)
    await page.getByText('El código no se usó a tiempo.').waitFor()
    await page.getByRole('button', { name: 'Mostrar un código QR' }).click()
    await scanned(page)
    checkFaults()
    await close()
  })

  test('and answers what the network asks, at the second attempt', async () => {
    const body = { name: 'asked', network: 'sandbox', settings: { link: 'question' } }
    await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
    const { page, close } = await visit('asked', {})
    await agree(page, plainly)
    const question = (await page.locator('#question').textContent()) ?? ''
    const field = page.getByLabel('Your answer')
    await field.fill('surely not this')
    await field.press('Enter')
    await page.getByText('Sandbox did not accept this answer.').waitFor()
    await checkAccessibility(page)
    await field.fill(question.replace(/.* /, ''))
    await field.press('Enter')
    await heading(page, 'Your account is linked')
    await close()
  })

  for (const words of [english, portuguese, spanish])
    test(`on the phone of the account, for an instance that links already: they type a code as its app is used, in ${words.language}`, async () => {
      const { language } = words
      const [name, phone] = [`phone-${language.toLowerCase()}`, words.phone]
      await whatsapp.control.createPerson({ phone })
      const body = { name, network: 'whatsapp', settings: unpaced }
      await posthorn.admin.call(createInstance, { body, waitSeconds: 20 })
      assert.equal(await statusOf(name), 'awaiting_link')
      const { page, context, checkFaults, close } = await visit(
        name,
        { title: 'Bakery Ana' },
        {
          language,
          width: 360,
          isPhone: true,
        },
      )
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await heading(page, words.heading)
      await checkAccessibility(page)
      const hand = ways[1]?.on(page) as Hand
      await agree(page, hand, words)
      const field = page.getByLabel(words.number)
      await field.fill(`+${phone}`)
      assert.equal(await page.locator('.qr, .code').count(), 0, 'a phone cannot scan itself')
      await checkAccessibility(page)
      await hand.press(page.getByRole('button', { name: words.getCode }))
      const code = page.locator('.code')
      await code.waitFor()
      assert.deepEqual(await page.locator('ol strong').allTextContents(), words.menus)
      assert.equal(await page.locator('ol li').count(), 4)
      await checkAccessibility(page)
      await hand.press(page.getByRole('button', { name: words.copy }))
      await page.getByRole('status').getByText(words.copied, { exact: true }).waitFor()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      assert.equal(copied, (await code.textContent())?.replace('-', ''))
      // The phone throws the page away while its owner is in the other app.
      await page.reload()
      await code.waitFor()
      await whatsapp.control.enterCode({ person: phone, code: copied })
      await heading(page, words.linked)
      await hand.rest()
      checkFaults()
      await close()
    })

  for (const { language, agree: words } of [english, portuguese, spanish])
    test(`on any screen, in the light and in the dark, in ${language}`, async () => {
      const name = `fits-${language.toLowerCase()}`
      await unlinked(name, 'sandbox', { link: 'qr', links_after_seconds: 3600, link_step_seconds: 3600 })
      const { page, close } = await visit(name, { title: 'Bakery Ana', language })
      await page.getByRole('button', { name: words }).waitFor()
      await checkFitsEverywhere(page)
      await page.getByRole('button', { name: words }).click()
      await scanned(page)
      await checkFitsEverywhere(page)
      await close()
    })

  test('again in the same tab, and is warned again, because it is another link', async () => {
    await unlinked('first', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    await unlinked('second', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    const { page, close } = await visit('first', {})
    await agree(page, plainly)
    await scanned(page)
    const { url } = (await posthorn.admin.call(createLinkPage, { ...at('second'), body: {} })).body
    await page.evaluate(`location.hash = '${new URL(url).hash}'`)
    await agree(page, plainly)
    await scanned(page)
    await close()
  })

  test('and sees for how long it is there, second by second', async () => {
    await unlinked('short', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    const { page, close } = await visit('short', { expires_in_seconds: 600 })
    const left = () => page.getByRole('timer').textContent()
    const first = await eventually('the time', left, (text) =>
      /^This link ends in (10|9):\d\d\.$/.test(text ?? ''),
    )
    await eventually('less time', left, (text) => text !== first)
    const long = await visit('short', { expires_in_seconds: 604_800 })
    await long.page.getByText(/^This link ends in (7 days 0 hours|6 days 23 hours)\.$/).waitFor()
    await long.close()
    await close()
  })

  for (const [at, way] of ways.entries())
    test(`and does not want that: they are asked once, and the owner sees it, ${way.name}`, async () => {
      const name = `unwanted-${at}`
      await unlinked(name, 'sandbox', { link: 'qr', links_after_seconds: 3600 })
      const { page, checkFaults, close } = await visit(name, { title: 'Bakery Ana' }, way.window)
      const hand = way.on(page)
      await heading(page, 'Link your Sandbox account')
      await hand.press(page.locator('summary', { hasText: 'I do not want to link my account' }))
      await page.getByText('whoever sent it sees that you declined').waitFor()
      await checkAccessibility(page)
      assert.equal(await statusOf(name), 'stopped')
      await hand.press(page.getByRole('button', { name: 'End this link' }))
      await heading(page, 'You have ended this link')
      await checkAccessibility(page)
      await page.reload()
      await heading(page, 'This link is no longer valid')
      checkFaults([404])
      await close()
      const place = `#/instances/${name}`
      const owner = await visitConsole(browser, posthorn, { ...way.window, place })
      await owner.page.getByText('did not want to link the account. Ask them why').waitFor()
      await checkAccessibility(owner.page)
      await owner.close()
    })

  test('that has ended, and is told to ask for a new one', async () => {
    await unlinked('gone', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    const { page, close } = await visit('gone', { title: 'Bakery Ana' })
    await heading(page, 'Link your Sandbox account')
    await posthorn.admin.call(revokeLinkPages, at('gone'))
    await heading(page, 'This link is no longer valid')
    await page.reload()
    await heading(page, 'This link is no longer valid')
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /Bakery/)
    await checkAccessibility(page)
    await page.goto(`${posthorn.url}/link`)
    await heading(page, 'This link is incomplete')
    await page.getByText('or copy all of it').waitFor()
    await checkAccessibility(page)
    await close()
  })

  test('whose time passes while they look at it, and loses the connection before', async () => {
    await unlinked('late', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    const { page, close } = await visit('late', {}, { width: 360, colorScheme: 'dark' })
    await agree(page, plainly)
    await scanned(page)
    await page.route('**/v1/link-page', (route) => route.abort())
    await page.getByText('There is no connection to the server').waitFor()
    await page.getByText(english.warning).waitFor()
    await checkAccessibility(page)
    await page.unroute('**/v1/link-page')
    await page.route('**/v1/link-page', async (route) => {
      const response = await route.fetch()
      const json = { ...(await response.json()), expires_at: '2020-01-01T00:00:00.000Z' }
      await route.fulfill({ response, json })
    })
    await page.getByText('This link ends in 0:00.').waitFor()
    await page.unroute('**/v1/link-page')
    await posthorn.admin.call(revokeLinkPages, at('late'))
    await heading(page, 'This link has expired')
    await close()
  })
})
