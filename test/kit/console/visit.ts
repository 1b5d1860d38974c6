import type { Browser } from 'playwright-core'
import type { Posthorn } from '../posthorn.ts'
import { openWindow, type Window, type WindowOptions } from './browser.ts'

interface VisitOptions extends Omit<WindowOptions, 'url'> {
  /** Key to sign in with; by default the admin key of the organization `default`. */
  readonly key?: string
  /** Place to go to, such as `#/instances`. */
  readonly place?: string
}

/** Opens the console in a window of its own, signs in with a key as a person does, and goes to a place. */
export async function visit(
  browser: Browser,
  posthorn: Pick<Posthorn, 'url' | 'adminKey'>,
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
