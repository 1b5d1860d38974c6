import { outboundGuard } from '../net/guard/guard.ts'
import { NameResolver } from '../net/resolve/names.ts'
import type { Config } from '../runtime/config/config.ts'
import type { Driver } from './driver/driver.ts'
import { networks } from './networks.ts'

/** Makes the drivers of every network, as the operator configured them. */
export function makeDrivers(
  config: Config,
  names = new NameResolver({ servers: config.POSTHORN_NAME_SERVERS }),
): Promise<Driver[]> {
  const guard = outboundGuard(config.POSTHORN_CONNECT_ALLOW_CIDRS)
  return Promise.all(networks.map((network) => network.makeDriver({ config, names, guard })))
}
