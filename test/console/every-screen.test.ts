import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openAccountMenu } from '../kit/console/account-menu.ts'
import {
  checkAccessibility,
  needsChromium,
  openWindow,
  startBrowser,
  type Window,
} from '../kit/console/browser.ts'
import { type Furnished, startFurnished } from '../kit/console/furnished.ts'
import { takePictures } from '../kit/console/pictures.ts'
import { isForOperator, linkTo, type Place, placesOf } from '../kit/console/places.ts'
import { elementsDecidedBy, styleFiles } from '../kit/console/style-files.ts'
import { visit } from '../kit/console/visit.ts'

/*
 * Promises of every screen, on a server with something of everything: everyone can use it, on a phone and in the dark, and
 * it speaks one language at a time. With `POSTHORN_TEST_SCREENSHOTS=docs`, the pictures of the documentation are taken anew.
 */

const pictures =
  process.env.POSTHORN_TEST_SCREENSHOTS === 'docs' ? new URL('../../docs/console/', import.meta.url) : null

/** Words that are the same in English and another language. */
const sameInAll = new Set([
  'Account',
  'CSV',
  'Error',
  'General',
  'HTTP',
  'ID',
  'Id',
  'JSON',
  'Menu',
  'No',
  'Node.js',
  'Normal',
  'PNG',
  'Posthorn',
  'Proxy',
  'SHA-256',
  'Status',
  'SVG',
  'Token',
  'URL',
  'Webhook',
  'Webhooks',
])

/** A screen that each file of styles is about, by its name: most decide how at least five elements look there. */
const styledScreens: Readonly<Record<string, { name: string; width?: number; least?: number }>> = {
  buttons: { name: 'messages-id' },
  charts: { name: 'charts' },
  conversations: { name: 'conversations' },
  // The palette is in the frame, and opens over every screen.
  dialogs: { name: 'overview', least: 1 },
  filters: { name: 'messages' },
  forms: { name: 'instances-new' },
  frame: { name: 'overview' },
  instances: { name: 'instances' },
  linking: { name: 'instances-new' },
  lists: { name: 'messages' },
  'message-rows': { name: 'messages' },
  messages: { name: 'messages-id' },
  operator: { name: 'server' },
  overview: { name: 'overview' },
  phone: { name: 'overview', width: 360 },
  rail: { name: 'overview', width: 1000 },
  // The line across the top is empty while the server is reached.
  reach: { name: 'overview', least: 1 },
  tables: { name: 'overview', least: 3 },
  text: { name: 'overview' },
  webhooks: { name: 'webhooks-webhook' },
}

