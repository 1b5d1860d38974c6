import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../far-ends/free-ports.ts'
import { eventually } from '../play.ts'
import { endWithUs } from './end-with-us.ts'

/** The configuration that comes with Posthorn, whose servers are called by the names of nodes. */
const shipped = new URL('../../../deploy/several-nodes/haproxy.cfg', import.meta.url)

/** Tells why HAProxy cannot be run here; null if it can. `POSTHORN_TEST_REQUIRE=haproxy` turns the reason into a failure. */
export function whyNoHaproxy(): string | null {
  if (spawnSync('haproxy', ['-v']).error === undefined) return null
  const reason = 'haproxy is not installed (Debian: apt install haproxy)'
  if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('haproxy')) throw new Error(reason)
  return reason
}

/** Starts HAProxy with the shipped configuration, before nodes at these places: `{ one: '127.0.0.1:8080' }`. */
export async function startHaproxy(places: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-haproxy-'))
  const port = await freePort()
  const configuration = readFileSync(shipped, 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll(/^ {2}server (\w+) .*\n/gm, (_, name: string) =>
      places[name] === undefined ? '' : `  server ${name} ${places[name]}\n`,
    )
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  endWithUs(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const status = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.status,
      () => 0,
    )
  await eventually('HAProxy to know its nodes', status, (told) => told === 200)
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
