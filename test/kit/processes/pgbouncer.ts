import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../far-ends/free-ports.ts'
import { eventually } from '../play.ts'
import { endWithUs } from './end-with-us.ts'

/** PgBouncer in transaction mode: each transaction gets a connection to the server, and no more than that. */
export interface PgBouncer {
  /** The address of a database of the server behind it. */
  url(database: string): string
  stop(): Promise<void>
}

/** Tells why PgBouncer cannot be run here; null if it can. `POSTHORN_TEST_REQUIRE=pgbouncer` turns the reason into a failure. */
export function whyNoPgBouncer(): string | null {
  const found = spawnSync('pgbouncer', ['--version'])
  if (found.error === undefined) return null
  const reason = 'pgbouncer is not installed (Debian: apt install pgbouncer)'
  if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('pgbouncer')) throw new Error(reason)
  return reason
}

/** Starts PgBouncer before the server at this address, with so many connections to it for each database. */
export async function startPgBouncer(server: string, connections = 10): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(server)
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-pgbouncer-'))
  chmodSync(folder, 0o755)
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
ignore_startup_parameters = extra_float_digits
`,
    { mode: 0o644 },
  )
  const isRoot = process.getuid?.() === 0
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' })
  endWithUs(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await eventually(
    'PgBouncer to listen',
    () => accepts(own),
    (does) => does,
  )
  return {
    url: (database) => `postgres://posthorn@127.0.0.1:${own}/${database}`,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
