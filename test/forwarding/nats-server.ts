import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../kit/far-ends/free-ports.ts'
import { eventually } from '../kit/play.ts'
import { endWithUs } from '../kit/processes/end-with-us.ts'
import { listens, needing, type Received, type TestBroker } from './test-broker.ts'

const packages = ['@nats-io/transport-node', '@nats-io/jetstream'] as const

export const needsNats = needing(
  'nats-server',
  spawnSync('nats-server', ['--version']).error === undefined,
  packages,
)

interface StoredMessage {
  readonly subject: string
  readonly header: Iterable<[string, string[]]> & { get(name: string): string }
  readonly data: Uint8Array
}
interface NatsModules {
  connect(options: object): Promise<{ close(): Promise<void> }>
  jetstreamManager(connection: unknown): Promise<{
    readonly streams: {
      info(name: string): Promise<{ state: { first_seq: number; last_seq: number } }>
      getMessage(name: string, query: { seq: number }): Promise<StoredMessage | null>
    }
  }>
}

/** Starts a NATS server; it stores streams unless `jetStream` is false. */
export async function startNats({
  jetStream = true,
  token,
}: {
  jetStream?: boolean
  token?: string
} = {}): Promise<TestBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-nats-'))
  const port = await freePort()
  const lines = [
    `listen: "127.0.0.1:${port}"`,
    ...(jetStream ? [`jetstream { store_dir: "${folder}/data", max_file: 1G }`] : []),
    ...(token === undefined ? [] : [`authorization { token: "${token}" }`]),
  ]
  const file = join(folder, 'nats.conf')
  writeFileSync(file, `${lines.join('\n')}\n`)
  let child: ChildProcess | undefined
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async () => {
    child = endWithUs(spawn('nats-server', ['-c', file], { stdio: 'ignore' }))
    await eventually('NATS to listen', () => listens(port), Boolean)
  }
  await start()
  const url = `nats://127.0.0.1:${port}`
  return {
    url,
    kill,
    start,
    received: () => storedAt(url, token),
    async remove() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function storedAt(servers: string, token: string | undefined): Promise<Received[]> {
  const [transport, jetstream] = await Promise.all(packages.map((name) => import(name)))
  const { connect, jetstreamManager } = { ...transport, ...jetstream } as NatsModules
  const connection = await connect({ servers, ...(token === undefined ? {} : { token }) })
  try {
    const { streams } = await jetstreamManager(connection)
    const stream = await streams.info('posthorn_events').catch(() => undefined)
    if (!stream) return []
    const { first_seq, last_seq } = stream.state
    const received: Received[] = []
    for (let seq = Math.max(1, first_seq); seq <= last_seq; seq++) {
      const message = await streams.getMessage('posthorn_events', { seq })
      if (!message) continue
      const { header, subject, data } = message
      received.push({
        messageId: header.get('Nats-Msg-Id'),
        route: subject,
        event: JSON.parse(Buffer.from(data).toString('utf8')),
        marks: Object.fromEntries([...header].map(([name, values]) => [name, values[0]])),
      })
    }
    return received
  } finally {
    await connection.close()
  }
}
