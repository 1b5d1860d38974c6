import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../test/kit/far-ends/free-ports.ts'
import { accountToRunAs } from '../test/kit/processes/postgres-server.ts'
import { startProgram } from './process.ts'

/** Debian's package has its code where this program says, and this program only runs as an account that the package made. */
const control = '/usr/sbin/ejabberdctl'

/** True if ejabberd can be run here. */
export const hasEjabberd = existsSync(control)

/** A real XMPP server, ejabberd, with its own HTTP API. */
export interface Ejabberd {
  readonly domain: string
  /** For clients without encryption. */
  readonly port: number
  /** Address of its HTTP API. */
  readonly url: string
  createUser(name: string, password: string): Promise<void>
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

/** Starts ejabberd on free loopback ports, as an account without rights, with its data in a folder of its own. */
export async function startEjabberd(): Promise<Ejabberd> {
  const domain = 'posthorn.test'
  const [port = 0, apiPort = 0] = await freePorts(2)
  const url = `http://127.0.0.1:${apiPort}`
  const account = await accountToRunAs()
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ejabberd-'))
  const spool = join(folder, 'spool')
  const configuration = join(folder, 'ejabberd.yml')
  mkdirSync(spool)
  writeFileSync(configuration, configurationText(domain, port, apiPort))
  if (account.uid !== undefined && account.gid !== undefined)
    for (const path of [folder, spool]) chownSync(path, account.uid, account.gid)
  const server = await startProgram(
    'erl',
    ['-noinput', '+K', 'true', '-mnesia', 'dir', `"${spool}"`, '-s', 'ejabberd'],
    {
      ...account,
      // Without a name it takes part in no cluster of Erlang, so that nothing listens but what is configured.
      environment: {
        HOME: folder,
        ERL_LIBS: /^ERL_LIBS='(.*)'$/m.exec(readFileSync(control, 'utf8'))?.[1] ?? '',
        ERL_CRASH_DUMP_BYTES: '0',
        EJABBERD_CONFIG_PATH: configuration,
        EJABBERD_LOG_PATH: join(folder, 'ejabberd.log'),
      },
      isReady: () => answers(url),
    },
  )
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', removeFolder)
  return {
    domain,
    port,
    url,
    async createUser(name, password) {
      const body = JSON.stringify({ user: name, host: domain, password })
      const response = await fetch(`${url}/api/register`, { method: 'POST', body })
      if (response.status !== 200)
        throw new Error(`ejabberd did not register ${name}: ${await response.text()}`)
    },
    async remove() {
      await server.end()
      process.off('exit', removeFolder)
      removeFolder()
    },
  }
}

function configurationText(domain: string, port: number, apiPort: number): string {
  return `
hosts: [${JSON.stringify(domain)}]
loglevel: warning
listen:
  - { port: ${port}, ip: "127.0.0.1", module: ejabberd_c2s, backlog: 512 }
  - { port: ${apiPort}, ip: "127.0.0.1", module: ejabberd_http, backlog: 512, request_handlers: { /api: mod_http_api } }
api_permissions:
  benchmark: { from: mod_http_api, who: all, what: [register, send_message] }
modules: { mod_admin_extra: {}, mod_disco: {}, mod_stream_mgmt: {} }
`
}

/** Resolves with true if it answers over HTTP at all. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume()
      resolve(true)
    })
    request.on('error', () => resolve(false))
  })
}
