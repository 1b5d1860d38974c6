import { createConnection } from 'node:net'
import { createClient } from '../../contract/client.ts'
import { getReadiness } from '../../contract/service-operations.ts'
import type { Config } from '../../runtime/config.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const subject = 'server'
const patience = 5_000

/** Examines whether the server runs and is ready; where none runs, whether its port is free. */
export async function examineServer(config: Config, running: boolean): Promise<Finding[]> {
  const { host, port } = config.POSTHORN_LISTEN
  const address = reachable(host)
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
  if (!running) return [await examinePort(address, port)]
  if (port === 0)
    return [warn(subject, 'running, on a port that it chose itself', 'set a port in POSTHORN_LISTEN')]
  try {
    await createClient({ baseUrl: url }).call(getReadiness, { signal: AbortSignal.timeout(patience) })
    return [ok(subject, `running and ready at ${url}`)]
  } catch (error) {
    const detail = `running, but ${url}/readyz does not say that it is ready: ${reasonOf(error)}`
    return [fail(subject, detail, "see the server's log; was it started with other settings than these?")]
  }
}

/** An address that stands for all of them is reached by the loopback one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}

async function examinePort(host: string, port: number): Promise<Finding> {
  if (port !== 0 && (await isTaken(host, port))) {
    const detail = `not running on this data folder, and another program listens on port ${port}`
    return fail(subject, detail, 'stop that program, or set POSTHORN_LISTEN to another address')
  }
  return ok(subject, 'not running; `npm start` starts it')
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: patience })
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
