import { createHash } from 'node:crypto'
import type { ListedDevice } from '../baileys/device-cache.ts'

/** Bytes of the digest that count. */
const hashBytes = 6

/** The hash of a list of devices, in any order, as whatsmeow makes it (`participantListHashV2`); that of the library writes addresses otherwise. */
export function listHash(devices: Iterable<ListedDevice | undefined>): string {
  const names = new Set<string>()
  for (const each of devices)
    if (each) names.add(`${each.user}.0:${each.device ?? 0}@${each.server ?? 's.whatsapp.net'}`)
  const digest = createHash('sha256')
    .update([...names].sort().join(''))
    .digest()
  return `2:${digest.subarray(0, hashBytes).toString('base64')}`
}
