import { readConfig } from '../../src/networks/config.ts'
import { type ShareOptions, Shares, shareLimits } from '../../src/runtime/limits/share.ts'

/** Shares of instances, as a server without settings has them. */
export function sharesForTests(options: Partial<ShareOptions> = {}): Shares {
  return new Shares({ ...shareLimits(readConfig({})), ...options })
}
