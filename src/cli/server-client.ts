import { join, resolve } from 'node:path'
import { type Client, createClient } from '../contract/client/client.ts'
import { readConfig } from '../networks/config.ts'
import type { Config } from '../runtime/config/config.ts'
import { localUrl } from '../runtime/config/listening.ts'
import { readSecretFile } from '../runtime/config/secret-file.ts'
import { readServerUrls } from '../runtime/config/server-url.ts'
import { isServerRunning } from '../store/server-lock.ts'
import { type Option, Refusal, type Values } from './command.ts'
import { type KnownServer, knownServers } from './known-servers.ts'

/** The flags of commands that call a server as its callers do. */
export const serverOptions = {
  profile: {
    type: 'string',
    value: 'NAME',
    description: 'The server to which you logged in under this name (`posthorn login`).',
  },
  server: {
    type: 'string',
    value: 'URL',
    description: 'The URL of the server. By default, the one that runs on the data folder.',
  },
  'key-file': {
    type: 'string',
    value: 'FILE',
    description: 'The file with the API key. By default, the admin key in the data folder.',
  },
} as const satisfies Record<string, Option>

/** The flags of commands that call a server as its operator. */
export const operatorOptions = {
  server: serverOptions.server,
  'key-file': {
    type: 'string',
    value: 'FILE',
    description: "The file with the operator's token. By default, the one in the data folder.",
  },
} as const satisfies Record<string, Option>

/** A client of the server that the flags name, for its operator. */
export function operatorClient(options: Values<typeof operatorOptions>): Client {
  const config = readConfig(process.env)
  const given = options['key-file']
  const own = () =>
    config.POSTHORN_OPERATOR_TOKEN ?? readSecretFile(join(config.POSTHORN_DATA, 'operator.token'))
  const key = given === undefined ? own() : readSecretFile(given)
  if (key) return clientOf({ url: checkedUrl(options.server ?? urlOf(config)), key })
  throw new Refusal(
    given === undefined
      ? "there is no operator's token in the data folder; name the file that holds it with --key-file"
      : 'the key file is not there, or empty; name the file that holds the token of the operator',
  )
}

/**
 * A client of the server that the flags name; `keyFlag` is the one with the file of the key. A key is never taken from the command line,
 * where others could see it.
 */
export function serverClient(
  options: Values<typeof serverOptions>,
  keyFlag = '--key-file',
): { readonly client: Client; readonly url: string } {
  const { url, key } = serverOf(options, keyFlag)
  return { client: clientOf({ url, key }), url }
}

/** Errors of OpenSSL when a server answers in plain HTTP. */
const noTls = new Set<string | undefined>(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])

/** A client that says in a sentence which server does not respond. */
export function clientOf({ url, key }: KnownServer): Client {
  const reach: typeof fetch = (...request) =>
    fetch(...request).catch((error: Error) => {
      const { message, code } = (error.cause ?? error) as Error & { readonly code?: string }
      const next = noTls.has(code)
        ? 'it speaks no TLS there, so give its URL with http://'
        : 'check that it runs (`npx posthorn serve` starts one in this folder), and that this is its URL'
      throw new Refusal(`the server at ${url} does not respond (${message}); ${next}`)
    })
  return createClient({ baseUrl: url, key, fetch: reach })
}

/**
 * The server that a profile names, or the one at a URL. Without either it is the one whose data folder is here, and where there is none
 * the only one to which a person logged in on this machine.
 */
function serverOf(options: Values<typeof serverOptions>, keyFlag: string): KnownServer {
  if (options.profile !== undefined) return profile(options.profile)
  const config = readConfig(process.env)
  if (options.server === undefined && options['key-file'] === undefined && adminKey(config) === undefined) {
    const [only, ...others] = Object.values(knownServers())
    if (only && others.length === 0) return only
    if (only) throw new Refusal(`say which server with --profile: ${Object.keys(knownServers()).join(', ')}`)
  }
  const url = checkedUrl(options.server ?? urlOf(config))
  return { url, key: keyIn(config, options['key-file'], keyFlag) }
}

function profile(name: string): KnownServer {
  const servers = knownServers()
  const known = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (known) return known
  const names = Object.keys(servers).join(', ')
  throw new Refusal(
    names === ''
      ? 'there is no profile yet; `npx posthorn login URL` makes one'
      : `there is no profile "${name}"; there are: ${names}`,
  )
}

/** Throws if it is no URL of a server. */
export function checkedUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url
  throw new Refusal('the URL of a server begins with http:// or https://, for example http://127.0.0.1:8080')
}

/**
 * The URL at which this machine reaches the server of these settings. Once a server has kept its URL in the data folder, the key in
 * there is sent to that server only: while it does not run, another program may listen at its address, or at the default one.
 */
function urlOf({ POSTHORN_DATA: folder, POSTHORN_LISTEN: listen }: Config): string {
  const kept = readServerUrls(folder)
  const isRunning = isServerRunning(folder)
  if (isRunning && kept?.local !== undefined) return kept.local
  if (kept && !isRunning)
    throw new Refusal(
      `no server runs on the data folder ${resolve(folder)}; start one with \`npx posthorn serve\`, or name another server with --server`,
    )
  if (listen.port !== 0) return localUrl(listen)
  throw new Refusal('the server chose its port itself; give its URL with --server')
}

const adminKey = ({ POSTHORN_DATA: data }: Config): string | undefined =>
  readSecretFile(join(data, 'admin.key'))

function keyIn(config: Config, given: string | undefined, flag: string): string {
  const key = given === undefined ? adminKey(config) : readSecretFile(given)
  if (key) return key
  const what =
    given === undefined ? 'there is no admin key in the data folder' : 'the key file is not there, or empty'
  throw new Refusal(`${what}; name a file that holds an API key with ${flag}`)
}
