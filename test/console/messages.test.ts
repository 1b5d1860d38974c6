import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { chipOf, chooseFilter, enterFilter } from '../kit/console/filters.ts'
import { type Hand, keyboard, ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* Messages in the console: sending one and following it, finding and canceling them, and what others put into them. */

/** A text that an unknown sender writes to have it executed by the browser of its reader. */
const hostile = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>'

const tomorrow = () => new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()

describe('messages in the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  /** A server from which a file can be fetched. */
  let web: Server

  before(async () => {
    const environment = { POSTHORN_FETCH_ALLOW_CIDRS: '127.0.0.1/32' }
    web = createServer((request, response) => {
      if (request.url === '/moved')
        response.writeHead(302, { location: 'http://127.0.0.2/invoice.txt' }).end()
      else response.setHeader('content-type', 'text/plain').end('4711: 12 EUR')
    })
    web.listen(0, '127.0.0.1')
    ;[posthorn, browser] = await Promise.all([startPosthorn({ environment }), startBrowser()])
    await create(posthorn.admin, 'shop')
    await create(posthorn.admin, 'support')
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
    web.close()
  })

  /** A person at a place of the console. */
  const at = (place: string, options: Parameters<typeof visit>[2] = {}) =>
    visit(browser, posthorn, { ...options, place })

  const rows = (page: Page) => page.getByRole('table', { name: 'Messages' }).locator('tbody tr')

  for (const way of ways)
    test(`a text is sent, and followed until it is read, ${way.name}`, async () => {
      const { page, ...window } = await at('#/instances', way.window)
      const hand = way.on(page)
      await hand.goTo('Messages')
      await hand.press(page.getByRole('link', { name: 'Send a message' }))
      await hand.choose(page.getByRole('combobox', { name: 'Instance' }), 'shop')
      await hand.enter(page.getByRole('textbox', { name: 'To', exact: true }), 'ana@reads.sandbox')
      await hand.enter(page.getByRole('textbox', { name: 'Text', exact: true }), 'Your order is on its way.')
      await hand.press(page.getByRole('button', { name: 'Show the API call' }))
      await page.getByText('/v1/messages/text').waitFor()
      await hand.closeDialog()
      await hand.press(page.getByRole('button', { name: 'Send', exact: true }))
      const followed = page.getByRole('region', { name: 'Your message' })
      for (const step of ['Accepted', 'Sent', 'Delivered', 'Read'])
        await followed.getByRole('listitem').filter({ hasText: step }).first().waitFor()
      assert.equal(await page.locator(':focus').getAttribute('aria-label'), 'Your message')
      await hand.press(followed.getByRole('link', { name: 'Open the message' }))
      await page.getByRole('heading', { level: 1, name: 'To ana@reads.sandbox' }).waitFor()
      await page.getByText('Your order is on its way.', { exact: true }).waitFor()
      window.checkFaults()
      await window.close()
    })

  test('a file is sent from a URL, and a template: each is followed to why it fails, and then until it is read', async () => {
    const { page, ...window } = await at('#/send?instance=shop&to=ana@reads.sandbox')
    await page.locator('nav [aria-current]').getByText('Messages').waitFor()
    const followed = page.getByRole('region', { name: 'Your message' })
    const step = (words: string | RegExp) =>
      followed.getByRole('listitem').filter({ hasText: words }).first().waitFor()
    const send = () => page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByLabel('What to send').selectOption('A file from a URL')
    const url = page.getByLabel('URL')
    await url.fill('http://127.0.0.2/invoice.txt')
    await send()
    await page
      .getByRole('alert')
      .filter({ hasText: 'Posthorn may not fetch from this URL' })
      .first()
      .waitFor()
    const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
    await url.fill(`${origin}/moved`)
    await send()
    await step(/Posthorn may not fetch from this URL/)
    await url.fill(`${origin}/invoice.txt`)
    await send()
    await step('Read')

    await page.getByLabel('What to send').selectOption('A template')
    await page.getByLabel('Name of the template').fill('order_update')
    await page.getByLabel('Language of the template').fill('en_US')
    await send()
    await step(/do not fit the template/)
    const parameters = ['Ana', '4711'].map((text) => ({ type: 'text', text }))
    await page.getByLabel('Components').fill(JSON.stringify([{ type: 'body', parameters }]))
    await send()
    await step('Read')
    window.checkFaults([400])
    await window.close()
  })

  test('a message that waits says for what, and leads there', async () => {
    const to = { instance: 'support', to: 'ida@stuck.sandbox' }
    await text(posthorn.admin, to)
    const behind = await text(posthorn.admin, to)
    const { page, ...window } = await at(`#/messages/${behind.id}`)
    await page.getByText('An earlier message to the same recipient goes first.').waitFor()
    await checkAccessibility(page)
    await page.getByRole('link', { name: 'Show that message' }).click()
    await page.getByText('An attempt is in progress: it waits for the network to respond.').waitFor()
    await window.close()
  })

  test('one of many instances is found by a part of its name, and sends', async () => {
    await posthorn.createOrganization('chain')
    const { key } = await posthorn.createKey('chain', 'admin')
    const numbers = Array.from({ length: 120 }, (_, at) => String(at + 1).padStart(3, '0'))
    const client = posthorn.client(key)
    await Promise.all(numbers.map((number) => create(client, `branch-${number}`)))
    const { page, ...window } = await at('#/send', { key })
    // It is a list until the page knows that there are many.
    const field = page.getByRole('combobox', { name: 'Instance' }).and(page.locator('input'))
    await field.pressSequentially('nch-117')
    await page.locator('option[value="branch-117"]').waitFor({ state: 'attached' })
    await field.fill('branch-117')
    // Known only once the network of the instance is.
    await page.getByText('Test addresses').waitFor()
    await page.getByLabel('To', { exact: true }).fill('ana@delivers.sandbox')
    await page.getByLabel('Text', { exact: true }).fill('From one of many')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'Your message' }).getByText('Delivered').first().waitFor()
    await page.goto(`${posthorn.url}/console#/messages`)
    await rows(page).getByText('branch-117').waitFor()
    await chipOf(page, 'Instance').click()
    await field.fill('branch-118')
    await page.getByText('Nothing matches these filters.').waitFor()
    await chipOf(page, 'Instance').click()
    await field.fill('branch-117')
    await rows(page).getByText('From one of many').waitFor()
    await page.goto(`${posthorn.url}/console#/send?instance=branch-118`)
    await page.getByText('Test addresses').waitFor()

    // Typed in the moment in which the field appears.
    await page.evaluate(`new MutationObserver((_, observer) => {
      const field = document.querySelector('[role=search] input[list]')
      if (!field) return
      observer.disconnect()
      field.value = 'branch-117'
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }).observe(document.body, { childList: true, subtree: true })`)
    await page.goto(`${posthorn.url}/console#/messages`)
    await chipOf(page, 'Instance').click()
    await page.waitForURL(/instance=branch-117/)
    window.checkFaults()
    await window.close()
  })

  test('a file is sent from this computer, and shown', async () => {
    const { page, ...window } = await at('#/send?instance=shop&to=bob@delivers.sandbox')
    await page.getByLabel('What to send').selectOption('A file')
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: `${hostile.replaceAll('/', '')}.png`,
      mimeType: 'image/png',
      buffer: Buffer.from(onePixel, 'base64'),
    })
    await page.getByLabel('Caption').fill('A pixel')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('region', { name: 'Your message' }).getByText('Delivered').first().waitFor()
    await page.getByRole('link', { name: 'Open the message' }).click()
    const picture = page.getByRole('img')
    await picture.waitFor()
    assert.equal(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth), 1)
    await page.getByText('A pixel', { exact: true }).waitFor()
    assert.equal(await page.title(), 'To bob@delivers.sandbox – Posthorn')
    window.checkFaults()
    await window.close()
  })

  test('what cannot be sent says why, at its field, and a retry sends it once', async () => {
    const { page, close } = await at('#/send?instance=shop&to=nobody')
    await page.getByLabel('Text', { exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const to = page.getByLabel('To', { exact: true })
    await page.getByRole('alert').waitFor()
    assert.equal(await to.getAttribute('aria-invalid'), 'true')
    await page.getByText('Test addresses').click()
    await page.getByRole('button', { name: 'ana@refuses.sandbox' }).click()
    // The answer to the first request is lost on the way.
    let requests = 0
    await page.route('**/v1/messages/text', async (route) => {
      requests += 1
      if (requests > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('The server is out of reach.').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const followed = page.getByRole('region', { name: 'Your message' })
    await followed.getByText('message_refused', { exact: true }).waitFor()
    await followed.getByText('send it again as new').waitFor()
    await page.goto(`${posthorn.url}/console#/messages?to=ana@refuses.sandbox`)
    await rows(page).first().waitFor()
    assert.equal(await rows(page).count(), 1)
    await close()
  })

  for (const [number, way] of ways.entries()) {
    test(`a scheduled message is found and canceled, and sent again as new, ${way.name}`, async () => {
      const sent = await text(posthorn.admin, {
        instance: 'support',
        to: 'carl@delivers.sandbox',
        text: 'See you at ten.',
        client_ref: `appointment-${number}`,
        send_at: tomorrow(),
      })
      const { page, ...window } = await at('#/messages', way.window)
      const hand = way.on(page)
      await enterFilter(page, hand, ['Your reference'], `appointment-${number}`)
      await page.waitForURL(/client_ref=appointment/)
      await chooseFilter(page, hand, 'Instance', 'support')
      // The earlier list is there until the response comes.
      const listed = page.waitForResponse(/instance=support.*status=queued|status=queued.*instance=support/)
      await chooseFilter(page, hand, 'Status', 'Queued')
      await listed
      await page.getByText('See you at ten.').waitFor()
      await selectRow(page, hand, way, rows(page).first())
      await hand.press(page.getByRole('button', { name: 'Cancel 1 message' }))
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 message' }))
      await rows(page).getByText('Canceled').waitFor()
      await page.getByRole('group', { name: 'Selected rows' }).waitFor({ state: 'detached' })
      await hand.press(rows(page).getByRole('link'))
      await page.waitForURL(new RegExp(sent.id))
      await hand.press(page.getByRole('link', { name: 'Send again as new' }))
      await hand.enter(page.getByLabel('Send at'), '')
      const again = page.getByRole('textbox', { name: 'Text', exact: true })
      assert.equal(await again.inputValue(), 'See you at ten.')
      await hand.press(page.getByRole('button', { name: 'Send', exact: true }))
      await page.getByRole('region', { name: 'Your message' }).getByText('Delivered').first().waitFor()
      window.checkFaults()
      await window.close()
    })

    test(`everything queued that matches is canceled at once, and nothing else, ${way.name}`, async () => {
      const words = `sale of ${way.name}`
      const later = (season: string) => {
        const to = 'hal@delivers.sandbox'
        return text(posthorn.admin, { instance: 'shop', to, text: `${season} ${words}`, send_at: tomorrow() })
      }
      for (const season of ['Summer', 'Summer', 'Summer', 'Winter']) await later(season)
      const { page, ...window } = await at('#/messages?status=queued', way.window)
      const hand = way.on(page)
      const search = page.getByRole('searchbox', { name: 'Search texts and captions' })
      await hand.enter(search, `SUMMER ${words}`)
      await page.waitForURL(/text=SUMMER/)
      await rows(page).nth(2).waitFor()
      await rows(page).nth(3).waitFor({ state: 'detached' })
      await hand.press(page.getByRole('button', { name: 'Cancel all that match' }))
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Cancel all that match' }))
      await page.getByText('3 messages were canceled.').waitFor()
      await page.getByText('Nothing matches these filters.').waitFor()
      await hand.enter(search, words)
      await rows(page).getByText('Winter').waitFor()
      await rows(page).nth(1).waitFor({ state: 'detached' })
      window.checkFaults()
      await window.close()
    })

    test(`a message is found by its text and its time, and the link to that finds it again, ${way.name}`, async () => {
      const words = `The Überraschung is ready, ${way.name}.`
      const sent = await text(posthorn.admin, { instance: 'shop', to: 'fay@delivers.sandbox', text: words })
      const { page, ...window } = await at('#/messages', way.window)
      const hand = way.on(page)
      const search = page.getByRole('searchbox', { name: 'Search texts and captions' })
      await hand.enter(search, `überRASCHUNG is ready, ${way.name}`)
      await enterFilter(page, hand, ['Time', 'Since'], '2026-01-01T10:15')
      await page.waitForURL(({ hash }) => /[?&]text=/.test(hash) && /[?&]created_after=/.test(hash))
      await rows(page).getByText(words).waitFor()
      await rows(page).nth(1).waitFor({ state: 'detached' })
      await page.reload()
      await rows(page).getByText(words).waitFor()
      await enterFilter(page, way.on(page), ['Time', 'Before'], '2026-01-01T10:16')
      await page.getByText('Nothing matches these filters.').waitFor()
      await page.goto(`${posthorn.url}/console#/messages/${sent.id}`)
      await page.getByText(words, { exact: true }).waitFor()
      window.checkFaults()
      await window.close()
    })
  }

  test('more messages are shown by keyboard without losing the place', async () => {
    const to = 'ida@delivers.sandbox'
    const send = (_: unknown, number: number) =>
      text(posthorn.admin, { instance: 'shop', to, text: `${number}` })
    await Promise.all(Array.from({ length: 51 }, send))
    const { page, ...window } = await at(`#/messages?to=${to}`)
    const hand = keyboard.on(page)
    await hand.press(page.getByRole('button', { name: 'Show more' }))
    await rows(page).nth(50).waitFor()
    await hand.rest()
    assert.equal(await rows(page).last().locator(':focus').count(), 1)
    window.checkFaults()
    await window.close()
  })

  test('what comes in waits to be shown, and statuses change in place', async () => {
    const { page, ...window } = await at('#/messages?instance=support&direction=outbound')
    await rows(page).first().waitFor()
    const before = await rows(page).count()
    await text(posthorn.admin, { instance: 'support', to: 'dora@slow-500ms.sandbox', text: 'One' })
    await text(posthorn.admin, { instance: 'support', to: 'dora@slow-500ms.sandbox', text: 'Two' })
    await text(posthorn.admin, { instance: 'shop', to: 'dora@slow-500ms.sandbox', text: 'Elsewhere' })
    const show = page.getByRole('button', { name: 'Show 2 new messages' })
    await show.waitFor()
    assert.equal(await rows(page).count(), before)
    await show.click()
    await rows(page).filter({ hasText: 'Two' }).getByText('Delivered').waitFor()
    assert.equal(await rows(page).count(), before + 2)
    window.checkFaults()
    await window.close()
  })

  test('what strangers write is only ever text', async () => {
    const to = 'eve@replies.sandbox'
    await text(posthorn.admin, { instance: 'shop', to, text: hostile, client_ref: hostile })
    const { page, ...window } = await at('#/messages?instance=shop&direction=inbound')
    await rows(page).getByText(hostile).waitFor()
    await rows(page).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'From Eve' }).waitFor()
    await page.getByText(hostile, { exact: true }).waitFor()
    assert.equal(await page.title(), 'From Eve – Posthorn')
    assert.equal(await page.locator('main img, main script').count(), 0)
    window.checkFaults()
    await window.close()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const) {
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async () => {
      const sent = await text(posthorn.admin, { instance: 'shop', to: 'ana@refuses.sandbox' }, 20)
      const { page, ...window } = await at('#/messages', { width, colorScheme })
      for (const place of ['#/messages', `#/messages/${sent.id}`, '#/send?instance=shop']) {
        await page.goto(`${posthorn.url}/console${place}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        await checkAccessibility(page)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, place)
      }
      window.checkFaults()
      await window.close()
    })
  }
})

/** Selects a row: a person who points hits the face of its person, and by keyboard it is Space. */
async function selectRow(page: Page, hand: Hand, { name }: { readonly name: string }, row: Locator) {
  if (!name.includes('keyboard')) return hand.press(row.getByRole('checkbox'))
  await row.getByRole('link').focus()
  await page.keyboard.press('Space')
}

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
