import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash, createHmac, pbkdf2Sync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { freePorts } from '../../far-ends/free-ports.ts'

const run = promisify(execFile)
const binary = '/usr/bin/prosody'
const control = '/usr/bin/prosodyctl'
/** Makes a server die together with the test process that started it, even if that is killed. */
const leash = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : []

export interface ProsodyOptions {
  /** The domain that it serves. */
  readonly domain?: string
  /** The name in the certificate, if not the domain's. */
  readonly certificateName?: string
  /** `off`: STARTTLS is not even offered; `required`: nothing goes without. */
  readonly starttls?: 'off' | 'offered' | 'required'
  /** Stream management (XEP-0198). */
  readonly management?: boolean
  /** In-band registration (XEP-0077). */
  readonly registration?: boolean
  /** Archives messages (XEP-0313), and sends each client of an account copies of what the others get (XEP-0280). */
  readonly archive?: boolean
  /** Accepts files (XEP-0363) on a port of this machine, over HTTPS by default. */
  readonly uploads?: Uploads
  /** More lines for the configuration of the host, in Lua. */
  readonly configuration?: string
}

export interface Uploads {
  /** The largest file, in bytes; 100 MB by default. */
  readonly largest?: number
  /** Bytes that one account may upload in a day; by default more than any test uploads. */
  readonly dailyQuota?: number
  /** Over HTTP, at an address instead of a name: for who has neither its certificate nor a name server that knows it. */
  readonly plaintext?: boolean
}

