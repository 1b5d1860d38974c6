import { randomBytes } from 'node:crypto'
import { createInstance } from '../../src/contract/operations/instance-operations.ts'
import { PersistentSender } from '../kit/crash/persistent-sender.ts'
import { Nodes } from '../kit/nodes/nodes.ts'
import { eventually } from '../kit/play.ts'
import type { PostgresServer } from '../kit/processes/postgres-server.ts'
import { randomOf } from '../kit/random.ts'
import { check, type Verdict } from './check/check.ts'
import type { Story, SufferedFault } from './check/story.ts'
import { type FaultName, faults, faultsOfAll, livingOn, type Scene } from './faults.ts'
import { insisting } from './insisting.ts'
import { ManagedNode } from './managed-node.ts'
import { type ChaosNetwork, nodeNames } from './networks/chaos-network.ts'
import { type ChaosNetworkName, openChaosNetworks } from './networks/chaos-networks.ts'
import { ChaosReceiver, fatesOf, settled } from './records.ts'

/** Milliseconds after which nodes take over, a sixth of the usual: it may end while one starts, which is then started again. */
export const chaosLease = 3_000

export interface ChaosOptions {
  readonly seed: number
  readonly faults: readonly FaultName[]
  /** Told of each fault before it happens. */
  readonly onFault: (told: string) => void
  /** The number of instances of each network that takes part; without it, six of the sandbox. */
  readonly networks?: Readonly<Partial<Record<ChaosNetworkName, number>>>
  /** Milliseconds after which nodes take over from one that is silent. */
  readonly lease?: number
  /** Messages a second of all instances together, at most; without it, as many as they can. */
  readonly rate?: number
  /** The length of every fault in leases; without it, up to three. */
  readonly lasts?: number
  /** Milliseconds in which everything that was accepted must have left and been told, after the last fault. */
  readonly settlesWithin?: number
  /** Settings of a node of this name. */
  readonly environmentOf?: (name: string) => Readonly<Record<string, string>>
}

export interface ChaosResult extends Verdict {
  readonly story: Story
}

/** Three nodes, each with a client that sends to all instances without end, while one node after the other suffers a fault. */
export async function runChaos(database: PostgresServer, options: ChaosOptions): Promise<ChaosResult> {
  const { lease = chaosLease } = options
  const operatorToken = randomBytes(24).toString('hex')
  const nodes = await Nodes.on(database, {
    ...{ POSTHORN_OPERATOR_TOKEN: operatorToken, POSTHORN_NODE_LEASE_MS: String(lease) },
    POSTHORN_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
  })
  const networks = await openChaosNetworks(nodes, options.networks ?? { sandbox: 6 })
  const run = new Run(nodes, networks, options)
  try {
    await run.begin()
    const suffered = await run.suffer({ database, url: nodes.url, operatorToken, all: run.all, lease })
    const waiting = 'select coalesce(sum(waiting_callbacks), 0) as count from instances'
    const callbacks = async () =>
      Number((await database.query<{ count: string }>(waiting, [], nodes.url))[0]?.count)
    const story = await run.end(suffered, callbacks)
    return { story, ...check(story) }
  } finally {
    await run.leave()
  }
}

/** Milliseconds in which even a machine that is busy with other things gets some work done. */
const generous = 180_000

class Run {
  readonly all: ManagedNode[] = []
  readonly #nodes: Nodes
  readonly #networks: readonly ChaosNetwork[]
  readonly #options: ChaosOptions
  readonly #random: () => number
  readonly #senders = new Map<string, PersistentSender>()
  #receiver: ChaosReceiver | undefined

  constructor(nodes: Nodes, networks: readonly ChaosNetwork[], options: ChaosOptions) {
    this.#nodes = nodes
    this.#networks = networks
    this.#options = options
    this.#random = randomOf(options.seed)
  }

