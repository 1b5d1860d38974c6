import { isIP } from 'node:net'
import Type, { type Static } from 'typebox'
import type { ProxySettings } from '../../runtime/outbound/proxy-settings.ts'
import type { Credentials, Settings, SettingsFault } from '../driver.ts'

/** In UTF-16 units. */
const longestProxy = 512

export const settingsSchema = Type.Object(
  {
    proxy: Type.Optional(
      Type.String({
        description:
          'A proxy through which the instance reaches WhatsApp: its scheme (`http`, `https` or `socks5`), host and port. A user name and a ' +
          'password belong in `credentials`.',
        pattern: '^(https?|socks5)://[^\\s/?#@\\\\]+/?$',
        minLength: 10,
        maxLength: longestProxy,
        examples: ['socks5://proxy.example.org:1080'],
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

/** What the schemas cannot say. */
export function check(settings: Settings, credentials: Credentials): readonly SettingsFault[] {
  const { proxy } = settings as WhatsAppSettings
  const { proxy_username: name, proxy_password: password } = credentials as WhatsAppCredentials
  const faults: SettingsFault[] = []
  if (proxy !== undefined && proxyIn({ settings, credentials }) === null)
    faults.push({
      pointer: '/settings/proxy',
      code: 'proxy_invalid',
      detail: 'The proxy needs a scheme, a host and a port, like socks5://proxy.example.org:1080.',
    })
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

export interface Proxy {
  readonly scheme: 'http' | 'https' | 'socks5'
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly login: { readonly username: string; readonly password: string } | null
}

const usualPorts: Readonly<Record<Proxy['scheme'], number | null>> = { http: 80, https: 443, socks5: null }

/** The proxy that an instance uses; null if it uses none, or if the URL makes no sense. */
export function proxyIn({
  settings,
  credentials,
}: {
  readonly settings: Settings
  readonly credentials: Credentials
}): Proxy | null {
  const { proxy } = settings as WhatsAppSettings
  const { proxy_username: username, proxy_password: password } = credentials as WhatsAppCredentials
  // The URL standard reads hosts only after schemes that it knows.
  const [, scheme = '', place = ''] = /^(https?|socks5):\/\/(.+)$/.exec(proxy ?? '') ?? []
  const url = URL.parse(`http://${place}`)
  if (!isScheme(scheme) || url === null || url.username !== '' || url.password !== '') return null
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.hostname === '') return null
  const written = Number(/:(\d{1,5})\/?$/.exec(place)?.[1])
  const port = Number.isNaN(written) ? usualPorts[scheme] : written
  if (port === null || port < 1 || port > 65_535) return null
  const login = username === undefined || password === undefined ? null : { username, password }
  return { scheme, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, login }
}

/** A proxy in the form in which connections are opened through it. */
export function proxySettings({ scheme, host, port, login }: Proxy): ProxySettings {
  const url = `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return { url, ...login }
}

function isScheme(scheme: string): scheme is Proxy['scheme'] {
  return Object.hasOwn(usualPorts, scheme)
}

/** What the driver keeps beside what callers give: as which device of which account it is linked. */
interface Link {
  readonly linked_as?: string
}

/** Whether the account was linked, and nobody has told otherwise since. */
export function isLinked(_settings: Settings, credentials: Credentials): boolean {
  return (credentials as Link).linked_as !== undefined
}

/** The credentials of an instance that is linked as this device. */
export function linkedAs(credentials: Credentials, device: string): Credentials {
  return { ...credentials, linked_as: device }
}

/** The credentials of an instance that is not linked any longer. */
export function unlinked({ linked_as: _, ...credentials }: Credentials): Credentials {
  return credentials
}
