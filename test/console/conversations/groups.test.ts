import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { listMessages } from '../../../src/contract/operations/message-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { keyboard } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Groups in the console: their conversations, the people who are mentioned there, and what the account can change. */

describe('groups in the console', needsChromium, () => {
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

  const write = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words }, 20)
  /** A group in which a member wrote. */
  async function begin(name: string): Promise<string> {
    const group = `${name}@group.sandbox`
    await write(group, '/say Good morning')
    await eventually(
      'what the member says',
      () => everythingReceived(posthorn.admin, 'shop'),
      (all) => all.some(({ conversation }) => conversation === group),
    )
    return group
  }

  /** The messages to a group, the newest first. */
  const messagesTo = async (conversation: string) => {
    const query = { instance: 'shop', conversation, direction: 'outbound' as const }
    return (await posthorn.admin.call(listMessages, { query })).body.data
  }

  const field = (page: Page) => page.getByRole('textbox', { name: /^Message to/ })

  test('a group has its name, and people in it are mentioned by keyboard and by mouse', async () => {
    const group = await begin('team')
    const { page, ...window } = await visit(browser, posthorn, { place: '#/conversations' })
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: group }).click()
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
    await page.locator('.thread-header').getByText(group).waitFor()
    await field(page).pressSequentially('Dear @b')
    const offered = page.getByRole('listbox', { name: 'Mention a person' })
    await offered.getByRole('option', { name: /^Bo/ }).waitFor()
    await checkAccessibility(page)
    await field(page).press('Enter')
    assert.equal(await field(page).inputValue(), 'Dear @Bo ')
    await field(page).pressSequentially('and @')
    await offered.getByRole('option', { name: /^Ana/ }).click()
    assert.equal(await field(page).inputValue(), 'Dear @Bo and @Ana ')
    await field(page).pressSequentially('see @x')
    await offered.waitFor({ state: 'detached' })
    await field(page).press('Enter')
    const sent = page.getByRole('log').locator('li.bubble').filter({ hasText: 'see @x' })
    await sent.getByText('@Bo', { exact: true }).waitFor()
    const named = sent.locator('.mention')
    assert.deepEqual(await named.allTextContents(), ['@Bo', '@Ana'])
    assert.equal(await named.first().getAttribute('title'), 'bo@delivers.sandbox')
    const [message] = await messagesTo(group)
    assert.equal(message?.text, 'Dear @bo and @ana see @x', 'the network gets addresses')
    const rows = page.getByRole('navigation', { name: 'Conversations' })
    await rows.getByText('You: Dear @bo and @Ana see @x').waitFor()
    await field(page).pressSequentially('Only @b')
    await offered.getByRole('option', { name: /^Bo/ }).waitFor()
    await field(page).press('Escape')
    await offered.waitFor({ state: 'detached' })
    await field(page).press('Enter')
    const plain = page.getByRole('log').locator('li.bubble').filter({ hasText: 'Only @b' })
    await plain.getByText(/^(Sent|Delivered|Read)$/).waitFor()
    assert.equal(await plain.locator('.mention').count(), 0, 'nobody was chosen')
    window.checkFaults()
    await window.close()
  })

  test('what changes in a group stands among its messages, and its name follows', async () => {
    const group = await begin('family')
    const place = `#/conversations/shop/${group}`
    const { page, ...window } = await visit(browser, posthorn, { place })
    const log = page.getByRole('log')
    await log.getByText('Good morning', { exact: true }).first().waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
    await write(group, '/rename Cousins')
    await log.getByText('The group is now called “Cousins”.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Cousins' }).waitFor()
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByText('Cousins', { exact: true })
      .waitFor()
    await write(group, '/add cy@delivers.sandbox')
    await log.getByText('Joined: cy@delivers.sandbox').waitFor()
    await write(group, 'Welcome')
    const entries = log.locator('ol > li')
    await log.getByText('Welcome').waitFor()
    const last = await entries.allTextContents()
    assert.match(String(last.at(-2)), /^Joined/, 'a change stays where it happened')
    await checkAccessibility(page)
    window.checkFaults()
    await window.close()
  })

  test('members are added, removed and made admins, by keyboard alone', async () => {
    const group = await begin('crew')
    const { page, ...window } = await visit(browser, posthorn, { place: `#/conversations/shop/${group}` })
    const hand = keyboard.on(page)
    await hand.press(page.locator('.thread-header').getByRole('link', { name: 'Group', exact: true }))
    const row = (name: string) => page.getByRole('row').filter({ hasText: `${name.toLowerCase()}@delivers` })
    await row('Bo').getByText('Owner').waitFor()
    assert.equal(await row('Bo').getByRole('button').count(), 0)
    await hand.press(row('Ana').getByRole('button', { name: 'Make admin' }))
    await row('Ana').getByText('Admin', { exact: true }).waitFor()
    await hand.press(row('Ana').getByRole('button', { name: 'Take the admin role' }))
    await row('Ana').getByText('Member', { exact: true }).waitFor()
    await hand.enter(page.getByLabel('Addresses'), 'cy@delivers.sandbox, dan@unknown.sandbox')
    await hand.press(page.getByRole('button', { name: 'Add people' }))
    await row('Cy').waitFor()
    await page
      .getByRole('alert')
      .getByText(/^dan@unknown\.sandbox: /)
      .waitFor()
    await hand.press(row('Cy').getByRole('button', { name: 'Remove from the group' }))
    await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Remove from the group' }))
    await row('Cy').waitFor({ state: 'detached' })
    await hand.press(page.getByRole('button', { name: 'Show the link' }))
    await page.getByText(/^https:\/\/sandbox\.example\/join\//).waitFor()
    await checkAccessibility(page)
    await hand.press(page.getByRole('button', { name: 'Rename', exact: true }))
    await hand.enter(page.getByRole('dialog').getByLabel('Name of the group'), 'Deck')
    await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }))
    await page.getByRole('heading', { level: 1, name: 'Deck' }).waitFor()
    await page.setViewportSize({ width: 360, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await page.setViewportSize({ width: 1280, height: 800 })
    await hand.press(page.getByRole('button', { name: 'Leave the group' }))
    await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Leave the group' }))
    await page.getByRole('log').waitFor()
    await hand.rest()
    window.checkFaults()
    await window.close()
  })

  test('people who ask to join are let in or not, by keyboard alone', async () => {
    const { page, ...window } = await visit(browser, posthorn, { place: '#/groups?instance=shop' })
    const hand = keyboard.on(page)
    await hand.press(page.getByRole('button', { name: 'New group' }))
    const dialog = page.getByRole('dialog')
    await hand.enter(dialog.getByLabel('Name of the group'), 'Club')
    await hand.enter(dialog.getByLabel('Addresses'), 'ana@delivers.sandbox')
    await hand.press(dialog.getByLabel('People ask, and are let in'))
    await hand.press(dialog.getByRole('button', { name: 'New group' }))
    await page.getByRole('heading', { level: 1, name: 'Club' }).waitFor()
    const requests = page.getByRole('region', { name: 'Requests to join' })
    await requests.getByText('Nobody asks to join.').waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor({ state: 'attached' })
    const group = decodeURIComponent(await page.evaluate<string>("location.hash.split('/').at(-1)"))
    await write(group, '/ask cy@delivers.sandbox')
    await write(group, '/ask dan@delivers.sandbox')
    const row = (name: string) => requests.getByRole('row').filter({ hasText: `${name}@delivers` })
    await row('dan').waitFor()
    await checkAccessibility(page)
    await hand.press(row('cy').getByRole('button', { name: 'Let in' }))
    await row('cy').waitFor({ state: 'detached' })
    const members = page.getByRole('region', { name: 'Members' })
    await members.getByRole('row').filter({ hasText: 'cy@delivers' }).waitFor()
    await hand.press(row('dan').getByRole('button', { name: 'Decline' }))
    await requests.getByText('Nobody asks to join.').waitFor()
    assert.equal(await members.getByRole('row').filter({ hasText: 'dan@delivers' }).count(), 0)
    await hand.rest()
    window.checkFaults()
    await window.close()
  })

  test('a key that only reads sees the members, and changes nothing', async () => {
    const group = await begin('readers')
    const { key } = await posthorn.createKey('default', 'read')
    const { page, ...window } = await visit(browser, posthorn, { key, place: `#/groups/shop/${group}` })
    await page.getByRole('row').filter({ hasText: 'bo@delivers' }).waitFor()
    const buttons = page.getByRole('main').getByRole('button')
    assert.deepEqual(await buttons.evaluateAll((all) => all.map(({ title }) => title)), ['Show the API call'])
    window.checkFaults()
    await window.close()
  })
})
