import type { NetworkDescription } from '../../contract/network-description.ts'
import type { Driver } from './driver.ts'
import { settingsSchema } from './settings.ts'

/** What callers may know of a network: what its driver says, with the settings that instances of every network have. */
export function descriptionOf(driver: Driver): NetworkDescription {
  return { ...driver, settings: settingsSchema(driver) }
}
