import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { listMessages } from '../../src/contract/operations/message-operations.ts'
import { whatsappIdOf } from '../../src/networks/whatsapp/message-id.ts'
import { needsChromium, openWindow, startBrowser } from '../kit/console/browser.ts'
import { hastyDriver, onlyWhatsApp, textIn } from '../kit/networks/whatsapp-stage.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../simulators/whatsapp/start-whatsapp.ts'

/* A person's first hour: a link from the command line, a WhatsApp account, a file, its ticks, and the end of the key. */

const [shop, ana] = ['4915100000001', '4915100000002']
const cli = new URL('../../src/cli/posthorn.js', import.meta.url).pathname
const run = promisify(execFile)

describe('a person with a link', { ...needsChromium, timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[whatsapp, browser] = await Promise.all([startWhatsApp({ after: () => {} }), startBrowser()])
    for (const phone of [shop, ana]) await whatsapp.control.createPerson({ phone })
    // She reads when the play says so.
    await whatsapp.control.change({ person: ana, isAway: true })
    posthorn = await startPosthorn({ drivers: [hastyDriver(whatsapp, {})], environment: onlyWhatsApp })
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
    await whatsapp?.stop()
  })

  /** The link that `posthorn console` prints for a key. */
  async function linkFor(key: string): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      POSTHORN_DATA: posthorn.data,
      POSTHORN_LISTEN: new URL(posthorn.url).host,
    }
    const { stdout } = await run(process.execPath, [cli, 'console', '--key', key], {
      env,
      cwd: posthorn.data,
    })
    return stdout.trim()
  }

  test('links an account by the QR code on the screen, sends a file, sees it read, and is thrown out', async () => {
    const { id: key } = await posthorn.createKey('default', 'admin')
    const link = await linkFor(key)
    const window = await openWindow(browser, { url: posthorn.url })
    const { page } = window
    await page.goto(link)
    await page.getByRole('navigation').waitFor()
    assert.ok(!page.url().includes('code='), 'the code stays in the address')

    await page.getByRole('link', { name: 'Instances', exact: true }).click()
    await page.getByRole('link', { name: 'New instance' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('shop')
    await page.getByRole('button', { name: 'Create instance' }).click()
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor()
    await whatsapp.control.scan({ person: shop, qr: await readQr(page) })
    await page.getByRole('region', { name: 'Connection' }).getByText('Connected', { exact: true }).waitFor()

    await page.goto(`${posthorn.url}/console#/send?instance=shop`)
    await page.getByLabel('To', { exact: true }).fill(`+${ana}`)
    await page.getByLabel('What to send').selectOption('A file')
    const invoice = { name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('4711: 12 EUR') }
    await page.getByLabel('File', { exact: true }).setInputFiles(invoice)
    await page.getByLabel('Caption').fill('Your invoice')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const followed = page.getByRole('region', { name: 'Your message' })
    const step = (name: string) => followed.getByRole('listitem').filter({ hasText: name }).first().waitFor()
    await step('Sent')
    const { body } = await posthorn.admin.call(listMessages, { query: { instance: 'shop' } })
    const ids = [whatsappIdOf((body.data[0]?.id ?? '').replace(/^msg_/, ''))]
    await whatsapp.control.confirm({ person: ana, of: shop, ids })
    await step('Delivered')
    await whatsapp.control.confirm({ person: ana, of: shop, ids, type: 'read' })
    await step('Read')

    window.checkFaults()
    await posthorn.revokeKey(key)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(await page.getByText('Your invoice').count(), 0)
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('alert').waitFor()
    window.checkFaults([401])
    await window.close()
  })
})

/** What a phone reads that is held before the screen. */
async function readQr(page: Page): Promise<string> {
  const picture = page.getByRole('img', { name: 'QR code that links the account' })
  await picture.waitFor()
  return textIn(await picture.screenshot())
}
