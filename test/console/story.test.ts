import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { listMessages } from '../../src/contract/operations/message-operations.ts'
import { whatsappIdOf } from '../../src/networks/whatsapp/message-id.ts'
import { needsChromium, openWindow, startBrowser } from '../kit/console/browser.ts'
import { type Hand, ways } from '../kit/console/hands.ts'
import { giveOrder } from '../kit/console/order-menu.ts'
import { visit } from '../kit/console/visit.ts'
import { hastyDriver, linkByPicture, onlyWhatsApp, textIn } from '../kit/networks/whatsapp/stage.ts'
import { eventually } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'
import { startWhatsApp, type WhatsAppProcess } from '../simulators/whatsapp/start-whatsapp.ts'

/*
 * A person's first hour: a link from the command line, a WhatsApp account, a file, its ticks, and the end of the key; by mouse, by
 * finger and by keyboard.
 */

const ana = '4915100000002'
const cli = new URL('../../src/cli/posthorn.js', import.meta.url).pathname
const run = promisify(execFile)

describe('a person with a link', { ...needsChromium, timeout: 180_000 }, () => {
  let whatsapp: WhatsAppProcess
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[whatsapp, browser] = await Promise.all([startWhatsApp({ after: () => {} }), startBrowser()])
    await whatsapp.control.createPerson({ phone: ana })
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

  for (const [at, way] of ways.entries())
    test(`links an account by the QR code on the screen, sends a file, sees it read, and ends the key, ${way.name}`, async () => {
      const [name, shop] = [`shop-${at}`, `491510000001${at}`]
      await whatsapp.control.createPerson({ phone: shop })
      const { id, key } = await posthorn.createKey('default', 'admin')
      const link = await linkFor(id)
      const window = await openWindow(browser, { url: posthorn.url, ...way.window })
      const { page } = window
      const hand = way.on(page)
      await page.goto(link)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      assert.ok(!page.url().includes('code='), 'the code stays in the address')

      await createInstance(page, hand, name)
      await whatsapp.control.scan({ person: shop, qr: await readQr(page) })
      await page.getByRole('region', { name: 'Connection' }).getByText('Connected', { exact: true }).waitFor()

      await sendFile(page, hand)
      const followed = page.getByRole('region', { name: 'Your message' })
      const step = (words: string) =>
        followed.getByRole('listitem').filter({ hasText: words }).first().waitFor()
      await step('Sent')
      const { body } = await posthorn.admin.call(listMessages, { query: { instance: name } })
      const ids = [whatsappIdOf((body.data[0]?.id ?? '').replace(/^msg_/, ''))]
      await whatsapp.control.confirm({ person: ana, of: shop, ids })
      await step('Delivered')
      await whatsapp.control.confirm({ person: ana, of: shop, ids, type: 'read' })
      await step('Read')

      window.checkFaults()
      await revoke(page, hand, key.slice(0, 10))
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      assert.equal(await page.getByText('Your invoice').count(), 0)
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByRole('alert').waitFor()
      window.checkFaults([401])
      await window.close()
    })

  test('answers somebody, who answers and reacts to that; tells her that it was read, and logs the account out', async () => {
    const [shop, carla] = ['4915100000018', '4915100000019']
    for (const phone of [shop, carla]) await whatsapp.control.createPerson({ phone })
    await linkByPicture({ whatsapp, posthorn }, { name: 'talk', phone: shop })
    const window = await visit(browser, posthorn, { place: '#/conversations' })
    const { page } = window
    await whatsapp.control.write({ from: carla, to: shop, text: 'Are you there?' })
    await page.getByRole('link', { name: /Are you there/ }).click()
    const log = page.getByRole('log')
    await log.getByText('Are you there?').waitFor()
    await page.getByRole('textbox', { name: /^Message to/ }).fill('We are.')
    await page.keyboard.press('Enter')
    const [answer] = await whatsapp.control.received({ person: carla, from: shop, count: 1 })
    const to = answer?.id ?? assert.fail()
    const quoted = { to, from: `${shop}@s.whatsapp.net`, text: 'We are.' }
    const id = await whatsapp.control.write({ from: carla, to: shop, text: 'Good.', reply: quoted })
    await whatsapp.control.write({ from: carla, to: shop, reaction: { to, emoji: '👍' } })
    const reply = log.getByRole('listitem').filter({ hasText: /Reply to:.*We are\..*Good\./ })
    await reply.waitFor()
    await log
      .locator('li.bubble')
      .filter({ hasText: /^We are\..*👍/ })
      .waitFor()

    await reply.getByRole('button', { name: /^What to do with/ }).click()
    await reply.getByRole('link', { name: 'Details' }).click()
    await page.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByText('The sender was told that it was read.').waitFor()
    assert.ok((await whatsapp.control.receipts({ person: carla, id, type: 'read' })).length > 0)

    await page.getByRole('link', { name: 'talk', exact: true }).click()
    await giveOrder(page, ways[0].on(page), 'Log out')
    const dialog = page.getByRole('dialog', { name: 'Log out' })
    await dialog.getByRole('button', { name: 'Log out' }).click()
    const connection = page.getByRole('region', { name: 'Connection' })
    await connection.getByText('Logged out', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Link with a QR code' }).waitFor()
    await eventually(
      'the phone without linked devices',
      () => whatsapp.control.devices({ person: shop }),
      (devices) => devices.length === 0,
    )
    window.checkFaults()
    await window.close()
  })
})

async function createInstance(page: Page, hand: Hand, name: string): Promise<void> {
  await hand.goTo('Instances')
  await hand.press(page.getByRole('link', { name: 'New instance' }).first())
  await hand.enter(page.getByRole('textbox', { name: 'Name', exact: true }), name)
  // The pauses of people would make the play last.
  await hand.press(page.getByText('Advanced', { exact: true }))
  await hand.press(page.getByText('Pacing', { exact: true }))
  await hand.choose(page.getByRole('combobox', { name: 'Off' }), 'Yes')
  await hand.press(page.getByRole('button', { name: 'Create instance' }))
  await page.getByRole('heading', { name, exact: true }).waitFor()
}

/** Sends a file to Ana from the screen of the instance. */
async function sendFile(page: Page, hand: Hand): Promise<void> {
  await hand.press(page.getByRole('link', { name: 'Send a test' }))
  await hand.enter(page.getByRole('textbox', { name: 'To', exact: true }), `+${ana}`)
  await hand.choose(page.getByRole('combobox', { name: 'What to send' }), 'A file')
  const invoice = { name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('4711: 12 EUR') }
  await hand.attach(page.getByLabel('File', { exact: true }), invoice)
  await hand.enter(page.getByRole('textbox', { name: 'Caption' }), 'Your invoice')
  await hand.press(page.getByRole('button', { name: 'Send', exact: true }))
}

/** Revokes the key that begins like this: one's own. */
async function revoke(page: Page, hand: Hand, hint: string): Promise<void> {
  await hand.goTo('Keys')
  const row = page.getByRole('row').filter({ hasText: hint })
  await hand.press(row.getByRole('button', { name: 'Revoke' }))
  const dialog = page.getByRole('dialog', { name: 'Revoke' })
  await dialog.getByText('the key that you are signed in with').waitFor()
  await hand.enter(dialog.getByRole('textbox', { name: `Type ${hint} to confirm` }), hint)
  await hand.press(dialog.getByRole('button', { name: 'Revoke' }))
}

/** Returns the content of the QR code that a phone reads from the screen. */
async function readQr(page: Page): Promise<string> {
  const picture = page.getByRole('img', { name: 'QR code that links the account' })
  await picture.waitFor()
  return textIn(await picture.screenshot())
}
