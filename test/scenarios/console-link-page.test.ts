import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  createInstance,
  getInstanceStatus,
  stopInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { createLinkPage, revokeLinkPages } from '../../src/contract/operations/link-page-operations.ts'
import type { CreateLinkPage } from '../../src/contract/resources/link-page.ts'
import {
  checkAccessibility,
  needsChromium,
  openWindow,
  startBrowser,
  type WindowOptions,
} from '../kit/console/browser.ts'
import { ways } from '../kit/console/hands.ts'
import { environmentFor, textIn, unpaced } from '../kit/networks/whatsapp-stage.ts'
import { eventually } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../simulators/whatsapp/start-whatsapp.ts'

describe('a customer opens a link page', { ...needsChromium, timeout: 180_000 }, () => {
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

  /** An instance whose account nobody has begun to link. */
  async function unlinked(name: string, network: string, settings: object): Promise<void> {
    await posthorn.admin.call(createInstance, {
      body: { name, network, settings: { ...settings } },
      waitSeconds: 20,
    })
    await posthorn.admin.call(stopInstance, { ...at(name), waitSeconds: 10 })
  }

  /** Somebody who opens the page that was made for them. */
  async function visit(name: string, body: CreateLinkPage, options: Omit<WindowOptions, 'url'> = {}) {
    const { url } = (await posthorn.admin.call(createLinkPage, { ...at(name), body })).body
    const window = await openWindow(browser, { url: posthorn.url, ...options })
    await window.page.goto(url.replace('https://posthorn.example', posthorn.url))
    return window
  }

  const heading = (page: Page, text: string | RegExp) =>
    page.getByRole('heading', { level: 1, name: text }).waitFor()

  /** What a phone reads off the screen. */
  async function scanned(page: Page): Promise<string> {
    await page.locator('.qr:not(.fading) img').waitFor()
    return textIn(await page.screenshot())
  }

  for (const [at, way] of ways.entries())
    test(`which starts nothing until they ask for a QR code; a phone scans that from the screen, ${way.name}`, async () => {
      const [name, phone] = [`shop-${at}`, `491510000001${at}`]
      await whatsapp.control.createPerson({ phone })
      await unlinked(name, 'whatsapp', unpaced)
      const { page, checkFaults, close } = await visit(name, { title: 'Bakery Ana' }, way.window)
      const hand = way.on(page)
      await heading(page, 'Link your WhatsApp account')
      assert.match((await page.locator('main').textContent()) ?? '', /^Bakery Ana/)
      await checkAccessibility(page)
      await page.reload()
      await heading(page, 'Link your WhatsApp account')
      assert.equal(await statusOf(name), 'stopped')
      await hand.press(page.getByRole('button', { name: 'Show a QR code' }))
      const qr = await scanned(page)
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

  test('on a small phone, in the dark, in Portuguese and by keyboard alone, and types a code', async () => {
    await unlinked('desk', 'sandbox', { link: 'qr', links_after_seconds: 3600 })
    const title = '<img src=x onerror="document.title=1">'
    const options = { width: 360, colorScheme: 'dark', language: 'en' } as const
    const { page, checkFaults, close } = await visit('desk', { title, language: 'pt-BR' }, options)
    await heading(page, 'Vincule sua conta do Sandbox')
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR')
    const tabTo = async (name: string) => {
      const button = page.getByRole('button', { name })
      const isThere = () => button.evaluate((element) => element === element.ownerDocument.activeElement)
      while (!(await isThere())) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
    }
    await tabTo('Usar o número de telefone')
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
    await page.getByRole('button', { name: 'Mostrar un código QR' }).click()
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
    await heading(page, 'This link is no longer valid')
    await close()
  })
})