describe('every screen', needsChromium, () => {
  let furnished: Furnished
  let browser: Browser
  let places: readonly Place[]

  before(async () => {
    ;[furnished, browser] = await Promise.all([
      startFurnished({
        label: 'Bakery Ana',
        texts: [
          'Your order 4711 is on its way.',
          'Do you deliver on Sundays?',
          'The table for four is reserved for 19:30.',
          'Your invoice is attached.',
        ],
        caption: 'The cake for Saturday',
        filename: 'cake.png',
        reference: 'order-4711',
        answer: '{"error":"the shop is closed"}',
        page: 'Two loaves of bread and a cake for Saturday, please.',
      }),
      startBrowser(),
    ])
    places = placesOf(furnished.named)
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      await takePictures(browser, furnished, pictures)
    }
  })

  after(async () => {
    await browser?.close()
    await furnished?.stop()
  })

  /** Goes through screens, each in the session that has it. */
  async function walk(see: (page: Page, place: Place) => Promise<void>, through = places): Promise<void> {
    const { posthorn, operatorToken } = furnished
    for (const [key, some] of [
      [posthorn.adminKey, through.filter((place) => !isForOperator(place))],
      [operatorToken, through.filter(isForOperator)],
    ] as const) {
      if (some.length === 0) continue
      const window: Window = await visit(browser, posthorn, { key })
      for (const place of some) {
        await window.page.goto('about:blank')
        await window.page.goto(`${posthorn.url}/console${linkTo(place)}`)
        await isDrawn(window.page)
        await see(window.page, place)
      }
      window.checkFaults()
      await window.close()
    }
  }

  test('can be used by everyone, wide and narrow, light and dark', async () => {
    await walk(async (page, place) => {
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [1280, 'dark'],
        [768, 'dark'],
        [768, 'light'],
        [360, 'light'],
        [360, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await checkWidth(page, place, width)
        await checkAccessibility(page)
      }
      for (const width of [1160, 880, 700]) await checkWidth(page, place, width)
      await page.setViewportSize({ width: 1280, height: 800 })
    })
  })

  test('has its styles: each file of them decides how something looks', async () => {
    const seen = new Set<string>()
    const check = async (page: Page, file: string, least = 5) => {
      const count = await elementsDecidedBy(page, file)
      assert.ok(count >= least, `${file}.css decides how ${count} elements of its screen look`)
      seen.add(file)
    }
    const signIn = await openWindow(browser, { url: furnished.posthorn.url })
    await signIn.page.goto(`${furnished.posthorn.url}/console`)
    await signIn.page.locator('input[type=password]').waitFor()
    await check(signIn.page, 'alone')
    await signIn.close()
    const styled = Object.entries(styledScreens)
    const screens = places.filter(({ name }) => styled.some(([, screen]) => screen.name === name))
    await walk(async (page, place) => {
      for (const [file, { name, width = 1280, least }] of styled) {
        if (name !== place.name) continue
        await page.setViewportSize({ width, height: 800 })
        if (file === 'dialogs') await page.keyboard.press('Control+k')
        if (file === 'dialogs') await page.locator('dialog[open]').waitFor()
        await check(page, file, least)
        if (file === 'dialogs') await page.keyboard.press('Escape')
      }
      await page.setViewportSize({ width: 1280, height: 800 })
    }, screens)
    assert.deepEqual([...seen].sort(), [...styleFiles].sort(), 'name the screen of each file in this test')
  })

  test('speaks one language at a time', async () => {
    const left: string[] = []
    await walk(async (page, place) => {
      const spoken = async (language: string) => {
        await openAccountMenu(page)
        await page.locator('select:has(option[value="pt-BR"])').selectOption(language)
        await page.locator(`html[lang="${language}"]`).waitFor()
        await isDrawn(page)
        const labels = await labelsOf(page)
        for (const width of [360, 768, 1280]) await checkWidth(page, place, width)
        return labels
      }
      const english = new Set(await spoken('en'))
      assert.ok(english.size > 5, `${place.name} says nothing`)
      for (const language of ['pt-BR', 'es'])
        for (const label of await spoken(language))
          if (english.has(label) && !sameInAll.has(label)) left.push(`${place.name}, ${language}: ${label}`)
    })
    assert.deepEqual(left, [])
  })
})

/** Fails if a screen must be scrolled sideways. */
async function checkWidth(page: Page, { name }: Place, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  // Canvases get their new width in the frame after the change.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  assert.ok(Number(overflow) <= 0, `${name} is ${overflow} pixels wider than ${width}`)
}

async function isDrawn(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('main:not(:has(.loading)) h1').first().waitFor()
}

/** Returns the words of the console itself: its titles, labels and buttons, not the data among them. */
function labelsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll(
      'h1, h2, h3, legend, label, button, summary, thead th, .u-label, dt, caption, .hint, .empty p, [aria-label]')]
    .filter((element) => !element.closest('main [lang], code, pre'))
    .flatMap((element) => [
      ...(element.matches('h1') ? [] : [...element.childNodes].filter(({ nodeType }) => nodeType === 3)
        .map(({ textContent }) => textContent)),
      element.matches('code, img') ? '' : element.getAttribute('aria-label') ?? '',
    ])
    .map((text) => text.trim())
    .filter((text) => /^\\p{Lu}\\p{L}/u.test(text))`)
}
