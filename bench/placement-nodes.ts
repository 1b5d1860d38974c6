import { randomUUID } from 'node:crypto'
import { takeOverFunctions, takeOverInstances } from '../src/instances/lifecycle/take-over.ts'
import { InstanceTaker } from '../src/instances/lifecycle/taker.ts'
import { recoverMessages } from '../src/messages/outbox/recovery/recover.ts'
import { networksOf } from '../src/networks/driver/registry.ts'
import { joinNode, nodeFunctions, stillRun } from '../src/nodes/node-store.ts'
import { openPostgresStore } from '../src/store/postgres/postgres.ts'
import { type SharedStore, type Store, type StoreFunctions, StoreUnavailable } from '../src/store/store.ts'

const functions: StoreFunctions = {
  reads: [...takeOverFunctions.reads, ...nodeFunctions.reads],
  transactions: [...takeOverFunctions.transactions, ...nodeFunctions.transactions, recoverMessages],
  fence: stillRun,
}
const clock = { now: Date.now, monotonic: () => performance.now() }
/** Transactions that are performed at a time: a machine with two cores does not have the processors of a hundred. */
const performedAtOnce = 8
/** Milliseconds between two words about how far it is. */
const toldEvery = 15_000

/** Lets work begin in the order in which it is asked for, so much at a time. */
class Doors {
  #free = performedAtOnce
  readonly #waiting: (() => void)[] = []

  async pass<R>(work: () => Promise<R>): Promise<R> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#free--
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

/** An instance that a node has, and its organization. */
export interface Placed {
  readonly id: string
  readonly organization_id: string
}

/** A process of a node: it takes instances over as the program does, on connections of its own, and does not run them. */
class SimulatedNode {
  readonly id: string
  readonly isAlone = false
  readonly store: Store & SharedStore
  has: Placed[] = []
  /** Milliseconds that its take-overs took since it was asked last, and how many instances they found taken by others. */
  times: number[] = []
  lost = 0
  failed = 0
  readonly #doors: Doors
  #taker: InstanceTaker | undefined

  constructor(id: string, store: Store & SharedStore, doors: Doors) {
    this.id = id
    this.store = store
    this.#doors = doors
  }

  /** Begins a process of the node, which knows nothing of the one before. */
  async start(): Promise<void> {
    const boot = randomUUID()
    delete this.store.node
    await this.store.transact(joinNode, { id: this.id, boot, version: '1', media: 'postgres', started_at: 0 })
    this.store.node = { id: this.id, boot }
    this.has = []
    this.#taker = new InstanceTaker({
      ...{ clock, node: this, networks: networksOf([]), has: () => this.has.length },
      runs: (id) => this.has.some((instance) => instance.id === id),
      store: {
        read: (...call) => this.store.read(...call),
        transact: (...call) => this.#doors.pass(() => this.#measured(...call)),
      },
      took: (instances) => {
        for (const { id, organization_id } of instances) this.has.push({ id, organization_id })
      },
    })
  }

  /** Takes what the last process had, and then what is free. What failed is done again, as a service manager would. */
  async takeAll(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      this.has = []
      isDone = await this.#succeeds(async () => void (await this.#taker?.takeOwn()))
    }
    await this.takeFree()
  }

  /** Looks once for what is free; true if there may be more. What failed is done again by the next look. */
  async takeFree(): Promise<boolean> {
    let isMore = true
    await this.#succeeds(async () => {
      isMore = (await this.#taker?.isSomeFree()) ?? false
      if (isMore) await this.#taker?.takeFree()
    })
    return isMore
  }

  /** True if it succeeds; false, and counted, if the store could not do it. */
  async #succeeds(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      this.failed++
      return false
    }
  }

  async #measured<A, R>(...[call, args, turn]: Parameters<typeof this.store.transact<A, R>>): Promise<R> {
    const begun = performance.now()
    const result = await this.store.transact(call, args, turn)
    if ((call as unknown) !== takeOverInstances) return result
    this.times.push(performance.now() - begun)
    const { candidates } = args as Parameters<typeof takeOverInstances.run>[1]
    const { instances } = result as Awaited<ReturnType<typeof takeOverInstances.run>>
    this.lost += candidates.length - instances.length
    return result
  }
}

