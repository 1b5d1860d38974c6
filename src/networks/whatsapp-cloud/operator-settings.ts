import { secretSetting, setting, type ValuesOf } from '../../runtime/config/setting.ts'
import { parseApiUrl } from '../../runtime/config/setting-values.ts'
import type { CloudApp } from './settings.ts'

/** Settings that operators choose. */
export const settings = {
  POSTHORN_WHATSAPP_CLOUD_APP_SECRET: secretSetting(
    'The secret of your own app at Meta, if instances may use it: they then omit an app from their credentials, and Meta posts to one URL for all of them, which the server shows when it starts. Requires `POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN`, too.',
    parseSecret,
  ),
  POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: secretSetting(
    'A word of your own. Enter it at Meta together with that URL.',
    parseSecret,
  ),
} as const

/** Settings that only tests change. */
export const testSettings = {
  POSTHORN_WHATSAPP_CLOUD_API: setting(
    'https://graph.facebook.com',
    'The base URL of the WhatsApp Cloud API, for a proxy or a simulator. Anything but https on port 443 of a public address must be allowed by `POSTHORN_CONNECT_ALLOW_CIDRS`.',
    parseApiUrl,
  ),
} as const

type Values = ValuesOf<typeof settings>

/** Returns the operator's app at Meta; undefined without one. */
export function appIn(values: Values): CloudApp | undefined {
  const {
    POSTHORN_WHATSAPP_CLOUD_APP_SECRET: app_secret,
    POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN: verify_token,
  } = values
  return app_secret === undefined || verify_token === undefined ? undefined : { app_secret, verify_token }
}

/** An app at Meta has a secret and a verify token, and they are not the same. */
export function faults(values: Partial<Values>): readonly string[] {
  const [secret, token] = [
    'POSTHORN_WHATSAPP_CLOUD_APP_SECRET',
    'POSTHORN_WHATSAPP_CLOUD_VERIFY_TOKEN',
  ] as const
  const names = [secret, token]
  if (!names.every((name) => name in values)) return []
  const isSet = names.filter((name) => values[name] !== undefined)
  if (isSet.length === 1) return [`${isSet[0] === secret ? token : secret} must be set if ${isSet[0]} is`]
  if (isSet.length === 0 || values[secret] !== values[token]) return []
  return [`${token} must be another word than ${secret}, because it is part of a URL that Meta asks for`]
}

/** A secret that a network proves with. */
function parseSecret(value: string): string {
  if (!/^[\x21-\x7e]{8,256}$/.test(value)) throw new Error('must be 8 to 256 visible ASCII characters')
  return value
}
