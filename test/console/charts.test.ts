import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { sendTextMessage } from '../../src/contract/operations/message-operations.ts'
import { csvOf } from '../../src/web/console/screens/charts/csv.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { keyboard, ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { eventually, inMs } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* A person wants to know how many messages were sent, how long they took, and why some failed. */

test('a file of numbers is read as it was written, and has no formulas', () => {
  const rows = [
    ['Time', 'a "shop", or two', '=1+1'],
    ['+1', '-2', '@sum'],
    [null, -3.5, 'one\nmore'],
  ] as const
  const lines = [`Time,"a ""shop"", or two",'=1+1`, `'+1,'-2,'@sum`, `,-3.5,"one\nmore"`]
  assert.equal(csvOf(rows), `\ufeff${lines.join('\r\n')}\r\n`)
  assert.equal(csvOf([['\t=1', '\r=1', '=a,"b']]), `\ufeff'\t=1,"'\r=1","'=a,""b"\r\n`)
})

describe('the charts of the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    for (const name of ['shop', 'quiet'])
      await posthorn.admin.call(createInstance, { body: { name, network: 'sandbox' }, waitSeconds: 20 })
    const send = (to: string, more: { send_at?: string } = {}, waitSeconds = 0) => {
      const body = { instance: 'shop', to: `${to}.sandbox`, text: 'Your order is ready.', ...more }
      return posthorn.admin.call(sendTextMessage, { body, waitSeconds })
    }
    for (let number = 1; number <= 3; number++) await send('ana@delivers', {}, 20)
    for (let number = 1; number <= 2; number++) await send('bo@refuses', {}, 20)
    for (let number = 1; number <= 5; number++) await send('ana@delivers', { send_at: inMs(86_400_000) })
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true })

  for (const [width, colorScheme, language, words] of [
    [1280, 'light', 'en', ['Messages by hour', 'Waiting messages', 'Time to deliver', '5 now', 'Failed']],
    [
      768,
      'dark',
      'pt-BR',
      ['Mensagens por hora', 'Mensagens em espera', 'Tempo até a entrega', '5 agora', 'Falharam'],
    ],
    [
      360,
      'dark',
      'es',
      ['Mensajes por hora', 'Mensajes en espera', 'Tiempo hasta la entrega', '5 ahora', 'Fallidos'],
    ],
  ] as const) {
    test(`show what was sent and why some failed, in numbers, too, at ${width} pixels, ${colorScheme}, ${language}`, async () => {
      const window = await visit(browser, posthorn, { width, colorScheme, language, place: '#/charts' })
      const { page } = window
      const [messages, waiting, latency, now, failed] = words
      // Counts are made some seconds after the events, and the page follows them.
      await page.getByText(now, { exact: true }).waitFor()
      for (const name of [messages, waiting, latency]) await figure(page, name).locator('canvas').waitFor()
      const total = page.locator('.totals div').filter({ hasText: failed }).locator('dd').first()
      await total.filter({ hasText: /^2$/ }).waitFor()
      const reasons = page.locator('section').filter({ has: page.locator('#failure-reasons') })
      await reasons.locator('tbody tr').filter({ hasText: 'sandbox' }).filter({ hasText: '2' }).waitFor()
      const table = figure(page, messages).locator('details')
      await table.locator('summary').click()
      for (const number of ['10', '3', '2', '5'])
        await table
          .locator('td')
          .filter({ hasText: new RegExp(`^${number}$`) })
          .first()
          .waitFor()
      await checkAccessibility(page)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `${overflow} pixels must be scrolled sideways`)
      window.checkFaults()
      await window.close()
    })
  }

  for (const way of ways)
    test(`an instance and a period are chosen, and stay in the link, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Charts')
      await figure(page, 'Messages by hour').locator('canvas').waitFor()
      await hand.choose(page.getByRole('combobox', { name: 'Instance' }), 'quiet')
      await page.getByText('Nothing was sent or received in this time.').waitFor()
      await hand.press(page.getByRole('link', { name: '30 days' }))
      await page.waitForURL(/#\/charts\?(?=.*instance=quiet)(?=.*period=day_30)/)
      await hand.choose(page.getByRole('combobox', { name: 'Instance' }), 'shop')
      await figure(page, 'Messages by day').locator('canvas').waitFor()
      await page.getByText(/^Counted since /).waitFor()
      await hand.press(page.getByRole('link', { name: '1 hour' }))
      await figure(page, 'Messages by minute').locator('canvas').waitFor()
      await hand.press(page.getByRole('checkbox', { name: 'Compare with the time before' }))
      await page.waitForURL(/#\/charts\?(?=.*instance=shop)(?=.*period=hour_1)(?=.*compare=no)/)
      await page.getByText('The hour before', { exact: true }).waitFor({ state: 'detached' })
      await hand.press(page.getByRole('button', { name: 'Refresh' }))
      await hand.rest()
      await page.reload()
      await figure(page, 'Messages by minute').locator('canvas').waitFor()
      assert.equal(await page.getByRole('checkbox').isChecked(), false)
      assert.equal(await page.getByRole('combobox', { name: 'Instance' }).inputValue(), 'shop')
      window.checkFaults()
      await window.close()
    })

  test('a bar, and its row in the table, lead to the messages of their span and status', async () => {
    const place = '#/charts?period=day_7&instance=shop'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const chart = figure(page, 'Messages by day')
    const total = page.locator('.totals div').filter({ hasText: 'Failed' }).locator('dd').first()
    // Days are read anew half a minute later, if they were counted too late for the first time.
    await total.filter({ hasText: /^2$/ }).waitFor({ timeout: 60_000 })
    // Three were delivered, and two that failed stand on top of them, on the last of seven days.
    const plot = chart.locator('.u-over')
    await plot.waitFor()
    const size = await plot.boundingBox()
    assert.ok(size)
    await plot.click({ position: { x: (size.width * 6.5) / 7, y: size.height * 0.27 } })
    const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr')
    const failures = async () => {
      await page.getByRole('heading', { level: 1, name: 'Messages', exact: true }).waitFor()
      await page.waitForURL(/#\/messages\?created_after=.+&created_before=.+&instance=shop&status=failed$/)
      await eventually(
        'both failures',
        () => rows.filter({ hasText: 'bo@refuses' }).count(),
        (count) => count === 2,
      )
      assert.equal(await rows.count(), 2)
    }
    await failures()
    await page.goBack()
    await chart.locator('summary').click()
    await chart.getByRole('link', { name: '2', exact: true }).press('Enter')
    await failures()
    window.checkFaults()
    await window.close()
  })

  test('the keys move along a chart, and lead to the messages of an interval', async () => {
    const place = '#/charts?period=day_7&instance=shop'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const chart = figure(page, 'Messages by day')
    const total = page.locator('.totals div').filter({ hasText: 'Failed' }).locator('dd').first()
    await total.filter({ hasText: /^2$/ }).waitFor({ timeout: 60_000 })
    const slider = chart.getByRole('slider')
    const said = () => slider.getAttribute('aria-valuetext')
    const stands = async (index: number, words: RegExp) => {
      await chart.locator(`[aria-valuenow="${index}"]`).waitFor()
      assert.match((await said()) ?? '', words)
    }
    await stands(6, /^.+ · Failed 2 /)
    await chart.getByText('use the arrow keys').waitFor()
    await keyboard.on(page).press(slider)
    await page.getByRole('heading', { level: 1, name: 'Messages', exact: true }).waitFor()
    await page.waitForURL(/#\/messages\?created_after=.+&created_before=.+&instance=shop$/)
    const rows = page.getByRole('table', { name: 'Messages' }).locator('tbody tr')
    await rows.nth(9).waitFor()
    await page.goBack()
    await chart.locator('.u-over').waitFor()
    await slider.focus()
    await chart.locator('.pointed').getByText('Failed 2').waitFor()
    await page.keyboard.press('ArrowLeft')
    await stands(5, / · not known$/)
    await chart.locator('.pointed').getByText('not known').waitFor()
    // Nothing is known of its messages.
    await page.keyboard.press('Enter')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    await stands(0, / · not known$/)
    await checkAccessibility(page)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowRight')
    await stands(6, / · Failed 2 /)
    await page.keyboard.press('Tab')
    await chart.getByText('use the arrow keys').waitFor()
    assert.match(await page.evaluate<string>('location.hash'), /^#\/charts/)
    window.checkFaults()
    await window.close()
  })

  test('the days are those of the time zone of the browser', async () => {
    const context = await browser.newContext({ timezoneId: 'Asia/Kolkata' })
    const page = await context.newPage()
    const asked: URL[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/statistics')) asked.push(new URL(request.url()))
    })
    await page.goto(`${posthorn.url}/console#/charts?period=day_7`)
    await page.locator('input[type=password]').fill(posthorn.adminKey)
    await page.locator('input[type=password]').press('Enter')
    await figure(page, 'Messages by day').locator('canvas').waitFor()
    assert.ok(asked.length >= 2)
    for (const { searchParams } of asked) {
      assert.equal(searchParams.get('interval'), 'day')
      assert.match(searchParams.get('time_zone') ?? '', /^Asia\/(Kolkata|Calcutta)$/)
      assert.match(searchParams.get('from') ?? '', /T18:30:00\.000Z$/, 'its midnight')
    }
    await context.close()
  })

  test('the numbers and the pictures are saved as files', async () => {
    const place = '#/charts?instance=shop'
    const window = await visit(browser, posthorn, { place, colorScheme: 'dark' })
    const { page } = window
    await page.getByText('5 now', { exact: true }).waitFor()
    const save = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ])
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
    }
    const numbers = await save('Save the numbers as CSV')
    assert.match(numbers.name, /^posthorn-shop-hour-24-\d{4}-\d\d-\d\d\.csv$/)
    const lines = numbers.bytes.toString().split('\r\n')
    assert.match(lines[0] ?? '', /^\ufeffTime,Instance,Accepted,Sent,Delivered,Read,Failed,/)
    assert.equal(lines.length, 26)
    assert.match(lines[24] ?? '', /^[\d-]+T[\d:.]+Z,shop,10,3,3,0,2,0,0,0,0,5,/)
    assert.match(
      lines[1] ?? '',
      /^[\d-]+T[\d:.]+Z,shop,{16}$/,
      'nothing is known of the time before the server was there',
    )
    const picture = await save('Save the charts as PNG')
    assert.match(picture.name, /\.png$/)
    const { width, height, data } = PNG.sync.read(picture.bytes)
    assert.ok(width > 700 && height > 600, `${width} × ${height}`)
    assert.ok((data[0] ?? 255) < 64 && data[3] === 255, 'the ground is dark, and not transparent')
    window.checkFaults()
    await window.close()
  })
})
