import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Authority } from '../far-ends/certificates.ts'
import { freePort } from '../far-ends/free-ports.ts'
import { eventually } from '../play.ts'
import { endWithUs } from './end-with-us.ts'

export type WebProxyName = 'caddy' | 'nginx'

/** Tells why this proxy cannot be run here; null if it can. Its name in `POSTHORN_TEST_REQUIRE` turns the reason into a failure. */
export function whyNoWebProxy(name: WebProxyName): string | null {
  if (spawnSync(name, [name === 'nginx' ? '-v' : 'version']).error === undefined) return null
  const reason = `${name} is not installed (Debian: apt install ${name})`
  if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes(name)) throw new Error(reason)
  return reason
}

/** The configuration that comes with Posthorn, at places of this machine. */
export interface PlacedConfiguration {
  /** The URL at which callers reach the proxy. */
  readonly url: string
  /** The certificate that they have to trust. */
  readonly authority: string
  readonly file: string
  /** Empty but for the configuration: what the proxy writes is written here. */
  readonly folder: string
}

const shipped: Readonly<Record<WebProxyName, URL>> = {
  caddy: new URL('../../../deploy/caddy/Caddyfile', import.meta.url),
  nginx: new URL('../../../deploy/nginx/posthorn.conf', import.meta.url),
}

/** Replaces what stands in the text exactly as often as it is told. */
function put(text: string, replacements: readonly (readonly [from: string, to: string])[]): string {
  return replacements.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`the configuration has no ${from}`)
    return now.replaceAll(from, to)
  }, text)
}

/** Puts the shipped configuration before a server on this port, with a name, a port and a certificate of this machine. */
export async function placeConfiguration(
  name: WebProxyName,
  serverPort: number,
): Promise<PlacedConfiguration> {
  const folder = mkdtempSync(join(tmpdir(), `posthorn-${name}-`))
  const port = await freePort()
  const authority = new Authority('a proxy')
  const { cert, key } = authority.certify({ hosts: ['localhost'] })
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  const text = readFileSync(shipped[name], 'utf8')
  const files = { certFile, keyFile, folder }
  const file = join(folder, name === 'caddy' ? 'Caddyfile' : 'nginx.conf')
  const place = name === 'caddy' ? caddyHere : nginxHere
  writeFileSync(file, place(text, { port, serverPort, ...files }))
  return { url: `https://localhost:${port}`, authority: authority.cert, file, folder }
}

interface Places {
  readonly port: number
  readonly serverPort: number
  readonly certFile: string
  readonly keyFile: string
  readonly folder: string
}

function caddyHere(text: string, { port, serverPort, certFile, keyFile }: Places): string {
  const site = put(text, [
    ['\nposthorn.example {', `\nlocalhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certFile} ${keyFile}`],
    ['reverse_proxy 127.0.0.1:8080', `reverse_proxy 127.0.0.1:${serverPort}`],
  ])
  // Its door for administrators and the redirection from port 80 are one for each machine.
  return `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`
}

function nginxHere(text: string, { port, serverPort, certFile, keyFile, folder }: Places): string {
  const server = put(text, [
    ['  listen [::]:443 ssl http2;\n', ''],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['server_name posthorn.example;', 'server_name localhost;'],
    ['/etc/ssl/posthorn.example.pem', certFile],
    ['/etc/ssl/posthorn.example.key', keyFile],
    ['proxy_pass http://127.0.0.1:8080;', `proxy_pass http://127.0.0.1:${serverPort};`],
  ])
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = kinds.map((kind) => `  ${kind}_temp_path ${join(folder, kind)};\n`)
  return [
    // One process: it is ended with the test, and what it takes is seen.
    'daemon off;\nmaster_process off;\n',
    `pid ${join(folder, 'pid')};\nerror_log ${join(folder, 'error.log')};\nevents {}\n`,
    `http {\n  access_log off;\n${temporary.join('')}${server}}\n`,
  ].join('')
}

/** Words of the command that only looks at the configuration. */
const checking: Readonly<Record<WebProxyName, (file: string) => readonly string[]>> = {
  caddy: (file) => ['validate', '--adapter', 'caddyfile', '--config', file],
  nginx: (file) => ['-t', '-c', file],
}

const serving: Readonly<Record<WebProxyName, (file: string) => readonly string[]>> = {
  caddy: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  nginx: (file) => ['-c', file],
}

/** Caddy keeps what it knows in the home of its user. */
const environmentIn = (folder: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  XDG_DATA_HOME: folder,
  XDG_CONFIG_HOME: folder,
})

/** Has the proxy look at the configuration; returns its exit code and its words. */
export function checkConfiguration(name: WebProxyName, { file, folder }: PlacedConfiguration) {
  const ran = spawnSync(name, checking[name](file), { env: environmentIn(folder), encoding: 'utf8' })
  return { code: ran.status, output: ran.stdout + ran.stderr }
}

/** A proxy that runs. */
export interface WebProxy {
  readonly pid: number
  stop(): Promise<void>
}

/** Starts the proxy with this configuration, and resolves when it serves the server behind it. */
export async function startWebProxy(
  name: WebProxyName,
  { url, file, folder }: PlacedConfiguration,
): Promise<WebProxy> {
  mkdirSync(folder, { recursive: true })
  const env = environmentIn(folder)
  const child: ChildProcess = endWithUs(
    spawn(name, serving[name](file), { env, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const status = () =>
    fetch(`${url}/readyz`).then(
      (response) => response.status,
      (error: Error) => (child.exitCode === null ? `${error}` : `it ended: ${said}`),
    )
  await eventually(`${name} to serve`, status, (told) => told === 200)
  return {
    pid: child.pid as number,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
