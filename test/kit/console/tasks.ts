import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright-core'

/** An entry of a trace of Chromium, of the kinds that are read here; its `tdur` counts microseconds of processor time. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
}

/** Milliseconds for which a page that is busy may keep the trace waiting. */
const timeout = 60_000

/**
 * Returns the processor time of each task on the main thread of a page during some acts, in milliseconds. Other programs make a task
 * end later, and take no more of this.
 */
export async function tasksDuring(browser: Browser, page: Page, act: () => Promise<void>): Promise<number[]> {
  const mark = (name: string) => page.evaluate(`void performance.mark(${JSON.stringify(name)})`)
  const categories = ['disabled-by-default-devtools.timeline', 'blink.user_timing']
  await browser.startTracing(page, { categories })
  await mark('begun')
  await act()
  // A thread that is busy when the trace ends leaves out what it did.
  await page.evaluate(`new Promise((done) => requestIdleCallback(done, { timeout: ${timeout} }))`)
  await mark('done')
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    readonly traceEvents: readonly TraceEvent[]
  }
  const begun = traceEvents.find(({ name }) => name === 'begun')
  assert.ok(begun && traceEvents.some(({ name }) => name === 'done'), 'the trace is not whole')
  const { pid, tid } = begun
  return traceEvents
    .filter((event) => event.name === 'RunTask' && event.pid === pid && event.tid === tid)
    .map(({ tdur = 0 }) => tdur / 1_000)
}
