import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTranscript } from '../play.ts'
import { freshFolder, type PosthornProcess, spawnPosthorn } from '../posthorn.ts'
import type { PostgresServer } from '../processes/postgres-server.ts'

/**
 * Milliseconds after which nodes of tests take over from one that is silent: a third of the usual. A node that starts on a busy machine may
 * give no sign for longer than half of that, and its watchdog would kill it.
 */
export const lease = 6_000

/** The usual lease, for plays in which no node takes over from one that is silent: a busy machine might end a short one. */
export const longLease = { POSTHORN_NODE_LEASE_MS: '18000' }

/** Times that a process is started that loses its lease before it serves, and what it says, or its watchdog ends it with. */
const maxStarts = 5
const leaseLost = /ended with code null|the lease of this node is uncertain/

/** Nodes in processes of their own, on one database, whose sandboxes write one transcript. */
export class Nodes {
  readonly url: string
  readonly #home = freshFolder()
  readonly #environment: Readonly<Record<string, string>>
  readonly #transcript = join(this.#home, 'transcript.jsonl')
  readonly #running = new Set<PosthornProcess>()
  #adminKey: string | undefined

  private constructor(url: string, environment: Readonly<Record<string, string>>) {
    this.url = url
    this.#environment = {
      POSTHORN_DATABASE_URL: url,
      POSTHORN_MASTER_KEY: '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef',
      POSTHORN_SANDBOX_TRANSCRIPT: this.#transcript,
      POSTHORN_NODE_LEASE_MS: String(lease),
      ...environment,
    }
  }

  static async on(
    server: PostgresServer,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Nodes> {
    return Nodes.at(await server.createDatabase(), environment)
  }

  /** The same on a database at this address. */
  static at(url: string, environment: Readonly<Record<string, string>> = {}): Nodes {
    return new Nodes(url, environment)
  }

  /** Starts a node of this name, or starts it again. */
  async start(name: string, changed: Readonly<Record<string, string>> = {}): Promise<PosthornProcess> {
    const data = join(this.#home, name)
    if (this.#adminKey) {
      mkdirSync(data, { recursive: true })
      writeFileSync(join(data, 'admin.key'), this.#adminKey, { mode: 0o600 })
    }
    const node = await startLastingly(() => spawnPosthorn(data, { ...this.#environment, ...changed }))
    this.#adminKey ??= node.adminKey
    this.#running.add(node)
    return node
  }

  /** Returns what has arrived at the sandbox, from all nodes. */
  arrived() {
    return readTranscript(this.#transcript)
  }

  async end(): Promise<void> {
    for (const node of this.#running) await node.end('SIGKILL')
    rmSync(this.#home, { recursive: true, force: true })
  }
}

/**
 * Starts a process again, as a service manager does, if it lost its lease before it served. On a machine that is busy with other things it
 * may get no turn for longer than the short lease of a test lasts; then it ends, or its own watchdog ends it.
 */
async function startLastingly(start: () => Promise<PosthornProcess>): Promise<PosthornProcess> {
  for (let count = 1; ; count++) {
    try {
      return await start()
    } catch (error) {
      if (count === maxStarts || !leaseLost.test((error as Error).message)) throw error
    }
  }
}
