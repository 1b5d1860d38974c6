import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { listConversations } from '../../../src/contract/operations/conversation-operations.ts'
import { reactToMessage } from '../../../src/contract/operations/following-operations.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import type { Message } from '../../../src/contract/resources/message.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { type Hand, ways } from '../../kit/console/hands.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, eventually, everythingReceived, text } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/*
 * The rest of a conversation in the console: replies, reactions, edits and retractions, and contents besides texts and files.
 */

const token = 'the token of the shop'
const hostile = '<img src=x onerror="document.title=1">'

describe('whole conversations in the console', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  let callbackUrl: string

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
    const { body } = await posthorn.admin.call(createInstance, {
      body: { name: 'store', network: 'sandbox', settings: {}, credentials: { token } },
      waitSeconds: 20,
    })
    callbackUrl = new URL(String(body.callback_url), posthorn.url).href
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const write = (to: string, words: string) => text(posthorn.admin, { instance: 'shop', to, text: words }, 20)

  /** A person writes to the account `store`. */
  async function says(from: string, said: object): Promise<void> {
    const body = JSON.stringify({ from, ...said })
    const signature = createHmac('sha256', token).update(body).digest('hex')
    const headers = { 'x-sandbox-signature': `sha256=${signature}` }
    const { status } = await fetch(callbackUrl, { method: 'POST', headers, body })
    assert.equal(status, 200)
  }

  const received = (instance: string, count: number): Promise<readonly Message[]> =>
    eventually(
      'what people wrote',
      () => everythingReceived(posthorn.admin, instance),
      (all) => all.length >= count,
    )

  const bubbleOf = (page: Page, words: string | RegExp) =>
    page.getByRole('log').locator('li.bubble').filter({ hasText: words }).last()

  /** The dialogs in which contents are composed. */
  function composing(page: Page) {
    const dialog = page.getByRole('dialog')
    return {
      dialog,
      begin: async (kind: string) => {
        await page.getByRole('button', { name: 'Send something else' }).click()
        await page.getByRole('button', { name: kind, exact: true }).click()
      },
      enter: (label: string, words: string) => dialog.getByLabel(label, { exact: true }).fill(words),
      send: async () => {
        await checkAccessibility(page)
        await dialog.getByRole('button', { name: 'Send', exact: true }).click()
        await dialog.waitFor({ state: 'detached' })
      },
    }
  }

  /** Opens what can be done with a message. */
  const open = (hand: Hand, bubble: Locator) =>
    hand.press(bubble.getByRole('button', { name: /^What to do with/ }))

  for (const [number, way] of ways.entries())
    test(`a message is answered, reacted to, edited and deleted, ${way.name}`, async () => {
      const to = `ana${number}@delivers.sandbox`
      await write(to, 'The first')
      await write(to, 'The second')
      const place = `#/conversations/shop/${to}`
      const { page, ...window } = await visit(browser, posthorn, { ...way.window, place })
      const hand = way.on(page)
      const field = page.getByRole('textbox', { name: /^Message to/ })
      const first = page.getByRole('log').locator('li.bubble').filter({ hasText: 'The first' }).first()
      await open(hand, first)
      await hand.press(first.getByRole('button', { name: 'Reply', exact: true }))
      await page.getByText('Reply to: The first').waitFor()
      await hand.enter(field, 'An answer')
      await hand.press(page.getByRole('button', { name: 'Send', exact: true }))
      const answer = bubbleOf(page, 'An answer')
      await answer.getByText('Delivered').waitFor()
      await hand.press(answer.getByRole('link', { name: 'The first' }))
      assert.equal(await first.evaluate(hasTheFocus), true, 'the quote leads to its message')

      await open(hand, bubbleOf(page, 'The second'))
      await hand.press(bubbleOf(page, 'The second').getByRole('button', { name: '👍' }))
      const reactions = bubbleOf(page, 'The second').getByRole('list', { name: 'Reactions' })
      await reactions.getByText('👍').waitFor()
      await open(hand, bubbleOf(page, 'The second'))
      await hand.press(bubbleOf(page, 'The second').getByRole('button', { name: '👍', pressed: true }))
      await reactions.waitFor({ state: 'detached' })

      await open(hand, bubbleOf(page, 'The second'))
      await hand.press(bubbleOf(page, 'The second').getByRole('button', { name: 'Edit', exact: true }))
      await page.getByText('Editing: The second').waitFor()
      await eventually(
        'the text in the field',
        () => field.inputValue(),
        (value) => value === 'The second',
      )
      await page.keyboard.press('Control+A')
      await hand.enter(field, 'The second, mended')
      await hand.press(page.getByRole('button', { name: 'Save', exact: true }))
      const mended = bubbleOf(page, 'The second, mended')
      await mended.getByText('Edited').waitFor()
      assert.equal(await field.inputValue(), '')

      await open(hand, mended)
      await hand.press(mended.getByRole('button', { name: 'Delete for everyone' }))
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Delete for everyone' }))
      await bubbleOf(page, 'Deleted by its sender').waitFor()
      assert.equal(await page.getByRole('log').getByText('The second, mended').count(), 0)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('a place, a contact and a poll are sent, and the votes of people are shown', async () => {
    const place = '#/conversations/shop/bea@chooses.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const log = page.getByRole('log')
    const { dialog, begin, enter, send } = composing(page)
    await begin('Place')
    await enter('Latitude', '-23.5614, -46.6559')
    await enter('Name of the location', 'MASP')
    await send()
    const map = log.getByRole('link', { name: 'Open the map' })
    assert.match(String(await map.getAttribute('href')), /^https:.*mlat=-23.5614&mlon=-46.6559/)
    await begin('Contact')
    await enter('Name', 'Dr. Lima')
    await enter('Phone numbers', '+55 11 98765-4321')
    await send()
    await log.getByRole('link', { name: '+55 11 98765-4321' }).waitFor()
    await begin('Poll')
    await enter('Question', 'Which day?')
    await enter('Answers', 'Monday')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await enter('Answers', 'Monday\nTuesday')
    await send()
    const poll = bubbleOf(page, 'Which day?')
    await poll.getByText('1 vote', { exact: true }).waitFor()
    assert.deepEqual(await poll.locator('li').allTextContents(), ['Monday1 vote', 'Tuesday0 votes'])
    await checkAccessibility(page)
    window.checkFaults([422, 400])
    await window.close()
  })

  test('questions with buttons and with a list are sent, and what was chosen is marked', async () => {
    const place = '#/conversations/shop/bia@chooses.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const { dialog, begin, enter, send } = composing(page)
    await begin('Question')
    await enter('Text', 'Tomorrow at ten?')
    await enter('Button 1', 'Yes')
    await enter('Button 2', 'No')
    await dialog.getByRole('button', { name: 'Add a button' }).click()
    await eventually(
      'the new field',
      () => focusedLabel(page),
      (label) => label === 'Button 3',
    )
    await dialog.getByRole('button', { name: 'Remove Button 3' }).click()
    await eventually(
      'the focus',
      () => focusedLabel(page),
      (label) => label === 'Add a button',
    )
    await dialog.getByText('Payloads', { exact: true }).click()
    await enter('Payload of Button 1', 'agreed')
    await send()
    await bubbleOf(page, 'Tomorrow at ten?').getByText('chosen').waitFor()
    const { button_reply } = (await received('shop', 1)).find((each) => each.button_reply) ?? {}
    assert.deepEqual([button_reply?.title, button_reply?.payload], ['Yes', 'agreed'])
    await begin('Question')
    await dialog.getByLabel('Choose by').selectOption({ label: 'A list' })
    await enter('Text', 'When?')
    await enter('Words on the button', 'Choose')
    await enter('Row 1', '10:00')
    await enter('Second line of Row 1', 'With Dr. Lima')
    await enter('Row 2', '11:00')
    await dialog.getByRole('button', { name: 'Add a section' }).click()
    await enter('Heading of Section 1', 'Morning')
    await enter('Heading of Section 2', 'Afternoon')
    await enter('Row 3', '15:00')
    await send()
    const list = bubbleOf(page, 'Morning')
    await list.getByText('chosen').waitFor()
    assert.deepEqual(await list.locator('.subject').allTextContents(), ['Morning', 'Afternoon'])
    await list.getByText('With Dr. Lima').waitFor()
    await checkAccessibility(page)
    window.checkFaults([422, 400])
    await window.close()
  })

  test('the form for one message sends such contents, too, and again what was sent', async () => {
    const place = '#/send?instance=shop&to=cora@chooses.sandbox'
    const { page, ...window } = await visit(browser, posthorn, { place })
    const main = page.getByRole('main')
    const followed = page.getByRole('region', { name: 'Your message' })
    const send = async () => {
      await main.getByRole('button', { name: 'Send', exact: true }).click()
      await followed.getByText('Delivered').first().waitFor()
    }
    const what = page.getByLabel('What to send')
    await page.getByText('Test addresses').waitFor()
    await what.selectOption({ label: 'Place' })
    await main.getByLabel('Latitude').fill('-91')
    await main.getByLabel('Longitude').fill('-46.6559')
    await main.getByRole('button', { name: 'Send', exact: true }).click()
    await main.getByRole('alert').first().waitFor()
    await main.getByLabel('Latitude').fill('-23,5614')
    await send()
    await what.selectOption({ label: 'Question' })
    await main.getByLabel('Text', { exact: true }).fill('Which size?')
    await main.getByLabel('Button 1', { exact: true }).fill('Small')
    await main.getByLabel('Button 2', { exact: true }).fill('Large')
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Show the API call' }).click()
    await page.getByRole('dialog').getByText('/v1/messages/interactive').waitFor()
    await page.keyboard.press('Escape')
    const before = await followed.getByRole('link', { name: 'Open the message' }).getAttribute('href')
    await main.getByRole('button', { name: 'Send', exact: true }).click()
    await eventually(
      'the next message',
      () => followed.getByRole('link', { name: 'Open the message' }).getAttribute('href'),
      (href) => href !== before,
    )
    await followed.getByRole('link', { name: 'Open the message' }).click()
    await page.getByRole('link', { name: 'Send again as new' }).click()
    await eventually(
      'the buttons of before',
      () => main.getByLabel('Button 2', { exact: true }).inputValue(),
      (value) => value === 'Large',
    )
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    }
    window.checkFaults([400, 422])
    await window.close()
  })

  test('what people send is shown in its form, and is only ever text', async () => {
    const from = 'gil@delivers.sandbox'
    await text(posthorn.admin, { instance: 'store', to: from, text: 'How may we help?' }, 20)
    const order = {
      catalog_id: hostile,
      items: [{ product_id: hostile, quantity: 2, price: 12.5, currency: 'EUR' }],
      items_left_out: 3,
    }
    const referral = {
      ...{ type: 'ad', id: '1', url: 'javascript:window.harmed=1', title: hostile, text: 'Bread' },
      ...{ click_id: 'c', product_id: null },
    }
    const sender = { address: from, name: 'Gil', username: 'gil' }
    const said = [
      { content: { order, sender } },
      { text: 'From an advertisement', content: { referral } },
      { content: { flow_reply: { name: 'booking', response: { day: hostile } } } },
      { content: { location: { latitude: 1, longitude: 2, name: hostile, address: null } } },
      { content: { contacts: [{ name: hostile, phones: [hostile], emails: [hostile], company: null }] } },
      { text: 'In a topic', content: { topic: { id: '7', name: 'Bread' } } },
    ]
    for (const each of said) await says(from, each)
    const all = await received('store', said.length)
    const [oldest] = all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    await posthorn.admin.call(reactToMessage, { params: { id: String(oldest?.id) }, body: { emoji: '🎉' } })
    const { page, ...window } = await visit(browser, posthorn, { place: `#/conversations/store/${from}` })
    const ordered = bubbleOf(page, '€12.50')
    await ordered.getByText('and 3 more').waitFor()
    await ordered.getByText('🎉').waitFor()
    await bubbleOf(page, 'From an advertisement').getByText('javascript:window.harmed=1').waitFor()
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0)
    await bubbleOf(page, 'Form filled in').getByText(/"day"/).waitFor()
    await bubbleOf(page, 'In a topic').getByText('Topic: Bread').waitFor()
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first()
    assert.deepEqual(await row.locator('strong').allTextContents(), ['Gil'])
    await row.getByText(from).waitFor()
    assert.equal(await page.locator('main img:not(.avatar *)').count(), 0)
    await checkAccessibility(page)
    await page.setViewportSize({ width: 360, height: 800 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    window.checkFaults()
    await window.close()
  })

  test('a conversation is marked as read once a person has it before them, once for each newest message', async () => {
    const from = 'ivo@delivers.sandbox'
    await text(posthorn.admin, { instance: 'store', to: from, text: 'How may we help?' }, 20)
    const others = await received('store', 0)
    for (const words of ['Good morning', 'Is there bread?']) await says(from, { text: words })
    await received('store', others.length + 2)
    const { page, ...window } = await visit(browser, posthorn, { place: '#/conversations' })
    const marks: string[] = []
    page.on('request', (request) => request.url().endsWith('/read') && marks.push(request.url()))
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: from })
    const unread = row.locator('.unread')
    await row.getByText('2 unread').waitFor()
    await page.evaluate('document.hasFocus = () => false')
    await row.click()
    await bubbleOf(page, 'Is there bread?').waitFor()
    await says(from, { text: 'Hello?' })
    await row.getByText('3 unread').waitFor()
    assert.deepEqual(marks, [], 'the person looks elsewhere')
    await page.evaluate('document.hasFocus = () => true; window.dispatchEvent(new Event("focus"))')
    await unread.waitFor({ state: 'detached' })
    await says(from, { text: 'Thank you' })
    await bubbleOf(page, 'Thank you').waitFor()
    await eventually(
      'the second receipt',
      async () => marks.length,
      (count) => count >= 2,
    )
    await unread.waitFor({ state: 'detached' })
    await page.evaluate('window.dispatchEvent(new Event("focus"))')
    await page.getByRole('link', { name: 'Conversations', exact: true }).first().click()
    await row.click()
    await bubbleOf(page, 'Thank you').waitFor()
    assert.equal(new Set(marks).size, marks.length, 'no message was marked twice')
    assert.equal(marks.length, 2)
    const { body } = await posthorn.admin.call(listConversations, { query: { instance: 'store' } })
    assert.equal(body.data.find(({ conversation }) => conversation === from)?.unread, 0)
    window.checkFaults()
    await window.close()
  })
})

const focusedLabel = (page: Page) =>
  page.evaluate<string>(
    '(({ labels, textContent }) => (labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)',
  )

const hasTheFocus = (element: { matches(selector: string): boolean }) => element.matches(':focus')
