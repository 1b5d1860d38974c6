import type { NetworkDescription } from '../../contract/network-description.ts'
import type { Driver } from './driver.ts'
import { networkSettingsSchema } from './settings.ts'

/**
 * Returns the description of a network for callers: that of its driver, with the settings that instances of every network
 * have.
 */
export function descriptionOf(driver: Driver): NetworkDescription {
  return { ...driver, settings: networkSettingsSchema(driver) }
}
