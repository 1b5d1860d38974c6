import autocannon, { type Request } from 'autocannon'
import { quantile } from './figure.ts'
import type { LoadReport } from './load.ts'

/** Orders for a load process. */
export interface Course {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Requests to make, however many seconds it takes. */
  readonly amount?: number | undefined
  /**
   * Requests per second, independent of the responses; without it, each connection goes on as soon as it gets a response.
   */
  readonly rate?: number | undefined
  /** Requests of each connection, made one after the other, again and again. */
  readonly requestsOf: (connection: number) => Request[]
  /** The only status that counts. */
  readonly expected: string
}

/** Runs a load, and writes its report to standard output. Throws if anything was answered with another status. */
export async function runLoad({ url, connections, seconds, amount, rate, requestsOf, expected }: Course) {
  const before = process.cpuUsage()
  const durations: number[] = []
  let connection = 0
  const begunAt = Date.now()
  const result = await autocannon({
    url,
    connections,
    pipelining: 1,
    duration: seconds,
    ...(amount === undefined ? {} : { amount }),
    ...(rate === undefined ? {} : { overallRate: rate }),
    setupClient(client) {
      client.setRequests(requestsOf(connection++))
      // It sums up latencies in whole milliseconds, and most are about one.
      client.on('response', (_status, _bytes, duration) => durations.push(duration))
    },
  })
  const { user, system } = process.cpuUsage(before)
  const accepted = result.statusCodeStats[expected]?.count ?? 0
  const others = Object.entries(result.statusCodeStats).filter(([status]) => status !== expected)
  if (others.length > 0 || result.errors > 0 || accepted === 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`not everything was accepted: ${statuses}, ${result.errors} errors`)
  }
  durations.sort((left, right) => left - right)
  const report: LoadReport = {
    begunAt,
    accepted,
    perSecond: accepted / result.duration,
    p50: quantile(durations, 0.5),
    p99: quantile(durations, 0.99),
    generatorLoad: (user + system) / 1e6 / result.duration,
  }
  process.stdout.write(JSON.stringify(report))
}
