import { createConnection } from 'node:net'
import { createClient } from '../../contract/client/client.ts'
import { getReadiness } from '../../contract/operations/service-operations.ts'
import type { Config } from '../../runtime/config/config.ts'
import { localUrl } from '../../runtime/config/listening.ts'
import { readServerUrls } from '../../runtime/config/server-url.ts'
import { type Finding, findingsOn } from './finding.ts'

const { fail, ok, warn } = findingsOn('server')
const timeout = 5_000

/** Examines whether the server runs and is ready or, if none runs, whether its port is free. */
export async function examineServer(config: Config, running: boolean): Promise<Finding[]> {
  const { port } = config.POSTHORN_LISTEN
  const set = localUrl(config.POSTHORN_LISTEN)
  if (!running) return [await examinePort(new URL(set).hostname.replace(/^\[|\]$/g, ''), port)]
  // The server knows where it listens, also if it was started with other settings than these.
  const kept = readServerUrls(config.POSTHORN_DATA)?.local
  if (kept === undefined && port === 0)
    return [warn('running, on a random port', 'set a port in POSTHORN_LISTEN')]
  const url = kept ?? set
  try {
    const signal = AbortSignal.timeout(timeout)
    const { body } = await createClient({ baseUrl: url }).call(getReadiness, { signal })
    return [readinessOf(url, body)]
  } catch (error) {
    const detail = `running on this data folder, but does not respond at ${url}: ${reasonOf(error)}`
    const elsewhere = ', or listen elsewhere because it was started with other settings'
    const advice = `see its log: it may be starting or stopping${kept === undefined ? elsewhere : ''}`
    return [fail(detail, advice)]
  }
}

function readinessOf(
  url: string,
  { status, detail = 'See its log.' }: { readonly status: string; readonly detail?: string },
): Finding {
  if (status === 'ok') return ok(`running and ready at ${url}`)
  if (status === 'starting') return warn(`starting at ${url}`, 'look again in a moment')
  if (status === 'stopping')
    return warn(`stopping at ${url}`, 'wait until it has stopped; `npx posthorn serve` starts it again')
  return fail(`running at ${url}, but not ready (${status})`, detail)
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

async function examinePort(host: string, port: number): Promise<Finding> {
  if (port !== 0 && (await isTaken(host, port))) {
    const detail = `not running on this data folder, and another program listens on port ${port}`
    return fail(detail, 'stop that program, or set POSTHORN_LISTEN to another address')
  }
  return ok('not running; `npx posthorn serve` starts it')
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout })
    const end = (taken: boolean) => {
      socket.destroy()
      resolve(taken)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
}
