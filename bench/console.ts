import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { needsChromium, startBrowser } from '../test/kit/console/browser.ts'
import { consoleMemory } from './console-memory.ts'
import { type Bench, type Figure, median, milliseconds, type Row } from './figure.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'
import { fillStore } from './prepare-store.ts'

const instances = 10_000
const laterLoads = 5
const changes = 5
/** Each text makes three events: queued, sent and delivered. */
const textsPerSecond = 34
const tailFor = 10_000
/** Milliseconds that the server is left alone before it is measured. */
const quiet = 5_000

/** Measures the console as a browser sees it, on a server with 10,000 instances, and its cost for the server. */
export const console: Figure = {
  name: 'console',
  async measure(bench) {
    if (needsChromium.skip !== false)
      return [{ figure: 'console', measured: `skipped: ${needsChromium.skip}` }]
    const data = join(bench.folder, 'console')
    await fillStore(data, { instances, messages: 0 })
    const posthorn = await startPosthorn(data, { POSTHORN_CONNECT_RATE: 'off' })
    const browser = await startBrowser()
    try {
      await wait(quiet)
      const rows = [...(await loads(posthorn, browser, bench)), ...(await list(posthorn, browser, bench))]
      bench.note('the tail of events')
      const longest = await tail(posthorn, browser)
      return [
        ...rows,
        row('… the longest task of the page at 100 events per second', longest, 100),
        ...(await consoleMemory(browser, bench)),
      ]
    } finally {
      await browser.close()
      await posthorn.end()
    }
  },
}

function row(figure: string, duration: number, goal: number): Row {
  const reached = duration <= goal
  return { figure, measured: milliseconds(duration), goal: `≤ ${milliseconds(goal)}`, reached }
}

/** A page that is signed in, and has loaded nothing yet. */
async function signedIn({ url, key }: Posthorn, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const headers = { origin: url, 'sec-fetch-site': 'same-origin' }
  const reply = await context.request.post(`${url}/console/session`, { data: { key }, headers })
  if (!reply.ok()) throw new Error(`the sign-in was answered with ${reply.status()}`)
  return context.newPage()
}

/** Returns the duration of an act, in milliseconds. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await act()
  return performance.now() - begun
}

const firstLink = (page: Page) => page.locator('main tbody a').first()

async function openList(page: Page, { url }: Posthorn): Promise<number> {
  return timed(async () => {
    await page.goto(`${url}/console#/instances`, { waitUntil: 'commit' })
    await firstLink(page).waitFor()
  })
}

async function loads(posthorn: Posthorn, browser: Browser, { note }: Bench): Promise<Row[]> {
  note('opening the list of instances')
  const page = await signedIn(posthorn, browser)
  const first = await openList(page, posthorn)
  const bytes = await page.evaluate<number>(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/v1/')).reduce((sum, { transferSize }) => sum + transferSize, 0)`,
  )
  await page.context().close()
  const later: number[] = []
  for (let round = 1; round <= laterLoads; round++) {
    const fresh = await signedIn(posthorn, browser)
    later.push(await openList(fresh, posthorn))
    await fresh.context().close()
  }
  return [
    {
      figure: 'console, bytes of the first load with the list of instances',
      measured: `${Math.round(bytes / 1000)} KB`,
      goal: '≤ 120 KB',
      reached: bytes <= 120_000,
    },
    row('… until the list of 10,000 instances can be used, the very first time', first, 2_000),
    row('… in every new browser after that', median(later), 1_000),
  ]
}

/** A filter of the list, and a change that is seen in it. */
async function list(posthorn: Posthorn, browser: Browser, { note }: Bench): Promise<Row[]> {
  note('filtering the list, and changing what it shows')
  const page = await signedIn(posthorn, browser)
  await openList(page, posthorn)
  const name = await firstLink(page).textContent()
  const status = page.locator('main tbody tr').first()
  const seen: number[] = []
  for (let round = 1; round <= changes; round++)
    for (const [order, shown] of [
      ['stop', 'Stopped'],
      ['start', 'Connected'],
    ] as const)
      seen.push(
        await timed(async () => {
          await posthorn.call('POST', `/v1/instances/${name}/${order}`, undefined, 202)
          await status.getByText(shown, { exact: true }).waitFor()
        }),
      )
  const filters: number[] = []
  const words = { connected: /^Connected$/, stopped: /^Stopped$/, failed: /^Failed$/ }
  for (const chosen of ['connected', 'stopped', 'connected', 'failed', 'connected'] as const)
    filters.push(
      await timed(async () => {
        const answered = page.waitForResponse((response) => response.url().includes(`status=${chosen}`))
        await page.locator('.chip > button:not(.clear-filter)').first().click()
        await page.locator('[role=menuitemradio]', { hasText: words[chosen] }).click()
        await answered
        await page.locator('main:not(:has(.loading))').waitFor()
      }),
    )
  await page.context().close()
  return [
    row('… the first page of a filter', median(filters), 300),
    row('… until a change shows, from the order on', median(seen), 500),
  ]
}

/** The longest task of the page while it shows a hundred new events in a second. */
async function tail(posthorn: Posthorn, browser: Browser): Promise<number> {
  const page = await signedIn(posthorn, browser)
  await page.goto(`${posthorn.url}/console#/events`)
  await page.locator('main h1').waitFor()
  await page.evaluate(`window.longest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
    }).observe({ type: 'longtask' })`)
  const { data } = (await posthorn.call('GET', '/v1/instances?limit=1', undefined, 200)) as {
    data: { name: string }[]
  }
  const body = { instance: data[0]?.name, to: 'ana@delivers.sandbox', text: 'Good morning' }
  const begun = performance.now()
  for (let sent = 0; performance.now() - begun < tailFor; sent++) {
    await wait(Math.max(0, (sent * 1_000) / textsPerSecond - (performance.now() - begun)))
    await posthorn.post('/v1/messages/text', body, 202)
  }
  await page.getByRole('link', { name: 'message.delivered' }).first().waitFor()
  const longest = await page.evaluate<number>('window.longest')
  await page.context().close()
  return longest
}
