import type { Page } from 'playwright-core'
import type { Hand } from './hands.ts'

/** Opens the menu of an instance, in which orders wait that are seldom given, and gives one of them. */
export async function giveOrder(page: Page, { press }: Pick<Hand, 'press'>, order: string): Promise<void> {
  await press(page.getByRole('main').getByRole('button', { name: 'More', exact: true }))
  await press(page.getByRole('menuitem', { name: order }))
}
