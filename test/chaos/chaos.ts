import assert from 'node:assert/strict'
import { getInstance } from '../../src/contract/operations/instance-operations.ts'
import { type Line, PersistentSender } from '../kit/crash/persistent-sender.ts'
import { Nodes } from '../kit/nodes/nodes.ts'
import { create, eventually } from '../kit/play.ts'
import type { PostgresServer } from '../kit/processes/postgres-server.ts'
import { type Broken, check } from './check.ts'
import { type FaultName, faults } from './faults.ts'
import { ManagedNode } from './managed-node.ts'

export interface ChaosOptions {
  readonly seed: number
  readonly faults: readonly FaultName[]
  /** Told of each fault before it happens. */
  readonly onFault: (told: string) => void
}

export interface ChaosResult {
  readonly acknowledged: number
  readonly arrived: number
  readonly broken: Broken
}

const instanceNames = Array.from({ length: 6 }, (_, index) => `instance-${index}`)

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Three nodes, each with a client that sends to all instances without end, while one node after the other suffers a fault. */
export async function runChaos(server: PostgresServer, options: ChaosOptions): Promise<ChaosResult> {
  const random = randomFrom(options.seed)
  const nodes = await Nodes.on(server)
  const senders = new Map<string, PersistentSender>()
  const all: ManagedNode[] = []
  try {
    for (const name of ['one', 'two', 'three'])
      all.push(await ManagedNode.start(nodes, name, (process) => senders.get(name)?.moveTo(process)))
    for (const [index, name] of instanceNames.entries())
      await create((all[index % all.length] as ManagedNode).process.admin, name, { account: name })
    for (const { name, process } of all) senders.set(name, new PersistentSender(process, linesOf(name)))
    for (const fault of options.faults) {
      const node = all[Math.floor(random() * all.length)] as ManagedNode
      options.onFault(`${fault} ${node.name}`)
      await faults[fault](node, random)
    }
    await Promise.all([...senders.values()].map((sender) => sender.finish()))
    await emptied(all)
    const acknowledged = [...senders.values()].flatMap((sender) => sender.acknowledged)
    const arrived = nodes.arrived()
    return {
      acknowledged: acknowledged.length,
      arrived: arrived.length,
      broken: check(acknowledged, arrived),
    }
  } finally {
    for (const node of all) node.leave()
    await nodes.end()
  }
}

const linesOf = (client: string): Line[] =>
  instanceNames.map((instance) => ({ instance, to: `${client}@accepts.sandbox`, patient: true }))

/** Until everything that was accepted has left. */
async function emptied(nodes: readonly ManagedNode[]): Promise<void> {
  for (const name of instanceNames) {
    const [node] = nodes as readonly [ManagedNode]
    const read = async () =>
      (await node.process.admin.call(getInstance, { params: { name } })).body.queue.depth
    assert.equal(await eventually('an empty queue', read, (depth) => depth === 0), 0)
  }
}
