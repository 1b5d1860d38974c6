import { runModule, type ServerProcess, startServer } from './process.ts'

/** Connections that each kind of load comes over. */
export const connections = { texts: 64, images: 16, ejabberd: 64, batches: 4 } as const

/** Texts of each batch. */
export const batchSize = 100

/** The size of each image, in bytes. */
export const imageBytes = 20_000

/** The instances that the load sends through. */
export const instanceNames = Array.from({ length: 8 }, (_, index) => `load-${index}`)

/** Destination of the load. */
export interface Target {
  readonly url: string
  readonly key: string
}

export interface Load extends Target {
  readonly seconds: number
  /** Messages to send, however many seconds it takes. */
  readonly amount?: number
  /** Number of recipients, who get texts over all connections; without it, each connection has 128 of its own. */
  readonly recipients?: number
  /** Domain of the recipients; without it, the one of the sandbox that never confirms. */
  readonly domain?: string
  /** The instances that it goes through; those of the kit without it. */
  readonly instances?: readonly string[]
  /** Over how many connections it comes; as `connections` has it without this. */
  readonly connections?: number
  /** Texts per second, independent of the responses; without it, each connection sends as fast as it gets responses. */
  readonly rate?: number
}

/** The order to the load process. */
export interface LoadOrder extends Load {
  readonly what: keyof typeof connections
}

/** Result of a load. */
export interface LoadReport {
  /** When it began, in milliseconds since the epoch. */
  readonly begunAt: number
  /** Answers with 202, or with 200 from ejabberd. */
  readonly accepted: number
  readonly perSecond: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Share of one core that the load generator itself used: near 1, it would be the thing measured. */
  readonly generatorLoad: number
}

/** Sends texts over 64 connections, from a process of its own. Throws when anything was answered but 202. */
export function sendTexts(load: Load): Promise<LoadReport> {
  return send(load, 'texts')
}

/** Sends batches of 100 texts over 4 connections; `accepted` counts the batches. Throws when anything was answered but 200. */
export function sendBatches(load: Load): Promise<LoadReport> {
  return send(load, 'batches')
}

/** Sends images of 20 KB over 16 connections, each with bytes of its own. Throws when anything was answered but 202. */
export function sendImages(load: Load): Promise<LoadReport> {
  return send(load, 'images')
}

/** Sends the same texts to ejabberd's own HTTP API. Throws when anything was answered but 200. */
export function sendToEjabberd(load: Load): Promise<LoadReport> {
  return send(load, 'ejabberd')
}

async function send(
  { url, key, seconds, amount, recipients, domain, instances, connections, rate }: Load,
  what: LoadOrder['what'],
): Promise<LoadReport> {
  // The target is often a server, which has more than can be sent to another process.
  const order = { url, key, seconds, what, amount, recipients, domain, instances, connections, rate }
  return JSON.parse(await runModule('./load-process.ts', [JSON.stringify(order)])) as LoadReport
}

/** The baseline, started and ready; it takes any key. */
export function startBareServer(): Promise<ServerProcess> {
  return startServer('./bare-server.ts', (port) => ({ BARE_PORT: String(port) }))
}

/** Runs the code of a server often enough that it is compiled, before anything counts. */
export async function warmUp(target: Target, send = sendTexts): Promise<LoadReport> {
  return send({ ...target, seconds: 3 })
}
