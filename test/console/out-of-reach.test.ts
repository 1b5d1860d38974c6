import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { startInstance, stopInstance } from '../../src/contract/operations/instance-operations.ts'
import {
  checkAccessibility,
  needsChromium,
  startBrowser,
  type WindowOptions,
} from '../kit/console/browser.ts'
import { visit } from '../kit/console/visit.ts'
import { startTcpProxy } from '../kit/far-ends/tcp-proxy.ts'
import { create, eventually, reaches, text } from '../kit/play.ts'
import { freshFolder, type Posthorn, startPosthorn } from '../kit/posthorn.ts'

/* The server goes out of reach under an open console, in each of the ways in which servers do, and comes back. */

/** Milliseconds that the page may take to notice silence, or its end, on a slow machine. */
const timeout = 120_000

const speakers = [
  {
    window: { language: 'en', width: 1280 },
    lost: 'The server is out of reach. What you see may have changed.',
    since: /^Last known (now|\d+ (sec|min)\. ago)\. The page keeps trying by itself\.$/,
    again: 'Try again now',
    back: 'The server is back, and everything is up to date.',
  },
  {
    window: { language: 'pt-BR', width: 360, isPhone: true, colorScheme: 'dark' },
    lost: 'O servidor está inacessível. O que você vê pode ter mudado.',
    since: /^Última informação: (agora|há \d+ (seg|min))\. A página continua tentando sozinha\.$/,
    again: 'Tentar de novo agora',
    back: 'O servidor voltou e tudo está atualizado.',
  },
  {
    window: { language: 'es', width: 360 },
    lost: 'No se puede acceder al servidor. Lo que ves puede haber cambiado.',
    since: /^Última información: (ahora|hace \d+ (s|min))\. La página sigue intentándolo sola\.$/,
    again: 'Reintentar ahora',
    back: 'El servidor ha vuelto y todo está actualizado.',
  },
] as const satisfies readonly ({ window: Omit<WindowOptions, 'url'> } & Record<string, unknown>)[]

