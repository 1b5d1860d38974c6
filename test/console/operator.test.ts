import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { deleteInstance } from '../../src/contract/operations/instance-operations.ts'
import { getOrganization } from '../../src/contract/operations/organization-operations.ts'
import { openAccountMenu } from '../kit/console/account-menu.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { chipOf, enterFilter } from '../kit/console/filters.ts'
import { ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { create } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* The operator sees what needs a person at the server, who changed what, and sets words for a whole organization. */

describe('the pages of the operator', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  const operatorToken = () => readFileSync(join(posthorn.data, 'operator.token'), 'utf8').trim()

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    await posthorn.createOrganization('bakery')
    const bakery = posthorn.client((await posthorn.createKey('bakery', 'admin')).key)
    await create(bakery, 'counter')
    await bakery.call(deleteInstance, { params: { name: 'counter' } })
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
  })

  test('what needs a person comes first, with what to do, in three languages, and goes when it is done', async () => {
    const window = await visit(browser, posthorn, { key: operatorToken() })
    const { page } = window
    await page.getByRole('heading', { name: 'Server' }).waitFor()
    await page.getByRole('heading', { name: 'Good to know' }).waitFor()
    await page.getByText('No backup was made with').waitFor()
    chmodSync(posthorn.data, 0o755)
    // The page reads it again by itself.
    const finding = page.getByRole('listitem').filter({ hasText: 'can enter the data folder' })
    await finding.getByText('Warning', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Needs your attention' }).waitFor()
    const [first = ''] = await page.locator('.need').allInnerTexts()
    assert.match(first, /can enter the data folder/)
    for (const [language, words] of [
      ['pt-BR', /Outros usuários da máquina .* retire as permissões/s],
      ['es', /Otros usuarios de la máquina .* quita los permisos/s],
      ['en', /Other users of the machine .* take the rights away/s],
    ] as const) {
      await openAccountMenu(page)
      await page.locator('select:has(option[value="pt-BR"])').selectOption(language)
      await page.locator(`html[lang="${language}"]`).waitFor()
      await page.locator('.needs').filter({ hasText: words }).waitFor()
    }
    chmodSync(posthorn.data, 0o700)
    await finding.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Instances' }).getByText('Connected').waitFor()
    await page.getByRole('region', { name: 'Store' }).getByText('SQLite').waitFor()
    window.checkFaults()
    await window.close()
  })

  for (const [at, way] of ways.entries()) {
    test(`the operator finds who did what at one organization, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, { ...way.window, key: operatorToken() })
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Audit')
      const rows = page.getByRole('row').filter({ has: page.locator('td') })
      await rows.filter({ hasText: 'default' }).first().waitFor()
      await enterFilter(page, hand, ['Organization'], 'bakery')
      await page.waitForURL(/organization=bakery/)
      await rows.filter({ hasText: 'default' }).first().waitFor({ state: 'detached' })
      await enterFilter(page, hand, ['Action'], 'deleteInstance')
      await page.waitForURL(/action=deleteInstance/)
      await rows.nth(1).waitFor({ state: 'detached' })
      assert.match(await rows.innerText(), /deleteInstance[\s\S]*counter[\s\S]*bakery[\s\S]*phk_[\s\S]*Done/)
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

    test(`the operator sorts organizations by what they use, and is told if some were not read, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, { ...way.window, key: operatorToken() })
      const { page } = window
      const hand = way.on(page)
      // The numbers of these two come early, since messages are counted later; and the list has more than one page.
      await page.route(/\/v1\/organizations\?/, async (route) => {
        const reply = await route.fetch()
        const list = await reply.json()
        for (const one of list.data) {
          const isFirst = one.name === 'bakery'
          one.last_24_hours = {
            ...one.last_24_hours,
            accepted: isFirst ? 7 : 1_200,
            failed_share: isFirst ? 0.5 : null,
          }
        }
        await route.fulfill({ response: reply, json: { ...list, next_cursor: 'more' } })
      })
      await hand.goTo('Organizations')
      const rows = page.getByRole('table').locator('tbody tr')
      const sorted = page.locator('th[aria-sort]')
      const choice = page.getByLabel('Sort by')
      for (const [order, title, first] of [
        ['Accepted (24 h)', 'Accepted (24 h)', 'default'],
        ['Failed (24 h)', 'Failed (24 h)', 'bakery'],
        ['Instances', 'Instances', 'default'],
        ['Name', 'Name', 'bakery'],
      ] as const) {
        await hand.choose(choice, order)
        await rows.first().getByRole('link', { name: first, exact: true }).waitFor()
        assert.equal(await sorted.textContent(), title)
        const isTold = page.getByText('Only the 2 organizations that were read are sorted')
        await isTold.waitFor({ state: order === 'Name' ? 'detached' : 'visible' })
      }
      await hand.choose(choice, 'Failed (24 h)')
      await page.waitForURL(/organizations\?sort=failed/)
      await hand.rest()
      await checkAccessibility(page)
      window.checkFaults()
      await window.close()
    })

    test(`the operator sets words to stop marketing for all instances of an organization, ${way.name}`, async () => {
      const window = await visit(browser, posthorn, { ...way.window, key: operatorToken() })
      const { page } = window
      const hand = way.on(page)
      await hand.goTo('Organizations')
      await hand.press(page.getByRole('link', { name: 'bakery', exact: true }))
      await page.getByRole('heading', { name: 'bakery' }).waitFor()
      const words = page.getByRole('region', { name: 'Words to stop marketing' })
      await hand.press(words.getByRole('button', { name: 'Change words' }))
      const dialog = page.getByRole('dialog')
      await hand.enter(dialog.getByLabel('Words to stop', { exact: true }), 'stop, ...')
      await hand.press(dialog.getByRole('button', { name: 'Change words' }))
      await dialog.locator('[aria-invalid=true]').waitFor()
      await hand.enter(dialog.getByLabel('Words to stop', { exact: true }), `stop, sair${at}`)
      await hand.enter(dialog.getByLabel('Words to start again'), 'voltar')
      await hand.press(dialog.getByRole('button', { name: 'Change words' }))
      await dialog.waitFor({ state: 'detached' })
      await words.getByText(`stop, sair${at}`).waitFor()
      const client = posthorn.client(operatorToken())
      const { body } = await client.call(getOrganization, { params: { organization: 'bakery' } })
      assert.deepEqual([body.stop_words, body.start_words], [['stop', `sair${at}`], ['voltar']])
      await hand.rest()
      window.checkFaults([400])
      await window.close()
    })
  }

  test('an admin sees the log of the own organization, and a key that may less does not', async () => {
    const admins = await visit(browser, posthorn, { place: '#/audit' })
    const row = admins.page.getByRole('row').filter({ hasText: 'createInstance' })
    await row.getByRole('link', { name: 'shop' }).waitFor()
    assert.equal(await chipOf(admins.page, 'Organization').count(), 0)
    assert.ok(!(await admins.page.content()).includes('bakery'))
    admins.checkFaults()
    await admins.close()
    const { key } = await posthorn.createKey('default', 'send')
    const window = await visit(browser, posthorn, { key })
    await window.page.getByRole('link', { name: 'Events' }).waitFor()
    assert.equal(await window.page.getByRole('link', { name: 'Audit' }).count(), 0)
    window.checkFaults()
    await window.close()
  })

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [360, 'dark'],
  ] as const)
    test(`everyone can use them at ${width} pixels, ${colorScheme}`, async () => {
      const key = operatorToken()
      for (const [place, words] of [
        ['server', 'Last write took'],
        ['audit', 'createOrganization'],
        ['organizations', 'bakery'],
        ['organizations/bakery', 'Words to start again'],
      ]) {
        const window = await visit(browser, posthorn, { width, colorScheme, key, place: `#/${place}` })
        await window.page
          .getByText(words ?? '')
          .first()
          .waitFor()
        await checkAccessibility(window.page)
        window.checkFaults()
        await window.close()
      }
    })
})
