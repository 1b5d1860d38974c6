import type { Page } from 'playwright-core'

/** Opens the menu of the account, which has the language, the appearance and the ways out, unless it is open. */
export async function openAccountMenu(page: Page): Promise<void> {
  const menu = page.locator('.account')
  if ((await menu.getAttribute('open')) === null) await menu.locator('summary').click()
}
