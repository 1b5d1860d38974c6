import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { listInstances } from '../../src/contract/operations/instance-operations.ts'
import { needsChromium, openWindow, startBrowser } from '../kit/console/browser.ts'
import { chooseFilter } from '../kit/console/filters.ts'
import { ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { TlsProxy } from '../kit/far-ends/tls-proxy.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* The console as most people reach it: over TLS, through a proxy that has a will of its own. */

const maxBytes = 100_000

describe('the console behind a proxy', needsChromium, () => {
  let proxy: TlsProxy
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    proxy = await TlsProxy.start({ maxBytes: maxBytes })
    const environment = { POSTHORN_BASE_URL: proxy.url, POSTHORN_TRUSTED_PROXIES: '127.0.0.1/32' }
    ;[posthorn, browser] = await Promise.all([startPosthorn({ environment }), startBrowser()])
    await create(posthorn.admin, 'shop')
    proxy.lead(posthorn.url)
  })

  after(async () => {
    await browser.close()
    await proxy.stop()
    await posthorn.stop()
  })

  const enter = (place: string) => visit(browser, { ...posthorn, url: proxy.url }, { place })

  test('keeps its cookie within TLS, and is live', async () => {
    const window = await enter('#/events')
    const { page, context } = window
    const [cookie, ...others] = await context.cookies()
    assert.ok(cookie)
    const { name, secure, httpOnly, sameSite, path } = cookie
    assert.deepEqual(
      { name, secure, httpOnly, sameSite, path, others },
      {
        name: '__Host-posthorn_session',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        others: [],
      },
    )
    await page.getByText('Live', { exact: true }).waitFor()
    await text(posthorn.admin, { instance: 'shop', to: 'ana@delivers.sandbox', text: 'Good morning' })
    await page.getByRole('link', { name: 'message.delivered' }).waitFor()
    window.checkFaults()
    await window.close()
  })

  test('does nothing for a page at another port of the same host, which has its cookie', async (t) => {
    const hostile = await TlsProxy.start()
    t.after(() => hostile.stop())
    const window = await enter('#/instances')
    const { page } = window
    await page.goto(hostile.url)
    const init = { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"planted"}' }
    await page.evaluate(`fetch('${proxy.url}/v1/instances', ${JSON.stringify(init)}).catch(() => {})`)
    const posts = proxy.answered.filter((line) => line.startsWith('POST /v1/instances '))
    assert.deepEqual(posts, ['POST /v1/instances 403'])
    const { body } = await posthorn.admin.call(listInstances)
    assert.deepEqual(
      body.data.map(({ name }) => name),
      ['shop'],
    )
    await window.close()
  })

  test('says when a proxy takes less than the server, and what to do', async () => {
    const window = await enter('#/send')
    const { page } = window
    await page.getByLabel('Instance').selectOption('shop')
    await page.getByLabel('To', { exact: true }).fill('ana@reads.sandbox')
    await page.getByLabel('What to send').selectOption('A file')
    const file = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(2 * maxBytes) }
    await page.getByLabel('File', { exact: true }).setInputFiles(file)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText(/^A proxy answered with 413: .* raise the limit of the proxy\.$/).waitFor()
    window.checkFaults([413])
    await window.close()
  })

  test('says that the server is away, and is live again when it is back', async () => {
    const window = await enter('#/instances')
    const { page } = window
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'shop' }).waitFor()
    proxy.lead(undefined)
    proxy.cut()
    await page.getByText('Not live', { exact: true }).waitFor()
    const hand = ways[0].on(page)
    await chooseFilter(page, hand, 'Status', 'Stopped')
    await page.getByText(/^A proxy answered with 502, .* try again in a moment\.$/).waitFor()
    proxy.lead(posthorn.url)
    await page.getByText('Live', { exact: true }).waitFor()
    await chooseFilter(page, hand, 'Status', 'Connected')
    await page.getByRole('link', { name: 'shop' }).waitFor()
    await window.close()
  })

  test('takes no page of a proxy for an answer', async () => {
    const { page, close } = await openWindow(browser, { url: proxy.url })
    await page.route('**/console/session', (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Log in to the office</h1>' }),
    )
    await page.goto(`${proxy.url}/console`)
    await page.getByText(/answered with 200, and this page does not understand/).waitFor()
    await close()
  })
})
