import type { Driver } from './driver.ts'

/** The networks of this server, by slug, in the order in which they are shown. */
export type Networks = ReadonlyMap<string, Driver>

/** Collects drivers by slug; two drivers with one slug are a mistake in the composition. */
export function networksOf(drivers: readonly Driver[]): Networks {
  const networks = new Map<string, Driver>()
  for (const driver of drivers) {
    if (networks.has(driver.network)) throw new Error(`two drivers claim the network ${driver.network}`)
    networks.set(driver.network, driver)
  }
  return networks
}

/** The slugs of the networks that show pictures. */
export function networksWithPictures(networks: Networks): string[] {
  return [...networks.values()].flatMap(({ network, abilities }) => (abilities.pictures ? [network] : []))
}
