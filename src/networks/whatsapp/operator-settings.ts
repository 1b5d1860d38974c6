import { setting } from '../../runtime/config/setting.ts'
import { optional, text } from '../../runtime/config/setting-values.ts'

/** Settings that operators choose. */
export const settings = {
  POSTHORN_WHATSAPP_VERSION: setting(
    '',
    'The version of WhatsApp Web that linked accounts log in with, such as `2.3000.1043857760`. If not set, the version that the library has. WhatsApp rejects versions that are too old.',
    optional(parseClientVersion),
  ),
  POSTHORN_WHATSAPP_BROWSER: setting(
    'Mac OS, Chrome, 14.4.1',
    'System, browser and version that linked accounts log in with. The phone shows them among its linked devices. For some accounts, WhatsApp rejects unusual names.',
    parseBrowser,
  ),
  POSTHORN_WHATSAPP_WORKERS: setting(
    '2',
    'Maximum number of processes that hold linked WhatsApp accounts. Organizations share a process only when there are more organizations than processes; an organization begins another with its 201st account. Quarantined accounts have as many processes again, one each.',
    parseWorkers,
  ),
  POSTHORN_WHATSAPP_WORKER_MEMORY_MB: setting(
    '1024',
    'Memory that each of these processes may have, in megabytes (128 to 65536). A process that exceeds it is ended, and its accounts reconnect in another. A process needs 100, and 0.7 for each idle account.',
    parseWorkerMemory,
  ),
} as const

/** Settings that only tests change. */
export const testSettings = {
  POSTHORN_WHATSAPP_SERVER: setting(
    'wss://web.whatsapp.com/ws/chat',
    "The URL of WhatsApp's WebSocket for linked accounts. Change it only for tests with a simulator.",
    parseSocketUrl,
  ),
  POSTHORN_WHATSAPP_CA_FILE: setting(
    '',
    'A PEM file with the certificate authorities of `POSTHORN_WHATSAPP_SERVER` and of its servers for files, for tests. Certificates are always verified.',
    optional(text),
  ),
  POSTHORN_WHATSAPP_ROOT_KEY: setting(
    '',
    "The public key, in hexadecimal, that certifies `POSTHORN_WHATSAPP_SERVER`, for tests. If not set, WhatsApp's own key.",
    optional(parsePublicKey),
  ),
} as const

/** The URL of a WebSocket over TLS. */
function parseSocketUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol !== 'wss:' || url.username || url.password || url.search || url.hash)
    throw new Error('must be a wss URL, without a user, password, query or fragment')
  return value
}

/** A public key of 32 bytes. */
function parsePublicKey(value: string): string {
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error('must be 64 hexadecimal digits')
  return value.toLowerCase()
}

/** The version of a client, in three numbers. */
function parseClientVersion(value: string): readonly [number, number, number] {
  const [, first, second, third] = /^(\d{1,4})\.(\d{1,6})\.(\d{1,12})$/.exec(value) ?? []
  if (third === undefined) throw new Error('must be three numbers, such as 2.3000.1043857760')
  return [Number(first), Number(second), Number(third)]
}

/** Parses a client's name for itself: its system, its browser, and the version of that. */
function parseBrowser(value: string): readonly [string, string, string] {
  const [, system, browser, version] = /^([\w .-]{1,32}), ?([\w .-]{1,32}), ?([\w.]{1,16})$/.exec(value) ?? []
  if (system === undefined || browser === undefined || version === undefined)
    throw new Error('must be a system, a browser and its version, such as `Mac OS, Chrome, 14.4.1`')
  return [system, browser, version]
}

/** In megabytes. A worker needs a hundred before it has any account. */
function parseWorkerMemory(value: string): number {
  const megabytes = /^\d{3,5}$/.test(value) ? Number(value) : 0
  if (megabytes < 128 || megabytes > 65_536) throw new Error('must be a whole number from 128 to 65536')
  return megabytes
}

function parseWorkers(value: string): number {
  if (!/^[1-9]\d?$/.test(value)) throw new Error('must be a whole number from 1 to 99')
  return Number(value)
}
