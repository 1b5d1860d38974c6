import { setting } from '../setting.ts'
import {
  optional,
  parseApiUrl,
  parseBrowser,
  parseClientVersion,
  parseSecret,
  parseWorkerMemory,
  parseWorkers,
  text,
} from '../setting-values.ts'

/** The messaging networks. */
export const networkSettings = {
  POSTHORN_DEFAULT_NETWORK: setting(
    'sandbox',
    'The network of an instance that is created without naming one.',
    text,
  ),
  POSTHORN_TELEGRAM_API: setting(
    'https://api.telegram.org',
    'The base URL of the Telegram Bot API, for a Bot API server of your own. Anything but https on port 443 of a public address must be allowed by `POSTHORN_CONNECT_ALLOW_CIDRS`.',
    parseApiUrl,
  ),
  POSTHORN_WHATSAPP_CLOUD_APP_SECRET: setting(
    '',
    'The secret of your own app at Meta, if instances may use it: they leave their own app out of their credentials, and Meta calls one URL for all of them, which the server shows when it starts. Requires `POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN`, too.',
    optional(parseSecret),
  ),
  POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: setting(
    '',
    'A word of your own. Enter the same at Meta with that URL.',
    optional(parseSecret),
  ),
  POSTHORN_WHATSAPP_VERSION: setting(
    '',
    'The version of WhatsApp Web that linked accounts log in with, such as `2.3000.1043857760`. If not set, the one that the library knows. WhatsApp refuses versions that are too old.',
    optional(parseClientVersion),
  ),
  POSTHORN_WHATSAPP_BROWSER: setting(
    'Mac OS, Chrome, 14.4.1',
    'System, browser and version that linked accounts log in with. The phone shows them among its linked devices. For some accounts, WhatsApp refuses unusual names.',
    parseBrowser,
  ),
  POSTHORN_WHATSAPP_WORKERS: setting(
    '2',
    'Maximum number of processes that hold linked WhatsApp accounts. Organizations share one only when there are more of them than processes; an organization begins another with its 201st account. Accounts that were put apart have as many again, one each.',
    parseWorkers,
  ),
  POSTHORN_WHATSAPP_WORKER_MEMORY_MB: setting(
    '1024',
    'Memory that each of these processes may have, in megabytes (128 to 65536). One that needs more is ended, and its accounts connect again in another. It needs 100, and 0.7 for each account at rest.',
    parseWorkerMemory,
  ),
} as const
