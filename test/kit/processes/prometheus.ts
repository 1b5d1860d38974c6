import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../far-ends/free-ports.ts'
import { eventually } from '../play.ts'
import { endWithUs } from './end-with-us.ts'

/** The configuration and the rules that come with Posthorn. */
const shipped = new URL('../../../deploy/prometheus/', import.meta.url).pathname

/** One series of the result of a query. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [at: number, value: string]
}

/** Tells why Prometheus cannot be run here; null if it can. `POSTHORN_TEST_REQUIRE=prometheus` turns the reason into a failure. */
export function whyNoPrometheus(): string | null {
  if (['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).error === undefined))
    return null
  const reason = 'prometheus is not installed (Debian: apt install prometheus)'
  if ((process.env.POSTHORN_TEST_REQUIRE ?? '').split(/[\s,]+/).includes('prometheus'))
    throw new Error(reason)
  return reason
}

/** Starts Prometheus with the shipped configuration and rules, every two seconds, for a Posthorn at this address. */
export async function startPrometheus(posthorn: { readonly url: string; readonly data: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-prometheus-'))
  const port = await freePort()
  cpSync(join(shipped, 'rules.yaml'), join(folder, 'rules.yaml'))
  const configuration = readFileSync(join(shipped, 'prometheus.yaml'), 'utf8')
    .replaceAll('_interval: 15s', '_interval: 2s')
    .replace('/etc/prometheus/posthorn.token', join(posthorn.data, 'metrics.token'))
    .replace('127.0.0.1:8080', new URL(posthorn.url).host)
  const file = join(folder, 'prometheus.yaml')
  writeFileSync(file, configuration)
  const address = `127.0.0.1:${port}`
  const words = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]
  const child = endWithUs(spawn('prometheus', words, { stdio: 'ignore' }))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://${address}`
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually('Prometheus to be ready', isReady, (ready) => ready, 120_000)
  return {
    /** Returns the series that a query gives now; throws if it is no query. */
    async ask(query: string): Promise<Series[]> {
      const response = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query }),
      })
      const { status, data, error } = (await response.json()) as {
        status: string
        data?: { result: Series[] }
        error?: string
      }
      if (status !== 'success' || !data) throw new Error(`${query}: ${error}`)
      return data.result
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
