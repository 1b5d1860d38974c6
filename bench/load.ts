import { runModule, type ServerProcess, startServer } from './process.ts'

export const connections = 64

/** The instances that the load sends through. */
export const instanceNames = Array.from({ length: 8 }, (_, index) => `load-${index}`)

/** Where texts are sent to, and how. */
export interface LoadOrder {
  readonly url: string
  readonly key: string
  readonly seconds: number
}

/** What came back. */
export interface LoadReport {
  /** Answers with 202. */
  readonly accepted: number
  readonly perSecond: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How much of one core the load generator itself used: near 1, it would be what is measured. */
  readonly generatorLoad: number
}

/** Sends texts over 64 connections, from a process of its own. Throws when anything was answered but 202. */
export async function sendTexts(order: LoadOrder): Promise<LoadReport> {
  return JSON.parse(await runModule('./load-process.ts', [JSON.stringify(order)])) as LoadReport
}

/** The baseline, started and ready; it takes any key. */
export function startBareServer(): Promise<ServerProcess> {
  return startServer('./bare-server.ts', (port) => ({ BARE_PORT: String(port) }))
}

/** Runs the code of a server often enough that it is compiled, before anything counts. */
export async function warmUp(order: Omit<LoadOrder, 'seconds'>, seconds = 3): Promise<LoadReport> {
  return sendTexts({ ...order, seconds })
}
