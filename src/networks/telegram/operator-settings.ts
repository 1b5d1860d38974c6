import { setting } from '../../runtime/config/setting.ts'
import { parseApiUrl } from '../../runtime/config/setting-values.ts'

/** Settings that operators choose. */
export const settings = {
  POSTHORN_TELEGRAM_API: setting(
    'https://api.telegram.org',
    'The base URL of the Telegram Bot API, for a Bot API server of your own. Anything but https on port 443 of a public address must be allowed by `POSTHORN_CONNECT_ALLOW_CIDRS`.',
    parseApiUrl,
  ),
} as const
