import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  createInstance,
  deleteInstance,
  startInstance,
  stopInstance,
} from '../../src/contract/operations/instance-operations.ts'
import { createWebhook } from '../../src/contract/operations/webhook-operations.ts'
import { checkAccessibility, needsChromium, startBrowser } from '../kit/console/browser.ts'
import { ways } from '../kit/console/hands.ts'
import { visit } from '../kit/console/visit.ts'
import { WebhookReceiver } from '../kit/far-ends/webhook-receiver.ts'
import { create, text } from '../kit/play.ts'
import { type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* The overview: the first screen that a person sees. */

describe('the overview', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser
  let receiver: WebhookReceiver

  before(async () => {
    const environment = { POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', POSTHORN_UNSETTLED_LIMIT: '10' }
    ;[posthorn, browser, receiver] = await Promise.all([
      startPosthorn({ environment }),
      startBrowser(),
      WebhookReceiver.start((_, response) => response.writeHead(410).end()),
    ])
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
    await receiver.stop()
  })

  const needs = (page: Page) => page.getByRole('region', { name: 'Needs your attention' })

  test('teaches the first steps, then says that all is well, then what needs a person, as it happens', async () => {
    const window = await visit(browser, posthorn)
    const { page } = window
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await checkAccessibility(page)
    await create(posthorn.admin, 'shop')
    await page.getByText('All is well: nothing needs your attention.').waitFor()
    await page.getByRole('link', { name: '1 Connected' }).waitFor()
    const offline = { name: 'offline', network: 'sandbox', settings: { behaviour: 'unreachable' } } as const
    await posthorn.admin.call(createInstance, { body: offline })
    await page.getByText('Posthorn is trying to connect 1 instance. Nothing else').waitFor()
    await create(posthorn.admin, 'refused', { behaviour: 'refuses_credentials' })
    const refused = needs(page).getByRole('listitem').filter({ hasText: 'refused' })
    await refused.getByText('Logged out').waitFor()
    await refused.getByText('Replace the credentials, or link the account again.').waitFor()
    const webhook = { url: receiver.url, events: ['message.queued'] as const }
    await posthorn.admin.call(createWebhook, { body: { ...webhook, events: [...webhook.events] } })
    await posthorn.admin.call(stopInstance, { params: { name: 'shop' } })
    await text(posthorn.admin, { instance: 'shop', to: 'ana@reads.sandbox' })
    await needs(page).getByText('Posthorn disabled it').waitFor()
    const queue = page.getByRole('region', { name: 'Waiting messages' })
    await queue.getByRole('link', { name: 'shop' }).waitFor()
    await page.getByRole('link', { name: '1 Stopped' }).waitFor()
    await checkAccessibility(page)
    await posthorn.admin.call(startInstance, { params: { name: 'shop' } })
    await queue.getByText('No message waits.').waitFor()
    await needs(page).getByRole('link', { name: 'refused' }).click()
    await page.getByRole('heading', { name: 'refused' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await needs(page).waitFor()
    window.checkFaults()
    await window.close()
  })

  test('ticks the first steps as they are done, and shows what the last day brought and what failed', async () => {
    await posthorn.createOrganization('bakery')
    const { key } = await posthorn.createKey('bakery', 'admin')
    const bakery = posthorn.client(key)
    const window = await visit(browser, posthorn, { key })
    const { page } = window
    const steps = page.getByRole('region', { name: 'First steps' })
    const done = (text: string) => steps.getByRole('listitem').filter({ hasText: `Done: ${text}` })
    await steps.getByRole('link', { name: 'New instance' }).waitFor()
    await create(bakery, 'counter')
    await done('Create an instance').waitFor()
    await done('Wait until it is connected').waitFor()
    assert.equal(await done('Send a test message').count(), 0)
    await text(bakery, { instance: 'counter', to: 'ana@reads.sandbox' })
    await done('Send a test message').waitFor()
    await text(bakery, { instance: 'counter', to: 'dora@refuses.sandbox', text: 'The cake is ready' })
    const failures = page.getByRole('region', { name: 'Latest failures' })
    await failures.getByText('The cake is ready').waitFor()
    const day = page.getByRole('region', { name: 'Last 24 hours' })
    await day.getByText('1 message', { exact: true }).waitFor({ timeout: 60_000 })
    await day.getByRole('img', { name: '1 sent and 1 failed' }).waitFor()
    await checkAccessibility(page)
    await failures.getByRole('link', { name: 'dora@refuses.sandbox' }).click()
    await page.getByText('The cake is ready').first().waitFor()
    await page.reload()
    await page.goto(`${posthorn.url}/console#/overview`)
    await failures.waitFor()
    assert.equal(await steps.count(), 0)
    window.checkFaults()
    await window.close()
  })

  test('tells what is new since the last visit in this browser, once that ended half an hour ago', async () => {
    await posthorn.createOrganization('returning')
    const { key } = await posthorn.createKey('returning', 'admin')
    const client = posthorn.client(key)
    await create(client, 'desk')
    for (const to of ['ana@delivers', 'dora@refuses'])
      await text(client, { instance: 'desk', to: `${to}.sandbox` })
    const window = await visit(browser, posthorn, { key })
    const { page } = window
    const news = page.getByText(/^Since .* – delivered: \d+, failed: \d+, received: 0$/)
    await page.getByRole('region', { name: 'Last 24 hours' }).waitFor()
    assert.equal(await news.count(), 0, 'of the first visit')
    const wasAway = (minutes: number) =>
      page.evaluate(`{
        const name = Object.keys(localStorage).find((each) => each.startsWith('posthorn-visit-'))
        localStorage.setItem(name, JSON.stringify({ seen: Date.now() - ${minutes} * 60_000 }))
      }`)
    const comeBack = async (minutes: number) => {
      await page.goto(`${posthorn.url}/console#/events`)
      await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
      await wasAway(minutes)
      await page.goto(`${posthorn.url}/console#/overview`)
      await page.getByRole('region', { name: 'Last 24 hours' }).waitFor()
    }
    await comeBack(20)
    assert.equal(await news.count(), 0, 'of a visit that goes on')
    // Counts are made some seconds after the events.
    const told = page.getByText(/ – delivered: 1, failed: 1, received: 0$/)
    for (const minutes of [60, 60 * 24, 60 * 24 * 60]) {
      do await comeBack(minutes)
      while (
        !(await told.waitFor({ timeout: 2_000 }).then(
          () => true,
          () => false,
        ))
      )
    }
    await checkAccessibility(page)
    await page.reload()
    await told.waitFor()
    window.checkFaults()
    await window.close()
  })

  for (const [at, way] of ways.entries())
    test(`what needs a person is followed to its instance, and mended there, ${way.name}`, async () => {
      const name = `locked-${at}`
      const credentials = { token: 'refused' }
      const body = { name, network: 'sandbox', credentials }
      await posthorn.admin.call(createInstance, { body, waitSeconds: 10 })
      const window = await visit(browser, posthorn, way.window)
      const { page } = window
      const hand = way.on(page)
      const need = needs(page).getByRole('link', { name })
      const row = needs(page)
        .getByRole('listitem')
        .filter({ has: page.getByRole('link', { name }) })
      await hand.press(row.getByRole('link', { name: 'Reconnect' }))
      await page.getByRole('heading', { name, exact: true }).waitFor()
      const dialog = page.getByRole('dialog')
      await hand.enter(dialog.getByLabel('Token'), 'open-sesame')
      await hand.press(dialog.getByRole('button', { name: 'Replace credentials' }))
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('region', { name: 'Connection' }).getByText('Connected', { exact: true }).waitFor()
      await hand.goTo('Overview')
      await page.getByRole('link', { name: /\d Connected/ }).waitFor()
      await need.waitFor({ state: 'detached' })
      await hand.rest()
      window.checkFaults()
      await window.close()
    })

  test('warns before a quota is used up, and says what to do once it is', async () => {
    await create(posthorn.admin, 'halted')
    await posthorn.admin.call(stopInstance, { params: { name: 'halted' } })
    const add = () => text(posthorn.admin, { instance: 'halted', to: 'ana@reads.sandbox' })
    for (let count = 0; count < 9; count++) await add()
    const window = await visit(browser, posthorn)
    const { page } = window
    const quota = needs(page).getByRole('listitem').filter({ hasText: 'Waiting messages' })
    await quota.getByText('Almost nothing is left of this quota: 9 of 10.').waitFor()
    await add()
    await page.goto(`${posthorn.url}/console#/send?instance=halted&to=ana@reads.sandbox`)
    await page.getByLabel('Text', { exact: true }).fill('One too many')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const refusal = page.getByRole('alert')
    await refusal.getByText('The organization has reached its limit of waiting messages.').waitFor()
    await refusal.getByText(/POSTHORN_UNSETTLED_LIMIT/).waitFor()
    window.checkFaults([429])
    await window.close()
    await posthorn.admin.call(deleteInstance, { params: { name: 'halted' } })
  })

  test('fits a phone, in the dark, in every language', async () => {
    await create(posthorn.admin, 'unlinked', { link: 'qr', links_after_seconds: 3600 })
    for (const [language, title] of [
      ['en', 'Overview'],
      ['pt-BR', 'Visão geral'],
      ['es', 'Resumen'],
    ] as const) {
      const window = await visit(browser, posthorn, { width: 360, colorScheme: 'dark', language })
      const { page } = window
      await page.getByRole('heading', { name: title }).waitFor()
      await page.getByRole('main').getByRole('link', { name: 'unlinked' }).waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
      await checkAccessibility(page)
      window.checkFaults()
      await window.close()
    }
  })
})