export interface Prosody {
  readonly domain: string
  /** For clients with STARTTLS or without encryption, and for clients with TLS from the first byte. */
  readonly port: number
  readonly tlsPort: number
  /** The certificate to trust, in PEM. */
  readonly certificate: string
  address(name: string): string
  /** `iterations`: how often the key is derived from the password at a login; Posthorn takes no fewer than 4096. */
  createUser(name: string, password: string, iterations?: number): Promise<void>
  hasUser(name: string): boolean
  /** Its log so far. */
  log(): string
  /** The moments at which lines that match were logged, in milliseconds since the epoch. */
  loggedAt(line: RegExp): number[]
  /** Resolves when a line that matches was logged, also if it was before. */
  logs(line: RegExp): Promise<void>
  /** Ends it in good order. Data and ports stay. */
  stop(): Promise<void>
  /** Kills it as a power cut would. Data and ports stay. */
  kill(): Promise<void>
  /** Starts it again after `stop` or `kill`, on the same ports and data. */
  start(): Promise<void>
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

/** Tells if Prosody can be run here, and if not why. `POSTHORN_TEST_REQUIRE=prosody` turns the reason into a failure. */
export const prosody: { readonly available: true } | { readonly available: false; readonly reason: string } =
  existsSync(binary) && existsSync(control)
    ? { available: true }
    : { available: false, reason: 'Prosody is not installed (Debian package “prosody”)' }

/** For `test` and `describe`: skips with the reason where Prosody is missing and not required. */
export const needsProsody: { skip: string | false } = {
  skip: !prosody.available && !isRequired() ? prosody.reason : false,
}

function isRequired(): boolean {
  return (process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('prosody')
}

/** Starts a real XMPP server on free loopback ports, with its data in its own folder. */
export async function startProsody(options: ProsodyOptions = {}): Promise<Prosody> {
  if (!prosody.available) throw new Error(prosody.reason)
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-prosody-'))
  const domain = options.domain ?? 'posthorn.test'
  const [port = 0, tlsPort = 0, webPort = 0] = await freePorts(3)
  const data = join(folder, 'data')
  const configuration = join(folder, 'prosody.cfg.lua')
  await mkdir(data)
  const certificate = await makeCertificate(folder, options.certificateName ?? domain)
  await writeFile(configuration, configurationText({ ...options, domain, folder, port, tlsPort, webPort }))
  const services = ['c2s_direct_tls', ...(options.uploads ? [schemeOf(options.uploads)] : [])]
  const server = new ProsodyProcess(configuration, services)
  await server.start()
  const fileOf = (name: string) => join(data, stored(domain), 'accounts', `${stored(name)}.dat`)
  return {
    domain,
    port,
    tlsPort,
    certificate,
    address: (name) => `${name}@${domain}`,
    async createUser(name, password, iterations = 4096) {
      // Prosody's own command for this takes as long as dozens of logins.
      await mkdir(dirname(fileOf(name)), { recursive: true })
      await writeFile(fileOf(name), accountFile(password, iterations))
    },
    hasUser: (name) => existsSync(fileOf(name)),
    log: () => server.log,
    loggedAt: (line) => server.loggedAt(line),
    logs: (line) => server.logs(line),
    stop: () => server.end('SIGTERM'),
    kill: () => server.end('SIGKILL'),
    start: () => server.start(),
    async remove() {
      await server.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The child process, in the foreground, with its log on standard output. */
class ProsodyProcess {
  log = ''
  readonly #configuration: string
  /** Services that it says it has activated once it has started. */
  readonly #services: readonly string[]
  #child: ChildProcess | null = null
  #watchers: (() => void)[] = []
  /** The moments of the lines of the log. */
  #moments: number[] = []

  constructor(configuration: string, services: readonly string[]) {
    this.#configuration = configuration
    this.#services = services
  }

  async start(): Promise<void> {
    this.log = ''
    this.#moments = []
    const [command = binary, ...words] = [...leash, binary, '--config', this.#configuration, '-F']
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    child.once('exit', () => this.#note('prosody exited'))
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface({ input: output }).on('line', (line) => this.#note(line))
    }
    for (const service of this.#services)
      await this.logs(new RegExp(`Activated service '${service}' on \\[|prosody exited`))
    if (child.exitCode !== null) throw new Error(`Prosody did not start:\n${this.log}`)
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  loggedAt(line: RegExp): number[] {
    const lines = this.log.split('\n')
    return this.#moments.filter((_, index) => line.test(lines[index] ?? ''))
  }

  async logs(line: RegExp): Promise<void> {
    while (!line.test(this.log)) await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }

  #note(line: string): void {
    this.log += `${line}\n`
    this.#moments.push(Date.now())
    for (const wake of this.#watchers.splice(0)) wake()
  }
}

interface ConfigurationValues extends ProsodyOptions {
  readonly domain: string
  readonly folder: string
  readonly port: number
  readonly tlsPort: number
  readonly webPort: number
}

function configurationText(values: ConfigurationValues): string {
  const { folder, starttls = 'offered', management = true, registration = true, archive = false } = values
  const modules = ['roster', 'saslauth', 'disco', 'ping', 'presence', 'message', 'iq', 'offline']
  if (starttls !== 'off') modules.push('tls')
  if (management) modules.push('smacks')
  if (registration) modules.push('register')
  if (archive) modules.push('mam', 'carbons')
  const list = (items: readonly string[]) => `{ ${items.map((item) => JSON.stringify(item)).join(', ')} }`
  return `
run_as_root = true
prosody_user = ${JSON.stringify(process.env.USER ?? 'root')}
pidfile = ${JSON.stringify(join(folder, 'prosody.pid'))}
data_path = ${JSON.stringify(join(folder, 'data'))}
interfaces = { "127.0.0.1" }
c2s_ports = { ${values.port} }
c2s_direct_tls_ports = { ${values.tlsPort} }
ssl = { certificate = ${JSON.stringify(join(folder, 'cert.pem'))}, key = ${JSON.stringify(join(folder, 'key.pem'))} }
modules_enabled = ${list(modules)}
modules_disabled = { "s2s" }
allow_registration = ${registration}
c2s_require_encryption = ${starttls === 'required'}
authentication = "internal_hashed"
-- For accounts that are registered over XMPP. The usual 10000 take longer; Posthorn takes no fewer than these.
default_iteration_count = 4096
log = { { levels = { min = "debug" }, to = "console" } }
-- At the usual 4 kB it rests for a millisecond behind every piece of a file, which makes 3 MB a second.
network_default_read_size = 1048576
http_ports = {}
https_ports = {}
${values.uploads ? `${schemeOf(values.uploads)}_ports = { ${values.webPort} }` : ''}
VirtualHost ${JSON.stringify(values.domain)}
${values.configuration ?? ''}
${values.uploads ? uploadComponent(values.domain, values.uploads) : ''}
`
}

function schemeOf({ plaintext }: Uploads): 'http' | 'https' {
  return plaintext ? 'http' : 'https'
}

function uploadComponent(domain: string, uploads: Uploads): string {
  const { largest = 100 * 1024 * 1024, dailyQuota, plaintext } = uploads
  return `
Component ${JSON.stringify(`upload.${domain}`)} "http_file_share"
http_host = "${plaintext ? '127.0.0.1' : 'localhost'}"
http_file_share_size_limit = ${largest}
http_file_share_daily_quota = ${dailyQuota ?? largest * 1000}
`
}

/** A self-signed certificate; made once for each process and domain, because making one takes a while. */
const made = new Map<string, Promise<{ key: string; cert: string }>>()

async function makeCertificate(folder: string, domain: string): Promise<string> {
  let making = made.get(domain)
  if (!making) {
    making = newCertificate(folder, domain)
    made.set(domain, making)
  }
  const { key, cert } = await making
  await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 })
  await writeFile(join(folder, 'cert.pem'), cert)
  return cert
}

async function newCertificate(folder: string, domain: string): Promise<{ key: string; cert: string }> {
  const keyFile = join(folder, 'made-key.pem')
  const certFile = join(folder, 'made-cert.pem')
  // Files are fetched from `localhost`, where no DNS has to be asked.
  const names = `subjectAltName=DNS:${domain},DNS:localhost`
  const subject = ['-subj', `/CN=${domain}`, '-addext', names]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await run('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', keyFile, '-out', certFile])
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') }
}

/** An account as Prosody stores it (mod_auth_internal_hashed): what SCRAM needs of the password (RFC 5802, 3). */
function accountFile(password: string, iterations: number): string {
  const salt = randomUUID()
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 20, 'sha1')
  const keyOf = (use: string) => createHmac('sha1', salted).update(use).digest()
  const storedKey = createHash('sha1').update(keyOf('Client Key')).digest('hex')
  const keys = `stored_key = "${storedKey}", server_key = "${keyOf('Server Key').toString('hex')}"`
  return `return { iteration_count = ${iterations}, salt = "${salt}", ${keys} }`
}

/** Spells a name as Prosody's file storage does: everything but letters and digits as %xx. */
function stored(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}
