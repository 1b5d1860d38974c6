import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { getInstance } from '../../../src/contract/operations/instance-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { ways } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { create } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* The groups of an instance in the console, and its words about marketing. */

describe('the groups of an instance', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  for (const [number, way] of ways.entries())
    test(`are seen from the instance, made and joined, ${way.name}`, async () => {
      const { page, ...window } = await visit(browser, posthorn, { ...way.window, place: '#/instances/shop' })
      const hand = way.on(page)
      const dialog = page.getByRole('dialog')
      await hand.press(page.getByRole('main').getByRole('link', { name: 'Groups', exact: true }))
      await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()
      await page.getByRole('row').filter({ hasText: 'family@group.sandbox' }).waitFor()
      await hand.press(page.getByRole('button', { name: 'New group' }))
      await hand.enter(dialog.getByLabel('Name of the group'), `Market ${number}`)
      await hand.enter(dialog.getByLabel('Addresses'), 'ana@delivers.sandbox')
      await hand.press(dialog.getByRole('button', { name: 'New group' }))
      await page.getByRole('heading', { level: 1, name: `Market ${number}` }).waitFor()
      await page.getByRole('row').filter({ hasText: 'ana@delivers.sandbox' }).waitFor()
      await page.goBack()
      await page
        .getByRole('row')
        .filter({ hasText: `Market ${number}` })
        .waitFor()
      await checkAccessibility(page)
      await hand.press(page.getByRole('button', { name: 'Join a group' }))
      await hand.enter(
        dialog.getByLabel('Invite link'),
        `https://sandbox.example/join/open${number}@group.sandbox`,
      )
      await hand.press(dialog.getByRole('button', { name: 'Join a group' }))
      await page.getByRole('heading', { level: 1, name: /^Open/ }).waitFor()
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('a group of which the network does not say if it was made is looked for before it is made again', async () => {
    const place = '#/groups?instance=shop'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New group' }).click()
    await dialog.getByLabel('Name of the group').fill('Perhaps')
    await dialog.getByLabel('Addresses').fill('ana@uncertain.sandbox')
    await dialog.getByRole('button', { name: 'New group' }).click()
    await dialog.getByText('It is not known yet if the group was made.', { exact: false }).waitFor()
    await dialog.getByText('The network did not say whether it was done.').waitFor()
    const made = page.locator('tr').filter({ hasText: 'Perhaps' })
    await made.waitFor()
    await dialog.getByRole('button', { name: 'New group' }).click()
    await dialog.getByText('It is not known yet if the group was made.', { exact: false }).waitFor()
    assert.equal(await made.count(), 1, 'there is no second one')
    window.checkFaults([500, 502, 503, 504, 409])
    await window.close()
  })

  test('the words about marketing are seen and changed', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/instances/shop' })
    const section = page.getByRole('region', { name: 'Words about marketing' })
    await section.getByText('Those of the organization').first().waitFor()
    await section.getByRole('button', { name: 'Change the words' }).click()
    const dialog = page.getByRole('dialog')
    const stop = dialog.getByRole('group', { name: 'Words to opt out' })
    await stop.getByRole('checkbox').uncheck()
    await stop.getByRole('textbox').fill('stop, sair')
    await dialog.getByRole('group', { name: 'Words to opt in again' }).getByRole('checkbox').uncheck()
    await checkAccessibility(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await section.getByText('stop, sair').waitFor()
    await section.getByText('None', { exact: true }).waitFor()
    const { body } = await posthorn.admin.call(getInstance, { params: { name: 'shop' } })
    assert.deepEqual([body.stop_words, body.start_words], [['stop', 'sair'], []])
    window.checkFaults()
    await window.close()
  })
})
