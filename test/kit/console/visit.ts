import type { Browser } from 'playwright-core'
import type { Posthorn } from '../posthorn.ts'
import { openWindow, type Window, type WindowOptions } from './browser.ts'

interface VisitOptions extends Omit<WindowOptions, 'url'> {
  /** What to sign in with; by default the admin key of the organization `default`. */
  readonly key?: string
  /** Where to go, such as `#/instances`. */
  readonly place?: string
}

/** Somebody who opens the console in a window of their own, signs in with a key as a person does, and goes somewhere. */
export async function visit(
  browser: Browser,
  posthorn: Posthorn,
  options: VisitOptions = {},
): Promise<Window> {
  const { key = posthorn.adminKey, place = '', ...windowOptions } = options
  const window = await openWindow(browser, { url: posthorn.url, ...windowOptions })
  const { page } = window
  await page.goto(`${posthorn.url}/console${place}`)
  await page.locator('input[type=password]').fill(key)
  await page.locator('input[type=password]').press('Enter')
  await page.locator('nav').first().waitFor({ state: 'attached' })
  return window
}
