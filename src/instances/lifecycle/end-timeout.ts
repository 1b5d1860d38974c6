import type { Driver } from '../../networks/driver/driver.ts'

const usual = 5_000
const duringHandOver = 1_000

/**
 * Returns the milliseconds that the end of an instance waits for attempts under way before their connection is closed. During a hand-over
 * it sends nothing until another node goes on. If the network recognizes repetitions, a longer wait would only save one.
 */
export function endTimeout(
  { dedupes_by_id }: Pick<Driver['limits'], 'dedupes_by_id'>,
  isHandedOver: boolean,
): number {
  return isHandedOver && dedupes_by_id ? duringHandOver : usual
}
