import { join } from 'node:path'
import { type Client, createClient } from '../contract/client/client.ts'
import { readConfig } from '../networks/config.ts'
import type { Config } from '../runtime/config/config.ts'
import { localUrl } from '../runtime/config/listening.ts'
import { readSecretFile } from '../runtime/config/secret-file.ts'
import { type Option, Refusal, type Values } from './command.ts'

/** The flags of commands that call a server as its callers do. */
export const serverOptions = {
  server: {
    type: 'string',
    value: 'URL',
    description: 'The URL of the server. By default, the one from the settings in this folder.',
  },
  'key-file': {
    type: 'string',
    value: 'FILE',
    description: 'The file with the API key. By default, the admin key in the data folder.',
  },
} as const satisfies Record<string, Option>

/** A client of the server that the flags name. A key is never taken from the command line, where others could see it. */
export function serverClient(options: Values<typeof serverOptions>): {
  readonly client: Client
  readonly url: string
} {
  const config = readConfig(process.env)
  const url = options.server ?? urlOf(config)
  if (!URL.canParse(url)) throw new Refusal('--server must be a URL, for example http://127.0.0.1:8080')
  return { client: createClient({ baseUrl: url, key: keyIn(config, options['key-file']) }), url }
}

/** The URL at which this machine reaches the server of these settings. */
function urlOf({ POSTHORN_LISTEN: listen }: Config): string {
  if (listen.port !== 0) return localUrl(listen)
  throw new Refusal('the server chose its port itself; give its URL with --server')
}

function keyIn(config: Config, given: string | undefined): string {
  const file = given ?? join(config.POSTHORN_DATA, 'admin.key')
  const key = readSecretFile(file)
  if (key) return key
  const what =
    given === undefined ? 'there is no admin key in the data folder' : 'the key file is not there, or empty'
  throw new Refusal(`${what}; name a file that holds an API key with --key-file`)
}
