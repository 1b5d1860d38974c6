import { setting } from '../setting.ts'
import { parseBlocks } from '../setting-values.ts'

/** Addresses that the server may connect to besides public ones. */
export const outboundSettings = {
  POSTHORN_CONNECT_ALLOW_CIDRS: setting(
    'none',
    'Non-public address blocks that instances may connect to, separated by commas, such as `127.0.0.0/8,::1/128`. Callers can probe what listens there, so list only the servers of your instances. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_FETCH_ALLOW_CIDRS: setting(
    'none',
    'Non-public address blocks from which Posthorn may fetch files that callers give by URL, over HTTP or HTTPS and on any port; separated by commas. Does not apply to received files. `none` for none.',
    parseBlocks,
  ),
  POSTHORN_WEBHOOK_ALLOW_CIDRS: setting(
    'none',
    'Non-public address blocks at which Posthorn may post to webhooks, over HTTP or HTTPS and on any port; separated by commas. `none` for none.',
    parseBlocks,
  ),
} as const