/** The result of a placement: what the nodes did until no instance was free. */
export interface Placement {
  /** Milliseconds of each transaction, in order; and of the whole. */
  readonly times: readonly number[]
  readonly took: number
  readonly moved: number
  /** Instances that were chosen, and that another node had taken; and transactions that failed and were done again. */
  readonly lost: number
  readonly failed: number
  /** Instances that the nodes took, and have now: the fewest and the most. */
  readonly each: readonly [number, number]
  readonly share: readonly [number, number]
}

/** Nodes on one database, in one process. */
export class SimulatedNodes {
  readonly #nodes: readonly SimulatedNode[]
  readonly #note: (text: string) => void
  #alive: readonly SimulatedNode[]

  private constructor(nodes: readonly SimulatedNode[], note: (text: string) => void) {
    this.#nodes = nodes
    this.#note = note
    this.#alive = nodes
  }

  /** Opens a store for each; `note` tells how far they are. */
  static async open(
    url: string,
    ids: readonly string[],
    note: (text: string) => void,
  ): Promise<SimulatedNodes> {
    const nodes: SimulatedNode[] = []
    const doors = new Doors()
    for (const id of ids)
      nodes.push(new SimulatedNode(id, await openPostgresStore({ url, functions, readers: 1 }), doors))
    return new SimulatedNodes(nodes, note)
  }

  /** The instances of each of the nodes that run. */
  get placed(): readonly (readonly Placed[])[] {
    return this.#alive.map(({ has }) => has)
  }

  /** Starts all of them anew, also those that had died. */
  async start(): Promise<Placement> {
    this.#alive = this.#nodes
    for (const node of this.#nodes) await node.start()
    return await this.#place((node) => node.takeAll())
  }

  /** The last nodes die, and are declared gone, before the others look; then these take over what they had. */
  async die(count: number, declareGone: (ids: readonly string[]) => Promise<unknown>): Promise<Placement> {
    const dead = this.#alive.slice(-count)
    await declareGone(dead.map(({ id }) => id))
    this.#alive = this.#alive.slice(0, -count)
    return await this.#place(async () => {})
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ store }) => store.close()))
  }

  async #place(first: (node: SimulatedNode) => Promise<void>): Promise<Placement> {
    const before = new Map(this.#alive.map((node) => [node, node.has.length]))
    for (const node of this.#alive) Object.assign(node, { times: [], lost: 0, failed: 0 })
    const tell = () => this.#note(`${sum(this.#alive.map(({ has }) => has.length))} instances are placed`)
    const telling = setInterval(tell, toldEvery)
    const begun = performance.now()
    try {
      await Promise.all(this.#alive.map(first))
      for (let isMore = true; isMore; ) {
        const looked = await Promise.all(this.#alive.map((node) => node.takeFree()))
        isMore = looked.includes(true)
      }
    } finally {
      clearInterval(telling)
    }
    const took = performance.now() - begun
    const gained = this.#alive.map((node) => node.has.length - (before.get(node) ?? 0))
    const times = this.#alive.flatMap((node) => node.times)
    return {
      times: times.sort((one, other) => one - other),
      ...{ took, moved: sum(gained) },
      lost: sum(this.#alive.map(({ lost }) => lost)),
      failed: sum(this.#alive.map(({ failed }) => failed)),
      each: [Math.min(...gained), Math.max(...gained)],
      share: extremes(this.#alive.map(({ has }) => has.length)),
    }
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const extremes = (numbers: readonly number[]) => [Math.min(...numbers), Math.max(...numbers)] as const