  async begin(): Promise<void> {
    const { environmentOf } = this.#options
    for (const name of nodeNames) {
      const onStart = () => this.#senders.get(name)?.moveTo(this.#node(name).door)
      const environment = environmentOf?.(name) ?? {}
      this.all.push(
        await ManagedNode.start(this.#nodes, name, { environment, networks: this.#networks, onStart }),
      )
    }
    for (const network of this.#networks) network.reachedAt?.(this.all.map(({ door }) => door.url))
    for (const network of this.#networks)
      for (const [index, body] of network.instances.entries()) {
        const { process } = this.#at(index)
        const asked = { body, waitSeconds: 20, idempotencyKey: body.name }
        await insisting(() => process.admin.call(createInstance, asked))
        await network.link?.(process, body.name)
      }
    this.#receiver = await ChaosReceiver.listenTo(this.#at(0).process.admin, this.#random)
    for (const { name, door } of this.all) {
      const lines = this.#networks.flatMap((network) => network.linesOf(name))
      const pause =
        (lines.length * this.all.length * 1_000) / (this.#options.rate ?? Number.POSITIVE_INFINITY)
      const paced = lines.map((line) => ({
        ...line,
        ...(pause > 0 && { patient: false, pause: Math.max(pause, line.pause ?? 0) }),
      }))
      this.#senders.set(name, new PersistentSender(door, paced))
    }
  }

  async suffer(scene: Scene): Promise<SufferedFault[]> {
    const { faults: kinds, onFault, lasts } = this.#options
    const suffered: SufferedFault[] = []
    // All that was made for the run is on the disk, even if the nodes lose what they are told later.
    await scene.database.query('checkpoint')
    for (const kind of kinds) {
      const node = this.#at(Math.floor(this.#random() * this.all.length))
      const isOfAll = faultsOfAll.has(kind)
      await this.#traffic()
      onFault(isOfAll ? kind : `${kind} ${node.name}`)
      const length = this.#random() * 3
      const passes = this.#random() < 0.5
      const hit = isOfAll ? [] : await livingOn(node, scene)
      const from = Date.now()
      await faults[kind](node, { lasts: (lasts ?? length) * scene.lease, passes }, scene)
      suffered.push({ kind, ...(isOfAll ? {} : { node: node.name }), from, until: Date.now(), hit })
    }
    return suffered
  }

  /** Resolves when each client was told some more times that a text was accepted: a fault is to find attempts under way. */
  async #traffic(): Promise<void> {
    const told = () => [...this.#senders.values()].map(({ acknowledged }) => acknowledged.length)
    const before = told()
    const isEnough = (now: readonly number[]) =>
      now.every((count, index) => count >= (before[index] ?? 0) + 20)
    await eventually('some traffic', async () => told(), isEnough, generous)
  }

  /** Lets all come to rest, and returns what everyone saw. */
  async end(suffered: readonly SufferedFault[], callbacks: () => Promise<number>): Promise<Story> {
    const senders = [...this.#senders.values()]
    await Promise.all(senders.map((sender) => sender.finish()))
    const { admin } = this.#at(0).process
    const instances = this.#networks.flatMap((network) => network.instances.map(({ name }) => name))
    const within = this.#options.settlesWithin ?? generous
    const told = async () => {
      await Promise.all(this.#networks.map((network) => network.atRest?.()))
      await eventually('handled callbacks', callbacks, (count) => count === 0, within).catch(() => {})
    }
    await settled(admin, { instances, receiver: this.#receiver, told, within })
    const arrived = await Promise.all(this.#networks.map((network) => network.arrived()))
    const complaints = this.#networks.map((network) => network.complaints?.(suffered) ?? [])
    const forgetful = this.#networks.filter(({ isForgetful }) => isForgetful)
    return {
      acknowledged: senders.flatMap(({ acknowledged }) => acknowledged),
      arrived: arrived.flat(),
      fates: await fatesOf(admin),
      delivered: this.#receiver?.delivered ?? [],
      faults: suffered,
      ends: this.all.flatMap(({ ends }) => ends),
      complaints: (await Promise.all(complaints)).flat(),
      forgetful: new Set(forgetful.flatMap((network) => network.instances.map(({ name }) => name))),
    }
  }

  async leave(): Promise<void> {
    for (const node of this.all) node.leave()
    await this.#nodes.end()
    for (const { wires } of this.all) await wires.stop()
    for (const network of this.#networks) await network.stop()
    await this.#receiver?.stop()
  }

  #at(index: number): ManagedNode {
    return this.all[index % this.all.length] as ManagedNode
  }

  #node(name: string): ManagedNode {
    return this.all.find((node) => node.name === name) as ManagedNode
  }
}
