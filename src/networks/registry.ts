import type { Driver } from './driver.ts'

/** The networks that this server speaks, by slug, in the order in which they are shown. */
export type Networks = ReadonlyMap<string, Driver>

/** Collects drivers under their slugs; two drivers of one slug are a mistake in the composition. */
export function networksOf(drivers: readonly Driver[]): Networks {
  const networks = new Map<string, Driver>()
  for (const driver of drivers) {
    if (networks.has(driver.network)) throw new Error(`two drivers claim the network ${driver.network}`)
    networks.set(driver.network, driver)
  }
  return networks
}
