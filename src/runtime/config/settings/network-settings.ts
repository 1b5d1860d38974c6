import { setting } from '../setting.ts'
import { text } from '../setting-values.ts'

/** All messaging networks. Those of one network are in its folder. */
export const networkSettings = {
  POSTHORN_DEFAULT_NETWORK: setting(
    'sandbox',
    'The network of an instance that is created without naming one.',
    text,
  ),
} as const