describe('when the server is out of reach, the console', { ...needsChromium, timeout: 400_000 }, () => {
  const data = freshFolder()
  let posthorn: Posthorn
  let browser: Browser
  let places: readonly string[]

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn({ data }), startBrowser()])
    await create(posthorn.admin, 'shop')
    const { id } = await text(posthorn.admin, { instance: 'shop', to: 'ana@reads.sandbox', text: 'Hello' })
    await reaches(posthorn.admin, id, 'read')
    places = ['#/overview', `#/messages/${id}`, '#/instances']
  })

  after(async () => {
    await browser?.close()
    await posthorn?.stop()
    rmSync(data, { recursive: true, force: true })
  })

  /** A second way to the server, which can be broken without breaking the first. */
  async function enterBy(proxy: { readonly port: number }, place: string) {
    const window = await visit(browser, { ...posthorn, url: `http://127.0.0.1:${proxy.port}` }, { place })
    await window.page.getByText('Live', { exact: true }).waitFor({ timeout })
    return window
  }

  const isLost = (page: Page, words: string = speakers[0].lost) =>
    page.getByRole('alert').getByText(words).waitFor({ timeout })
  const isBack = (page: Page, words: string = speakers[0].back) =>
    page.getByRole('status').getByText(words).waitFor({ timeout })
  const shopIs = (page: Page, status: string) =>
    page.getByRole('row', { name: /shop/ }).getByText(status, { exact: true }).waitFor({ timeout })
  // Asked again from here: to poll inside the page, Playwright needs `eval`, which the page's policy forbids.
  const hasColours = (page: Page) =>
    eventually(
      'a state in its colour',
      () => page.evaluate<string[]>(greens),
      ({ length }) => length > 0,
      timeout,
    )

  test('says so in every language, has nothing in the colour of a state, and is as before when the server is back', async () => {
    const windows = await Promise.all(
      speakers.map(async (speaker, at) => ({
        ...speaker,
        ...(await visit(browser, posthorn, { ...speaker.window, place: places[at] ?? '' })),
      })),
    )
    for (const { page } of windows) {
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor({ timeout })
      await hasColours(page)
    }
    await posthorn.stop()
    for (const { page, lost, since, again } of windows) {
      await isLost(page, lost)
      await page.getByText(since).waitFor({ timeout })
      assert.deepEqual(await page.evaluate(greens), [])
      const told = page.getByRole('main').locator('.badge:not(.not-known)')
      assert.equal(await told.count(), 0, 'a status says nothing to whoever cannot see colours')
      await checkAccessibility(page)
      await page.getByRole('button', { name: again }).waitFor()
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok(Number(width) <= 0, `${width} pixels too wide`)
    }
    const { port } = new URL(posthorn.url)
    // In all windows at once: each says it for some seconds.
    const areBack = Promise.all(windows.map(({ page, back }) => isBack(page, back)))
    posthorn = await startPosthorn({ data, environment: { POSTHORN_LISTEN: `127.0.0.1:${port}` } })
    await areBack
    for (const { page, lost } of windows) {
      await page.getByRole('alert').getByText(lost).waitFor({ state: 'detached' })
      await hasColours(page)
    }
    for (const { close } of windows) await close()
  })

  test('tries again at once when somebody presses that, shows what changed meanwhile, and the screen that could not be loaded', async (t) => {
    const proxy = await startTcpProxy({ port: Number(new URL(posthorn.url).port) })
    t.after(() => proxy.stop())
    const { page, close } = await enterBy(proxy, '#/instances')
    await shopIs(page, 'Connected')
    await page.route('**/*', (route) => route.abort('connectionrefused'))
    proxy.cut()
    await isLost(page)
    await page.evaluate(`location.hash = '#/charts'`)
    const isNotLoaded = page.getByText('Check your connection, and that the server is running.')
    await isNotLoaded.waitFor()
    await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor()
    assert.equal(await page.evaluate('scrollY'), 0, 'the heading is below the banner')
    await page.evaluate('scrollTo(0, 1_000)')
    const atBrand = `document.elementFromPoint(40, 26).closest('.connection.lost') !== null`
    assert.equal(await page.evaluate(atBrand), true, 'nothing is over the banner')
    await checkAccessibility(page)
    await page.getByRole('button', { name: 'Try again now' }).click()
    await posthorn.admin.call(stopInstance, { params: { name: 'shop' }, waitSeconds: 10 })
    const areBack = isBack(page)
    await page.unroute('**/*')
    // The page tries by itself, too; where that was first, there is nothing left to press.
    await Promise.race([areBack, page.getByRole('button', { name: 'Try again now' }).click({ timeout })])
    await areBack
    await isNotLoaded.waitFor({ state: 'detached', timeout })
    await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor({ timeout })
    await page.evaluate(`location.hash = '#/instances'`)
    await shopIs(page, 'Stopped')
    await posthorn.admin.call(startInstance, { params: { name: 'shop' }, waitSeconds: 10 })
    await shopIs(page, 'Connected')
    await close()
  })

  test('reads again and again what no stream tells, and says so, while only the stream is away', async (t) => {
    const proxy = await startTcpProxy({ port: Number(new URL(posthorn.url).port) })
    t.after(() => proxy.stop())
    const { page, close } = await enterBy(proxy, '#/instances')
    await shopIs(page, 'Connected')
    const isStream = (url: URL) => url.pathname === '/v1/events' && !url.searchParams.has('limit')
    await page.route(isStream, (route) => route.abort())
    proxy.cut()
    await page
      .getByRole('status')
      .getByText('Changes do not arrive by themselves at the moment.')
      .waitFor({ timeout })
    assert.equal(await page.getByText('Live', { exact: true }).count(), 0)
    await checkAccessibility(page)
    await posthorn.admin.call(stopInstance, { params: { name: 'shop' }, waitSeconds: 10 })
    await shopIs(page, 'Stopped')
    assert.equal(await page.getByRole('alert').filter({ hasText: speakers[0].lost }).count(), 0)
    // The page tries by itself, too: the stream must not come before the button is pressed.
    const isPressed = Promise.withResolvers<void>()
    await page.route(isStream, async (route) => {
      await isPressed.promise
      // The page has given up those that it asked for before.
      await route.continue().catch(() => {})
    })
    await page.getByRole('button', { name: 'Try again now' }).click()
    isPressed.resolve()
    await page.getByText('Live', { exact: true }).waitFor({ timeout })
    await posthorn.admin.call(startInstance, { params: { name: 'shop' }, waitSeconds: 10 })
    await shopIs(page, 'Connected')
    await close()
  })

  test('notices by itself that a server takes connections and never answers, and gets over what hung', async (t) => {
    const proxy = await startTcpProxy({ port: Number(new URL(posthorn.url).port) })
    t.after(() => proxy.stop())
    const { page, close } = await enterBy(proxy, '#/overview')
    await hasColours(page)
    proxy.hold('to-server', 'to-client')
    await page.evaluate(`location.hash = '#/instances'`)
    await isLost(page)
    assert.deepEqual(await page.evaluate(greens), [])
    proxy.cut()
    await isBack(page)
    await shopIs(page, 'Connected')
    await close()
  })

  test('loads by itself the code that broke off while the server is in reach', async () => {
    const { page, close } = await visit(browser, posthorn, { place: '#/overview' })
    await page.getByText('Live', { exact: true }).waitFor({ timeout })
    await page.route('**/instance-list.ts', (route) => route.abort('connectionreset'), { times: 2 })
    await page.evaluate(`location.hash = '#/instances'`)
    await shopIs(page, 'Connected')
    await page.route('**/finder.ts', (route) => route.abort('connectionreset'), { times: 2 })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor({ timeout })
    await close()
  })

  test('does not ask for ever for code that is missing, and asks again when a person wants it', async () => {
    const { page, close } = await visit(browser, posthorn, { place: '#/overview' })
    await page.getByText('Live', { exact: true }).waitFor({ timeout })
    const asked: string[] = []
    await page.route('**/instance-list.ts', (route) => {
      asked.push(route.request().url())
      return route.abort('connectionreset')
    })
    await page.evaluate(`location.hash = '#/instances'`)
    await eventually(
      'the last attempt',
      async () => asked.length,
      (count) => count === 4,
      timeout,
    )
    // The next one would follow within half of that.
    await setTimeout(8_000)
    assert.equal(asked.length, 4)
    await page.unroute('**/instance-list.ts')
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
    await shopIs(page, 'Connected')
    await close()
  })

  test('opens although the first request broke off', async () => {
    const { page, close } = await visit(browser, posthorn, { place: '#/instances' })
    await shopIs(page, 'Connected')
    await page.route('**/console/session', (route) => route.abort('connectionreset'), { times: 1 })
    await page.reload()
    await shopIs(page, 'Connected')
    await close()
  })
})

/** Elements that are drawn in a green, as an expression for the page. */
const greens = `[...document.querySelectorAll('body *')].flatMap((element) =>
  [undefined, '::before'].flatMap((part) => {
    const style = getComputedStyle(element, part)
    if (part && style.content === 'none') return []
    const { color, backgroundColor, borderInlineStartColor, borderInlineStartWidth } = style
    const drawn = [color, backgroundColor, ...(parseFloat(borderInlineStartWidth) > 0 ? [borderInlineStartColor] : [])]
    return drawn.some((each) => {
      const [red, green, blue] = each.match(/[\\d.]+/g).map(Number)
      return green - Math.max(red, blue) > 25
    }) ? [element.outerHTML.slice(0, 200)] : []
  }))`
