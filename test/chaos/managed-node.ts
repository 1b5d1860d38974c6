import { setTimeout as wait } from 'node:timers/promises'
import type { Nodes } from '../kit/nodes/nodes.ts'
import { ofThisRun, type PosthornProcess } from '../kit/posthorn.ts'
import type { ProcessEnd } from './check/story.ts'
import type { ChaosNetwork } from './networks/chaos-network.ts'
import { NodeClock } from './node-clock.ts'
import { Wires } from './wires.ts'

/** The place at which callers reach a node, whichever process runs it. */
export type Door = Pick<PosthornProcess, 'url' | 'adminKey'>

export interface NodeCare {
  /** Settings of this node alone. */
  readonly environment: Readonly<Record<string, string>>
  /** The networks to which the node goes through its wires. */
  readonly networks: readonly Pick<ChaosNetwork, 'urls' | 'settingsFor'>[]
  /** Called when another process runs it. */
  readonly onStart: () => void
}

/** Milliseconds between two attempts to start a process, while something keeps it from starting. */
const startEvery = 300

/** A node whose process is started again whenever it ends, as a service manager does, and whose connections can be interrupted. */
export class ManagedNode {
  readonly name: string
  readonly wires = new Wires()
  readonly clock = new NodeClock()
  /** The processes of it that ended. */
  readonly ends: ProcessEnd[] = []
  /** Milliseconds before the process is started again, the next time that it ends. */
  restartsAfter = 0
  readonly #nodes: Nodes
  readonly #care: NodeCare
  #environment: Readonly<Record<string, string>> = {}
  #process: PosthornProcess | undefined
  #door: Door = { url: '', adminKey: '' }
  #restarted = Promise.withResolvers<void>()
  #isOver = false

  private constructor(nodes: Nodes, name: string, care: NodeCare) {
    this.#nodes = nodes
    this.name = name
    this.#care = care
  }

  static async start(nodes: Nodes, name: string, care: NodeCare): Promise<ManagedNode> {
    const node = new ManagedNode(nodes, name, care)
    const led = await environmentOf(node.wires, nodes.url, care.networks)
    const { NODE_OPTIONS = ofThisRun().NODE_OPTIONS ?? '' } = care.environment
    node.#environment = { ...led, ...care.environment, ...node.clock.environment(NODE_OPTIONS) }
    await node.#start()
    void node.#manage()
    return node
  }

  get process(): PosthornProcess {
    if (!this.#process) throw new Error('the node was never started')
    return this.#process
  }

  get door(): Door {
    return this.#door
  }

  /** Resolves when another process runs it than now. */
  get restarted(): Promise<void> {
    return this.#restarted.promise
  }

  /** Its process is not started again. */
  leave(): void {
    this.#isOver = true
  }

  async #start(): Promise<void> {
    this.#process = await this.#nodes.start(this.name, this.#environment)
    const { url, adminKey } = this.#process
    this.#door = { url: await this.wires.doorTo(url), adminKey }
  }

  async #manage(): Promise<void> {
    for (;;) {
      await this.process.ended
      if (!this.#isOver) this.ends.push({ node: this.name, at: Date.now() })
      await wait(this.restartsAfter)
      this.restartsAfter = 0
      if (!(await this.#startAgain())) return
      this.#care.onStart()
      this.#restarted.resolve()
      this.#restarted = Promise.withResolvers()
    }
  }

  /** Tries until it succeeds, as it may be cut off from what it needs; false if it is not to run any more. */
  async #startAgain(): Promise<boolean> {
    while (!this.#isOver) {
      try {
        await this.#start()
        return true
      } catch {
        await wait(startEvery)
      }
    }
    return false
  }
}

/** The settings of a node that lead to the database and to networks through its wires. */
async function environmentOf(
  wires: Wires,
  database: string,
  networks: NodeCare['networks'],
): Promise<Record<string, string>> {
  const urls = Object.entries(
    Object.assign({}, ...networks.map((network) => network.urls)) as Record<string, string>,
  )
  const led = await wires.lead({
    POSTHORN_DATABASE_URL: { url: database, end: 'database' },
    ...Object.fromEntries(urls.map(([setting, url]) => [setting, { url, end: 'networks' } as const])),
  })
  const wire = (port: number) => wires.to(port, 'networks')
  const others = await Promise.all(networks.map((network) => network.settingsFor?.(wire)))
  return Object.assign(led, ...others)
}
