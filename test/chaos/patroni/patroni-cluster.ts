import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  globSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../kit/far-ends/free-ports.ts'
import { eventually } from '../../kit/play.ts'
import { endWithUs } from '../../kit/processes/end-with-us.ts'
import { PostgresDatabases } from '../../kit/processes/postgres-databases.ts'
import { accountToRunAs } from '../../kit/processes/postgres-server.ts'
import {
  etcdArguments,
  haproxyConfiguration,
  type Place,
  patroniConfiguration,
  pgbouncerConfiguration,
} from './configuration.ts'

const members = [0, 1, 2]
const needed = ['patroni', 'etcd', 'haproxy', 'pgbouncer']

/** The cluster, as Patroni describes it. */
interface Cluster {
  readonly members: readonly {
    readonly name: string
    readonly role: string
    readonly state: string
    readonly timeline?: number
    readonly lag?: number | string
  }[]
}

/**
 * PostgreSQL that fails over: three members with Patroni and etcd, one of them a synchronous standby, HAProxy before them, and
 * PgBouncer before that. Everything is Debian's.
 */
export class PatroniCluster extends PostgresDatabases {
  readonly #place: Place
  readonly #account: Awaited<ReturnType<typeof accountToRunAs>>
  readonly #processes = new Map<string, ChildProcess>()
  readonly #removeOnExit: () => void

  private constructor(place: Place, account: Awaited<ReturnType<typeof accountToRunAs>>) {
    super(`postgres://postgres@127.0.0.1:${place.ports.primary}/postgres`)
    this.#place = place
    this.#account = account
    this.#removeOnExit = () => rmSync(place.folder, { recursive: true, force: true, maxRetries: 5 })
    process.once('exit', this.#removeOnExit)
  }

  /** Tells why it cannot be run here; null if it can. */
  static whyNot(): string | null {
    const missing = needed.filter((program) => spawnSync('which', [program]).status !== 0)
    if (missing.length === 0 && programsOfPostgres()) return null
    return 'Patroni is not installed (Debian: apt install postgresql patroni python3-etcd etcd-server haproxy pgbouncer)'
  }

  static async start(): Promise<PatroniCluster> {
    const account = await accountToRunAs()
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-patroni-'))
    chmodSync(folder, 0o755)
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid)
    const ports = await freePorts(14)
    const [primary = 0, pooled = 0] = ports.slice(12)
    const place: Place = {
      folder,
      programs: programsOfPostgres() ?? '',
      ports: {
        ...{ etcd: ports.slice(0, 3), etcdPeers: ports.slice(3, 6) },
        ...{ patroni: ports.slice(6, 9), postgres: ports.slice(9, 12), primary, pooled },
      },
    }
    const cluster = new PatroniCluster(place, account)
    for (const member of members) cluster.#run(`etcd${member}`, 'etcd', etcdArguments(place, member))
    for (const member of members) cluster.startMember(member)
    cluster.#run('haproxy', 'haproxy', [
      '-db',
      '-f',
      cluster.#file('haproxy.cfg', haproxyConfiguration(place)),
    ])
    cluster.#run('pgbouncer', 'pgbouncer', [cluster.#file('pgbouncer.ini', pgbouncerConfiguration(place))])
    await cluster.whole()
    return cluster
  }

  /** The address of a database through PgBouncer, in transaction mode. */
  pooledUrl(database: string): string {
    const url = new URL(this.url(database))
    url.port = String(this.#place.ports.pooled)
    return url.href
  }

  startMember(member: number): void {
    const file = this.#file(`patroni${member}.yml`, patroniConfiguration(this.#place, member))
    this.#run(`patroni${member}`, 'patroni', [file])
  }

  /** Resolves, when all members are there and one standby is synchronous, with the numbers of that and of the primary. */
  async whole(): Promise<{ primary: number; standby: number }> {
    const { members } = await eventually('a whole cluster', () => this.#cluster(), isWhole, 180_000)
    const numberOf = (role: string) => Number(members.find((member) => member.role === role)?.name.slice(1))
    return { primary: numberOf('leader'), standby: numberOf('sync_standby') }
  }

  /** Has the primary change places with the standby. */
  async switchOver(primary: number, standby: number): Promise<void> {
    const body = JSON.stringify({ leader: `p${primary}`, candidate: `p${standby}` })
    const url = `http://127.0.0.1:${this.#place.ports.patroni[primary]}/switchover`
    await (await fetch(url, { method: 'POST', body })).text()
  }

  /** The processes of a member: of Patroni, and of PostgreSQL. */
  processesOf(member: number): { patroni: number[]; postgres: number[] } {
    const file = join(this.#place.folder, `postgres${member}`, 'postmaster.pid')
    const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0])
    return { patroni: [this.#processes.get(`patroni${member}`)?.pid ?? 0], postgres: tree(postmaster) }
  }

  override async stop(): Promise<void> {
    const all = [...this.#processes.values()].flatMap(({ pid }) => (pid === undefined ? [] : tree(pid)))
    const files = globSync(join(this.#place.folder, 'postgres*', 'postmaster.pid'))
    const servers = files.flatMap((file) => tree(Number(readFileSync(file, 'utf8').split('\n')[0])))
    signal([...all, ...servers], 'SIGKILL')
    process.off('exit', this.#removeOnExit)
    this.#removeOnExit()
  }

  async #cluster(): Promise<Cluster> {
    for (const port of this.#place.ports.patroni) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/cluster`, { signal: AbortSignal.timeout(1_500) })
        const cluster = (await answer.json()) as Cluster
        if (cluster.members.some(({ role }) => role === 'leader')) return cluster
      } catch {
        // The member is not there, and the next knows as much.
      }
    }
    return { members: [] }
  }

  #run(name: string, program: string, parameters: readonly string[]): void {
    const log = openSync(join(this.#place.folder, `${name}.log`), 'a')
    const child = spawn(program, parameters, {
      ...this.#account,
      stdio: ['ignore', log, log],
      cwd: this.#place.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' },
    })
    endWithUs(child)
    this.#processes.set(name, child)
  }

  #file(name: string, text: string): string {
    const file = join(this.#place.folder, name)
    writeFileSync(file, text, { mode: 0o644 })
    return file
  }
}

function isWhole({ members }: Cluster): boolean {
  const leader = members.find(({ role }) => role === 'leader')
  if (members.length !== 3 || !leader || !members.some(({ role }) => role === 'sync_standby')) return false
  return members.every(
    ({ state, timeline, lag = 0 }) =>
      ['running', 'streaming'].includes(state) && timeline === leader.timeline && Number(lag) < 65_536,
  )
}

const programsOfPostgres = () => globSync('/usr/lib/postgresql/*/bin').sort().at(-1)

/** A process and all that it started. */
function tree(pid: number): number[] {
  const children = spawnSync('pgrep', ['-P', String(pid)])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
  return [pid, ...children.flatMap((child) => tree(Number(child)))]
}

/** Signals processes; some may be gone. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid > 0) process.kill(pid, name)
    } catch {
      // It is gone.
    }
  }
}
