import type { Page } from 'playwright-core'
import type { Hand } from './hands.ts'

/* The filters of a list, as a person sets them: by the chip of one, or on a phone in the sheet of all. */

/** Chooses a value of a filter. */
export async function chooseFilter(page: Page, hand: Hand, filter: string, option: string): Promise<void> {
  if (await opensSheet(page, hand)) {
    await hand.choose(sheetOf(page).getByRole('combobox', { name: filter, exact: true }), option)
    return closeSheet(page, hand)
  }
  await hand.press(chipOf(page, filter))
  const options = page.getByRole('menuitemradio').or(page.locator('.presets button'))
  await hand.press(options.filter({ hasText: new RegExp(`^${option}$`) }))
  await page.locator('.pop').waitFor({ state: 'detached' })
}

/** Enters a value into a field of a filter; the field has another name if the filter has several. */
export async function enterFilter(
  page: Page,
  hand: Hand,
  [filter, field = filter]: readonly [string, string?],
  text: string,
): Promise<void> {
  if (await opensSheet(page, hand)) {
    await hand.enter(sheetOf(page).getByLabel(field, { exact: true }), text)
    return closeSheet(page, hand)
  }
  await hand.press(chipOf(page, filter))
  await hand.enter(page.locator('.pop').getByLabel(field, { exact: true }).and(page.locator('input')), text)
  // Closes it again.
  await hand.press(chipOf(page, filter))
}

/** The chip of a filter, whether or not it is set. */
export const chipOf = (page: Page, filter: string) =>
  page.locator('.chip > button:not(.clear-filter)').filter({ hasText: new RegExp(`^${filter}`) })

const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'Filters' })

async function opensSheet(page: Page, hand: Hand): Promise<boolean> {
  await page.getByRole('search').waitFor()
  const button = page.locator('.open-filters')
  if (!(await button.isVisible())) return false
  await hand.press(button)
  return true
}

async function closeSheet(page: Page, hand: Hand): Promise<void> {
  await hand.press(sheetOf(page).getByRole('button', { name: 'Show the list' }))
  await sheetOf(page).waitFor({ state: 'detached' })
}
