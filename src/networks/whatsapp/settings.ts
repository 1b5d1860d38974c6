import type { Static } from 'typebox'
import Type from '../../contract/type.ts'
import type { ProxySettings } from '../../net/tunnel/proxy.ts'
import { proxyFault } from '../../net/tunnel/proxy.ts'
import type { SealedCredentials, Settings, SettingsFault } from '../driver/account.ts'

/** In UTF-16 units. */
const longestProxy = 512

export const settingsSchema = Type.Object(
  {
    proxy: Type.Optional(
      Type.String({
        description:
          'A proxy through which the instance reaches WhatsApp: its scheme (`http`, `https` or `socks5`), host and perhaps a port. A user ' +
          'name and a password belong in `credentials`.',
        pattern: '^(https?|socks5)://[^\\s/?#@\\\\]+/?$',
        minLength: 10,
        maxLength: longestProxy,
        examples: ['socks5://proxy.example.org:1080'],
      }),
    ),
    shown_online: Type.Optional(
      Type.Boolean({
        description:
          'Whether people see the account as online while the instance is connected. Then they also see two ticks while the phone is off, and the ' +
          'phone shows no notifications. By default, it is not shown as online, and they see two ticks once the phone has the message.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{}, { proxy: 'socks5://proxy.example.org:1080' }] },
)

/** SOCKS 5 counts the bytes of each in one byte (RFC 1929). */
const longestName = 255

export const credentialsSchema = Type.Object(
  {
    proxy_username: Type.Optional(
      Type.String({
        description: 'The user name at the proxy.',
        pattern: '^[\\x21-\\x39\\x3b-\\x7e]+$',
        minLength: 1,
        maxLength: longestName,
      }),
    ),
    proxy_password: Type.Optional(
      Type.String({
        description: 'The password at the proxy.',
        pattern: '^[\\x20-\\x7e]+$',
        minLength: 1,
        maxLength: longestName,
      }),
    ),
  },
  { additionalProperties: false, examples: [{}] },
)

export type WhatsAppSettings = Static<typeof settingsSchema>
export type WhatsAppCredentials = Static<typeof credentialsSchema>

/** Finds the faults that the schemas cannot express. */
export function check(settings: Settings, credentials: SealedCredentials): readonly SettingsFault[] {
  const { proxy } = settings as WhatsAppSettings
  const { proxy_username: name, proxy_password: password } = credentials as WhatsAppCredentials
  const faults: SettingsFault[] = []
  const fault = proxy === undefined ? null : proxyFault({ url: proxy })
  if (fault !== null) faults.push({ pointer: '/settings/proxy', code: 'proxy_invalid', detail: fault })
  if (proxy === undefined && (name ?? password) !== undefined)
    faults.push({
      pointer: name === undefined ? '/credentials/proxy_password' : '/credentials/proxy_username',
      code: 'proxy_missing',
      detail: 'There is no proxy to log in to. Set `proxy` in `settings`, or leave this out.',
    })
  if (proxy !== undefined && (name === undefined) !== (password === undefined))
    faults.push({
      pointer: name === undefined ? '/credentials/proxy_username' : '/credentials/proxy_password',
      code: 'proxy_login_incomplete',
      detail: 'A login at a proxy consists of a user name and a password. Give both, or neither.',
    })
  return faults
}

/** The proxy that an instance uses; null if it uses none. */
export function proxyOf(settings: Settings, credentials: SealedCredentials): ProxySettings | null {
  const { proxy: url } = settings as WhatsAppSettings
  const { proxy_username: username, proxy_password: password } = credentials as WhatsAppCredentials
  if (url === undefined) return null
  return { url, ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
}

/** True if the account is shown as online, so that its receipts are those of a person at the device. */
export function isShownOnline(settings: Settings): boolean {
  return (settings as WhatsAppSettings).shown_online === true
}

/** The driver's part of the credentials: the device and the account that it is linked as. */
interface Link {
  readonly linked_as?: string
}

/** True if the account was linked, and has not been unlinked since. */
export function isLinked(_settings: Settings, credentials: SealedCredentials): boolean {
  return (credentials as Link).linked_as !== undefined
}

/** The credentials of an instance that is linked as this device. */
export function linkedAs(credentials: SealedCredentials, device: string): SealedCredentials {
  return { ...credentials, linked_as: device }
}

/** The credentials of an instance that is not linked any longer. */
export function unlinked({ linked_as: _, ...credentials }: SealedCredentials): SealedCredentials {
  return credentials
}
