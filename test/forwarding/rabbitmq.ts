import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../kit/far-ends/free-ports.ts'
import { eventually } from '../kit/play.ts'
import { endWithUs } from '../kit/processes/end-with-us.ts'
import { listens, needing, type Received, type TestBroker } from './test-broker.ts'

/** The server itself: the command in the path changes the user first. */
const program = '/usr/lib/rabbitmq/bin/rabbitmq-server'
const amqplib: string = 'amqplib'

export const needsRabbitmq = needing('rabbitmq-server', existsSync(program), [amqplib])

interface Message {
  readonly content: Buffer
  readonly fields: { readonly routingKey: string }
  readonly properties: Readonly<Record<string, unknown>> & { readonly messageId: string }
}
interface Channel {
  assertExchange(name: string, type: string, options: object): Promise<unknown>
  assertQueue(name: string, options: object): Promise<unknown>
  bindQueue(queue: string, exchange: string, key: string): Promise<unknown>
  get(queue: string, options: object): Promise<Message | false>
}
interface Amqplib {
  connect(url: string): Promise<{ createChannel(): Promise<Channel>; close(): Promise<void> }>
}

export interface Rabbitmq extends TestBroker {
  /** Binds a durable queue that keeps everything of the exchange; `received` reads it. */
  bind(exchange: string): Promise<void>
}

const queue = 'kept'

/** Starts RabbitMQ without plugins, with a register of names (epmd) of its own, so that it meets no other on the machine. */
export async function startRabbitmq(): Promise<Rabbitmq> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-rabbitmq-'))
  const [port = 0, distributionPort = 0, epmdPort = 0] = await freePorts(3)
  const names = { ERL_EPMD_PORT: String(epmdPort), ERL_EPMD_ADDRESS: '127.0.0.1', HOME: folder }
  const epmd = endWithUs(spawn('epmd', [], { stdio: 'ignore', env: { ...process.env, ...names } }))
  await eventually('epmd to listen', () => listens(epmdPort), Boolean)
  const env = { ...process.env, ...names, ...environmentIn(folder, port, distributionPort) }
  writeFileSync(join(folder, 'plugins'), '[].\n')
  let server: ChildProcess | undefined
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'close')
    process.kill(-(server.pid as number), 'SIGKILL')
    await ended
  }
  const start = async () => {
    server = spawn(program, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    endGroupWithUs(server)
    let said = ''
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (chunk) => {
        said = (said + chunk).slice(-20_000)
      })
    const isUp = async () => /Server startup complete/.test(said) || server?.exitCode != null
    await eventually('RabbitMQ to start', isUp, Boolean, 120_000)
    if (!/Server startup complete/.test(said)) throw new Error(`RabbitMQ did not start:\n${said}`)
  }
  await start()
  const url = `amqp://127.0.0.1:${port}`
  const received: Received[] = []
  return {
    url,
    kill,
    start,
    bind: (exchange) => withChannel(url, (channel) => bind(channel, exchange)),
    received: () => withChannel(url, (channel) => drain(channel, received)),
    async remove() {
      await kill()
      epmd.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function environmentIn(folder: string, port: number, distributionPort: number) {
  return {
    RABBITMQ_NODENAME: 'posthorn@localhost',
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'),
    RABBITMQ_CONFIG_FILE: join(folder, 'none'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    ERL_CRASH_DUMP: '/dev/null',
  }
}

/** Kills a group of processes when the tests end, however they end: the server is a child of a shell. */
function endGroupWithUs({ pid }: ChildProcess): void {
  const script = `trap '' INT TERM HUP; read -r ended; kill -9 -- -${pid} 2>/dev/null`
  const leash = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  leash.stdin.on('error', () => undefined)
  leash.unref()
  ;(leash.stdin as Socket).unref()
}

async function withChannel<T>(url: string, use: (channel: Channel) => Promise<T>): Promise<T> {
  const { connect }: Amqplib = await import(amqplib)
  const connection = await connect(url)
  try {
    return await use(await connection.createChannel())
  } finally {
    await connection.close()
  }
}

async function bind(channel: Channel, exchange: string): Promise<void> {
  await channel.assertExchange(exchange, 'topic', { durable: true })
  await channel.assertQueue(queue, { durable: true })
  await channel.bindQueue(queue, exchange, '#')
}

/** Takes everything out of the queue, and returns it after what was taken before. */
async function drain(channel: Channel, before: Received[]): Promise<readonly Received[]> {
  for (;;) {
    const message = await channel.get(queue, { noAck: true })
    if (!message) return before
    const { content, fields, properties } = message
    before.push({
      messageId: properties.messageId,
      route: fields.routingKey,
      event: JSON.parse(content.toString('utf8')),
      marks: properties,
    })
  }
}
