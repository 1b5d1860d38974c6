import { isIP } from 'node:net'
import type { Static } from 'typebox'
import Type from '../../contract/type.ts'
import type { SealedCredentials, Settings, SettingsFault } from '../driver/account.ts'
import { domainOf, localOf, parsePerson } from './address.ts'

export const settingsSchema = Type.Object(
  {
    address: Type.String({
      description: 'The account to log in as: a bare XMPP address (JID) without a resource.',
      examples: ['notifications@example.org'],
      minLength: 3,
      maxLength: 2047,
    }),
    service: Type.Optional(
      Type.String({
        description:
          'Where the server listens, if DNS does not say so: `xmpp://host:port` (STARTTLS, default port 5222) or ' +
          '`xmpps://host:port` (TLS from the first byte, default port 5223). By default, the SRV records of the ' +
          'address’s domain are used. The certificate must be valid for that domain in either case.',
        examples: ['xmpps://xmpp.example.org:5223'],
        pattern: '^xmpps?://[^/?#@\\s]+/?$',
        maxLength: 300,
      }),
    ),
    register: Type.Optional(
      Type.Boolean({
        description:
          'Creates the account at the server when it does not exist yet (XEP-0077). An account that was created so, and only ' +
          'such a one, is deleted there when the instance is removed. The server must allow registration without a form.',
        default: false,
      }),
    ),
    allow_plaintext: Type.Optional(
      Type.Boolean({
        description:
          'Connects to a server on this machine without encryption, unless that server requires it. Only allowed with a ' +
          '`service` whose host is `localhost` or a loopback address; everywhere else encryption is mandatory.',
        default: false,
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      { address: 'notifications@example.org' },
      { address: 'notifications@example.org', service: 'xmpps://xmpp.example.org:5223' },
      {
        address: 'gateway@localhost',
        service: 'xmpp://127.0.0.1:5222',
        allow_plaintext: true,
        register: true,
      },
    ],
  },
)

export const credentialsSchema = Type.Object(
  {
    password: Type.Optional(
      Type.String({
        description:
          'The account’s password. It may be left out if `register` is set: a random one is then created and stored.',
        examples: ['correct horse battery staple'],
        minLength: 1,
        maxLength: 1023,
      }),
    ),
  },
  { additionalProperties: false, examples: [{ password: 'correct horse battery staple' }, {}] },
)

/** An endpoint that the settings name; without one, DNS is asked. */
export interface Service {
  readonly host: string
  readonly port: number
  readonly directTls: boolean
}

/** The settings as the driver uses them. */
export interface Account {
  readonly address: string
  readonly local: string
  readonly domain: string
  readonly service: Service | null
  readonly register: boolean
  /** True only if both the settings and the address of the server allow it. */
  readonly plaintext: boolean
}

type AccountSettings = Static<typeof settingsSchema>

/** Returns the faults that the schemas cannot find. */
export function check(settings: Settings, credentials: SealedCredentials): readonly SettingsFault[] {
  const { address, service, register, allow_plaintext } = settings as AccountSettings
  const faults: SettingsFault[] = []
  const parsed = parsePerson(address)
  if (!parsed.ok) faults.push(fault('/settings/address', 'address_invalid', parsed.detail))
  const endpoint = service === undefined ? null : parseService(service)
  if (service !== undefined && endpoint === null) {
    const detail = 'The service must be xmpp://host:port or xmpps://host:port with a port from 1 to 65535.'
    faults.push(fault('/settings/service', 'service_invalid', detail))
  }
  if (allow_plaintext === true && !(endpoint && isLoopback(endpoint.host))) {
    const detail =
      'Unencrypted connections are allowed only to a service on localhost or on a loopback address (127.0.0.0/8, ::1).'
    faults.push(fault('/settings/allow_plaintext', 'plaintext_not_local', detail))
  }
  if (register !== true && credentials.password === undefined) {
    const detail = 'A password is needed unless the account is to be registered (settings.register).'
    faults.push(fault('/credentials/password', 'password_required', detail))
  }
  return faults
}

/** An account that was registered for the instance is deleted with it. */
export function isRegistered(settings: Settings): boolean {
  return settings.register === true
}

/** Reads settings that `check` found to be fine. */
export function accountOf(settings: Settings): Account {
  const { address, service, allow_plaintext } = settings as AccountSettings
  const parsed = parsePerson(address)
  if (!parsed.ok) throw new Error('an account was opened with settings that were never checked')
  const endpoint = service === undefined ? null : parseService(service)
  return {
    address: parsed.address,
    local: localOf(parsed.address),
    domain: domainOf(parsed.address),
    service: endpoint,
    register: isRegistered(settings),
    plaintext: allow_plaintext === true && endpoint !== null && isLoopback(endpoint.host),
  }
}

/** Loopback by its spelling alone: a name that merely resolves to 127.0.0.1 today is not trusted to do so tomorrow. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  return isIP(host) === 4 && host.startsWith('127.')
}

function parseService(service: string): Service | null {
  if (!URL.canParse(service)) return null
  const url = new URL(service)
  const directTls = url.protocol === 'xmpps:'
  if (!directTls && url.protocol !== 'xmpp:') return null
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  const port = url.port === '' ? (directTls ? 5223 : 5222) : Number(url.port)
  if (url.hostname === '' || !plain || !/^\/?$/.test(url.pathname) || port < 1) return null
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase(), port, directTls }
}

function fault(pointer: string, code: string, detail: string): SettingsFault {
  return { pointer, code, detail }
}
