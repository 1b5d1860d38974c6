import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page, Route } from 'playwright-core'
import { needsChromium, startBrowser } from '../kit/console/browser.ts'
import { type Furnished, startFurnished } from '../kit/console/furnished.ts'
import { isForOperator, linkTo, type Place, placesOf } from '../kit/console/places.ts'
import { visit } from '../kit/console/visit.ts'

/*
 * Texts that unknown senders, networks, receivers of webhooks and links put before the console are only ever text: nothing
 * of it runs, becomes an element or a link, or makes a request.
 */

const tag = '<img src=//evil.example/x onerror="window.harmed=1">'
const hostile = `${tag}</script><script>window.harmed=1</script><svg onload=window.harmed=1><a href="javascript:window.harmed=1">x</a>`
/** As file names and labels take no slashes or are short. */
const short = '<img src=x onerror="window.harmed=1">'
const script = 'javascript:window.harmed=1'

describe('what strangers write', needsChromium, () => {
  let furnished: Furnished
  let browser: Browser
  let places: readonly Place[]

  before(async () => {
    ;[furnished, browser] = await Promise.all([
      startFurnished({
        label: hostile,
        texts: [hostile, script],
        caption: hostile,
        filename: `${short}.png`,
        reference: hostile.slice(0, 255),
        answer: hostile,
        page: `<!doctype html><title>${hostile}</title><script>window.opener?.harm(); window.harmed=1; document.title='harmed'</script>`,
      }),
      startBrowser(),
    ])
    places = placesOf(furnished.named)
  })

  after(async () => {
    await browser?.close()
    await furnished?.stop()
  })

  /** Goes through the screens, each in the session that has it, and counts the hostile texts that it sees. */
  async function walk(see: (page: Page, place: Place) => Promise<number>, meet?: typeof poison) {
    const { posthorn, operatorToken } = furnished
    let shown = 0
    for (const key of [posthorn.adminKey, operatorToken]) {
      const window = await visit(browser, posthorn, { key })
      if (meet) await window.page.route('**/v1/**', meet)
      const isOperator = key === operatorToken
      for (const place of places.filter((one) => isForOperator(one) === isOperator)) {
        await show(window.page, furnished, linkTo(place))
        shown += await see(window.page, place)
      }
      // The server knows no instance by the name that was put before the page, and takes no such name in a query.
      window.checkFaults(meet ? [400, 404, 409] : [])
      await window.close()
    }
    assert.ok(shown > 5, `what is hostile was shown only ${shown} times`)
  }

  test('and store, does nothing on any screen', () => walk(countHostile))

  test('and a network, a receiver or a proxy answers, does nothing on any screen, nor in any dialog', async () => {
    const opened = new Set<string>()
    await walk(async (page, place) => {
      const shown = await countHostile(page)
      await pressEverything(page, place, (dialog) => opened.add(dialog))
      return shown
    }, poison)
    assert.ok(opened.size > 20, `only these dialogs were opened: ${[...opened].join('; ')}`)
  })

  test('as why the server refused something, is only shown', async () => {
    const window = await visit(browser, furnished.posthorn)
    const problem = {
      type: script,
      title: hostile,
      status: 400,
      code: short,
      detail: hostile,
      request_id: short,
      errors: [{ pointer: hostile, code: short, detail: hostile }],
    }
    await window.page.route('**/v1/**', (route) =>
      route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    )
    for (const place of places) await show(window.page, furnished, linkTo(place))
    window.checkFaults([400])
    await window.close()
  })

  test('into a link to the console, does nothing', async () => {
    const encoded = encodeURIComponent(hostile)
    const links = [
      `#${hostile}`,
      `#/${encoded}`,
      `#/instances/${encoded}`,
      `#/instances/..%2F..%2F..%2F${encoded}`,
      '#/instances/..',
      '#/instances/%',
      `#/webhooks/${encoded}`,
      '#/__proto__/constructor',
      `#/messages?text=${encoded}&to=${encoded}&status=${encoded}&__proto__=${encoded}`,
      `#/instances?search=${encoded}&status=${encoded}&network=${encoded}`,
      `#/instances/~new?network=${encoded}`,
      `#/send?instance=${encoded}&to=${encoded}&text=${encoded}`,
      `#/events?after=${encoded}&type=${encoded}`,
      `#${script}`,
      `#//evil.example/${encoded}`,
      `#code=${encoded}`,
    ]
    const window = await visit(browser, furnished.posthorn)
    for (const link of links) await show(window.page, furnished, link)
    await window.page.goto('about:blank')
    window.checkFaults([400, 404])
    await window.close()
  })

  test('into a file, is saved when it is opened, and not executed', async () => {
    const { page, context, ...window } = await visit(browser, furnished.posthorn)
    for (const [{ id }, name] of [
      [furnished.receivedFile, 'message.txt'],
      [furnished.sentPage, 'order.html'],
    ] as const) {
      await show(page, furnished, `#/messages/${id}`)
      assert.equal(await page.locator('main :is(iframe, object, embed, img)').count(), 0)
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name }).click()
      assert.equal((await saved).suggestedFilename(), name)
    }
    // Opened by its address, as from the history, and by a browser that would show it.
    const url = `${furnished.posthorn.url}/v1/messages/${furnished.sentPage.id}/media`
    const other = await context.newPage()
    const opened = other.waitForEvent('download')
    await other.goto(url).catch(() => {})
    assert.equal((await opened).suggestedFilename(), 'order.html')
    await other.route(url, async (route) => {
      const response = await route.fetch()
      const { 'content-disposition': _, ...headers } = response.headers()
      await route.fulfill({ response, headers: { ...headers, 'content-type': 'text/html' } })
    })
    await other.goto(url)
    assert.notEqual(await other.title(), 'harmed')
    assert.equal(await other.evaluate('window.origin'), 'null', 'it is of our origin')
    await other.close()
    await window.close()
  })
})

