import autocannon from 'autocannon'
import { connections, instanceNames, type LoadOrder, type LoadReport } from './load.ts'

/*
 * The load generator: 64 connections, each of which sends its next text when the last one was answered. Every connection
 * has recipients of its own, so that neither order per recipient nor one hot row is what is measured.
 */

const recipientsEach = 128
const text = 'Your order 4711 has left our warehouse and will be with you tomorrow between 9 and 12 o’clock.'

function requestsOf(connection: number, key: string) {
  return Array.from({ length: recipientsEach }, (_, index) => ({
    method: 'POST',
    path: '/v1/messages/text',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({
      instance: instanceNames[(connection + index) % instanceNames.length],
      // A recipient who never confirms: what is measured ends with `sent`.
      to: `r${connection * recipientsEach + index}@accepts.sandbox`,
      text,
    }),
  }))
}

const { url, key, seconds } = JSON.parse(process.argv[2] ?? '') as LoadOrder
const before = process.cpuUsage()
let connection = 0
const result = await autocannon({
  url,
  connections,
  pipelining: 1,
  duration: seconds,
  setupClient: (client) => client.setRequests(requestsOf(connection++, key)),
})
const { user, system } = process.cpuUsage(before)
const accepted = result.statusCodeStats['202']?.count ?? 0
const others = Object.entries(result.statusCodeStats).filter(([status]) => status !== '202')
if (others.length > 0 || result.errors > 0 || accepted === 0) {
  const statuses = JSON.stringify(result.statusCodeStats)
  throw new Error(`not every text was accepted: ${statuses}, ${result.errors} errors`)
}
const report: LoadReport = {
  accepted,
  perSecond: accepted / result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  generatorLoad: (user + system) / 1e6 / result.duration,
}
process.stdout.write(JSON.stringify(report))
