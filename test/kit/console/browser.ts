import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Debian's package without a desktop draws the same pages for two thirds of the work. */
const executablePath =
  ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? ''

/**
 * For `test` and `describe`: skips with the reason where Chromium is missing and not required with
 * `POSTHORN_TEST_REQUIRE=chromium`.
 */
export const needsChromium: { skip: string | false } = {
  skip:
    executablePath !== '' || isRequired()
      ? false
      : 'Chromium is not installed (Debian package “chromium-headless-shell”)',
}

function isRequired(): boolean {
  return (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('chromium')
}

/** Starts a real Chromium. It makes no request to the internet. */
/** Starts a browser, with these switches besides. */
export function startBrowser(switches: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-gpu',
      '--disable-software-rasterizer',
      '--disable-extensions',
      ...switches,
    ],
  })
}

export interface WindowOptions {
  /** Address of the server: any request to another place is a fault. */
  readonly url: string
  /** In pixels; 1280 by default, and 360 for a phone. */
  readonly width?: number
  /** True if it is touched, and lays out as the browsers of phones do. */
  readonly isPhone?: boolean
  /** True if it has the size and the density of the browser's own screen, and pretends to have no other. */
  readonly isPlain?: boolean
  readonly colorScheme?: 'light' | 'dark'
  readonly language?: 'en' | 'pt-BR' | 'es'
}

/** A window of its own, with its own cookies, that is watched for what must never happen. */
export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * Fails if a script failed, the policy was violated, something was logged as an error, or another host was asked. The server may
   * have refused requests with these HTTP statuses, which browsers log.
   */
  checkFaults(refusedWith?: readonly number[]): void
  close(): Promise<void>
}

export async function openWindow(browser: Browser, options: WindowOptions): Promise<Window> {
  const { url, width = 1280, isPhone = false, isPlain = false } = options
  const { colorScheme = 'light', language = 'en' } = options
  const context = await browser.newContext({
    ...(isPlain
      ? { viewport: null }
      : { viewport: { width, height: 800 }, hasTouch: isPhone, isMobile: isPhone }),
    colorScheme,
    locale: language,
    acceptDownloads: true,
    // Granted to a person's click by browsers with a desktop.
    permissions: ['clipboard-write'],
    // The proxies of plays have certificates that no browser knows.
    ignoreHTTPSErrors: true,
  })
  const faults: string[] = []
  if (lateBy > 0) await answerLate(context)
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`a script failed: ${error.stack ?? error.message}`))
  // Violations of the content security policy are logged as errors, too.
  page.on('console', (line) => {
    if (line.type() === 'error' || line.type() === 'warning')
      faults.push(`logged: ${line.text()} (${line.location().url})`)
  })
  context.on('request', (request) => {
    const place = new URL(request.url())
    if (/^https?:$/.test(place.protocol) && place.origin !== new URL(url).origin)
      faults.push(`asked another host: ${request.url()}`)
  })
  return {
    page,
    context,
    checkFaults: (refusedWith = []) => {
      const isMeant = (fault: string) =>
        // People may show no picture, and an instance may not be connected.
        /status of (404|503) .*\/contacts\/[^/]+\/picture\)$/.test(fault) ||
        refusedWith.some((status) => fault.includes(`server responded with a status of ${status} `))
      assert.deepEqual(
        faults.filter((fault) => !isMeant(fault)),
        [],
      )
    },
    close: async () => {
      // A play may answer for the server, and the page may be asking while it closes.
      for (const each of [context, ...context.pages()]) await each.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}

/** Milliseconds by which every second response is late: a play that only a fast server lets pass fails then. */
const lateBy = Number(process.env.POSTHORN_TEST_LATE_ANSWERS ?? 0)

async function answerLate(context: BrowserContext): Promise<void> {
  await context.route(/\/v1\/|\/console\/session/, async (route) => {
    if (Math.random() < 0.5) await setTimeout(lateBy)
    // The page that made the request may be gone.
    await route.continue().catch(() => {})
  })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules that axe-core leaves out unless one asks for them: of WCAG 2.2, and of what else a person with a keyboard needs. */
const alsoChecked = { 'target-size': { enabled: true }, 'focus-order-semantics': { enabled: true } }

/** Fails with what axe-core finds wrong for people who cannot see, point or tell colours apart. */
export async function checkAccessibility(page: Page): Promise<void> {
  await page.evaluate(axe)
  const violations = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
    `axe.run(document, { resultTypes: ['violations'], rules: ${JSON.stringify(alsoChecked)} }).then(({ violations }) => violations)`,
  )
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
  assert.deepEqual(found, [], `axe-core found something at ${page.url()}`)
}

/** Fails if a page must be scrolled sideways or cannot be used by everyone, at the widths of screens, in the light and in the dark. */
export async function checkFitsEverywhere(page: Page): Promise<void> {
  for (const width of [1280, 768, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      assert.ok(overflow <= 0, `${page.url()} is ${overflow} pixels wider than ${width}`)
      await checkAccessibility(page)
    }
}