/** Goes to a place, waits until all of it is drawn, and looks whether anything became more than text. */
async function show(page: Page, { posthorn }: Furnished, link: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(`${posthorn.url}/console${link}`)
  await page.waitForLoadState('networkidle')
  await page.locator('main:not(:has(.loading))').waitFor()
  await isOnlyText(page, link)
}

async function isOnlyText(page: Page, where: string): Promise<void> {
  assert.equal(await page.evaluate('window.harmed'), undefined, where)
  const planted = page.locator(
    ':is([onerror], [onload], [href^="javascript:" i], [src*="evil.example"], main script, main iframe)',
  )
  assert.equal(await planted.count(), 0, `${where} has an element of a stranger`)
}

const countHostile = (page: Page) => page.getByText('window.harmed=1').count()

/** Presses each button of a screen, and looks at what opens. What it asks to be changed is refused. */
async function pressEverything(
  page: Page,
  { name: place }: Place,
  onDialog: (which: string) => void,
): Promise<void> {
  const at = page.url()
  const dialog = page.locator('dialog[open]')
  const pressed: string[] = []
  for (;;) {
    const name = await page.evaluate<string | null>(`(${pressNext})(${JSON.stringify(pressed)})`)
    if (name === null) return
    pressed.push(name)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    await isOnlyText(page, `${place}, “${name}”`)
    while ((await dialog.count()) > 0) {
      onDialog(`${place}, “${name}”`)
      await page.keyboard.press('Escape')
    }
    if (page.url() !== at) await page.goto(at)
    await page.locator('main:not(:has(.loading))').waitFor()
  }
}

/** Presses the next button that has another name than those, and returns its name, without the hostile texts in it. */
const pressNext = `(pressed) => {
  for (const button of document.querySelectorAll('main button:enabled')) {
    const name = (button.getAttribute('aria-label') ?? button.textContent).replace(/<img.*/s, '')
    if (pressed.includes(name) || button.closest('dialog')) continue
    button.click()
    return name
  }
  return null
}`

/** The members of the server's responses that others than the server write. */
const free = new Set([
  'account',
  'address',
  'answer',
  'answered',
  'body',
  'caption',
  'client_ref',
  'description',
  'detail',
  'display_name',
  'filename',
  'hint',
  'name',
  'push_name',
  'reply',
  'response',
  'text',
  'title',
  'value',
])

/** Answers with what the server answers, but with something hostile wherever others write, and refuses every change. */
async function poison(route: Route): Promise<void> {
  if (route.request().method() !== 'GET') {
    const json = {
      type: script,
      title: hostile,
      status: 409,
      code: short,
      detail: hostile,
      request_id: short,
    }
    return route.fulfill({ status: 409, contentType: 'application/problem+json', json })
  }
  if (route.request().headers().accept === 'text/event-stream') return route.continue()
  const response = await route.fetch()
  const type = response.headers()['content-type'] ?? ''
  if (!type.startsWith('application/json')) return route.fulfill({ response })
  const poisoned = (value: unknown, member: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => poisoned(one, member))
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poisoned(one, name)]))
    if (typeof value !== 'string') return value
    if (member === 'url') return script
    return free.has(member) ? hostile : value
  }
  await route.fulfill({ response, json: poisoned(await response.json(), '') })
}
