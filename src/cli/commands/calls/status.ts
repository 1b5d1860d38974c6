import { styleText } from 'node:util'
import {
  getServer,
  type ServerFinding,
  type ServerHealth,
} from '../../../contract/operations/operator/server-operations.ts'
import { sizeInWords } from '../../../runtime/text/size.ts'
import { command, json } from '../../command.ts'
import { print, printJson, readableTime } from '../../output.ts'
import { operatorClient, operatorOptions } from '../../server-client.ts'

/** `posthorn status`: the health of a running server, as its operator sees it. */
export const statusCommand = command({
  name: 'status',
  summary: 'Show the health of a running server: what needs attention, and what is waiting.',
  options: { ...operatorOptions, json },
  async run({ options }) {
    const { body } = await operatorClient(options).call(getServer)
    if (options.json) printJson(body)
    else print([...body.findings.map(lineOfFinding), ...linesOfFacts(body)].join('\n'))
    if (body.findings.some(({ severity }) => severity === 'critical')) process.exitCode = 1
  },
})

const colors = { critical: 'red', warning: 'yellow', notice: 'cyan' } as const

function lineOfFinding({ severity, happened, next, count, since }: ServerFinding): string {
  const known = [
    count === null ? '' : `${count}`,
    since === null ? '' : `since ${readableTime(Date.parse(since))}`,
  ]
  const told = known.filter((each) => each !== '').join(', ')
  const word = styleText(colors[severity], severity.padEnd(8))
  return `${word}  ${happened}${told === '' ? '' : ` (${told})`}\n${' '.repeat(10)}→ ${next}`
}

function linesOfFacts(health: ServerHealth): string[] {
  const { store, disk, workers } = health
  const waiting = store.waiting_reads + store.waiting_writes
  const write =
    store.write_seconds === null ? '' : `, the last write took ${Math.ceil(store.write_seconds * 1000)} ms`
  const facts = {
    node: `${health.node}, Posthorn ${health.version}, Node ${health.node_version}, ${sizeInWords(health.memory_bytes)} of memory`,
    started: readableTime(Date.parse(health.started_at)),
    nodes: `${health.nodes_running} running`,
    store: `${store.kind}, ${store.bytes === null ? 'of unknown size' : sizeInWords(store.bytes)}${write}; ${waiting} calls wait`,
    disk: disk ? `${sizeInWords(disk.free_bytes)} of ${sizeInWords(disk.size_bytes)} free` : unknown,
    queue: queueText(health),
    webhooks: webhookText(health),
    callbacks: health.waiting_callbacks === null ? unknown : `${health.waiting_callbacks} wait`,
    instances:
      Object.entries(health.instances)
        .map(([status, count]) => `${count} ${status}`)
        .join(', ') || 'none',
    ...Object.fromEntries(
      workers.map(({ network, running, accounts, ended }) => [
        network,
        `${running} workers with ${accounts} accounts; ${ended} fell since the start`,
      ]),
    ),
    backup: health.last_backup_at === null ? 'none known' : readableTime(Date.parse(health.last_backup_at)),
  }
  return Object.entries(facts).map(([name, value]) => `${name.padEnd(10)}${value}`)
}

const unknown = 'not known now'
const waitOf = (seconds: number | null) =>
  seconds === null ? '' : `, the oldest for ${Math.ceil(seconds)} s`

function queueText({ queue }: ServerHealth): string {
  if (!queue) return unknown
  const { messages, oldest_seconds, held } = queue
  return `${messages} messages wait${waitOf(oldest_seconds)}; ${held} are held`
}

function webhookText({ webhooks }: ServerHealth): string {
  if (!webhooks) return unknown
  const { pending, oldest_seconds, failing, disabled } = webhooks
  return `${pending} deliveries wait${waitOf(oldest_seconds)}; ${failing} webhooks fail, ${disabled} are disabled`
}
