import { setTimeout as wait } from 'node:timers/promises'
import { drainNode, listNodes } from '../../src/contract/operations/node-operations.ts'
import { type CheckedClient, createCheckedClient } from '../kit/http/checked-client.ts'
import { eventually } from '../kit/play.ts'
import type { PostgresServer } from '../kit/processes/postgres-server.ts'
import { insisting } from './insisting.ts'
import type { ManagedNode } from './managed-node.ts'
import type { WireEnd } from './wires.ts'

/** The scene of a fault. */
export interface Scene {
  readonly database: PostgresServer
  /** The address of the nodes' database. */
  readonly url: string
  readonly operatorToken: string
  readonly all: readonly ManagedNode[]
  /** Milliseconds after which nodes take over from one that is silent. */
  readonly lease: number
}

export interface FaultOptions {
  /** Milliseconds. */
  readonly lasts: number
  /** True if what was held up passes in the end, instead of being lost. */
  readonly passes: boolean
}

/** Does something bad to a node; resolves when it is well again. */
type Fault = (node: ManagedNode, options: FaultOptions, scene: Scene) => Promise<unknown>

/** Holds up all that passes through wires of a node, for some time. */
async function interrupt(
  { wires }: ManagedNode,
  ends: readonly WireEnd[],
  { lasts, passes }: FaultOptions,
): Promise<void> {
  for (const end of ends) wires.hold(end)
  await wait(lasts)
  for (const end of ends) {
    if (passes) wires.release(end)
    else wires.cut(end)
  }
}

async function stop(node: ManagedNode): Promise<void> {
  const { restarted } = node
  await node.process.end('SIGTERM')
  await restarted
}

const operatorAt = ({ process: { url } }: ManagedNode, key: string): CheckedClient =>
  createCheckedClient({ baseUrl: url, key })

/** The entry of the node that responds. */
const ownEntry = async (operator: CheckedClient) => {
  const { body } = await insisting(() => operator.call(listNodes))
  return body.data.find(({ responded }) => responded)
}

/** The names of the instances that live on a node. */
export async function livingOn(
  node: ManagedNode,
  { database, url, operatorToken }: Pick<Scene, 'database' | 'url' | 'operatorToken'>,
): Promise<string[]> {
  const id = (await ownEntry(operatorAt(node, operatorToken)))?.id
  const rows = await database.query<{ name: string }>(
    'select name from instances where owner = $1',
    [id],
    url,
  )
  return rows.map(({ name }) => name)
}

export const faults = {
  /** It dies, and is started again at once or after the others have taken over. */
  async kill(node, { lasts }) {
    node.restartsAfter = lasts
    const { restarted } = node
    await node.process.end('SIGKILL')
    await restarted
  },
  /** It stands still, for less than its lease or for more; one that was replaced meanwhile ends when it goes on. */
  async freeze(node, { lasts }, { lease }) {
    const { process: frozen, restarted } = node
    process.kill(frozen.pid, 'SIGSTOP')
    await wait(lasts)
    process.kill(frozen.pid, 'SIGCONT')
    await Promise.race([restarted, wait(lease)])
  },
  /** It is stopped as an operator does, and started again. */
  stop,
  /** It is cut off from the database; one that was replaced meanwhile ends when it hears of that. */
  async database(node, options, { lease }) {
    const { restarted } = node
    await interrupt(node, ['database'], options)
    await Promise.race([restarted, wait(lease)])
  },
  /** It is cut off from callers and networks, and still has the database: nothing is taken over. */
  network: (node, options) => interrupt(node, ['callers', 'networks'], options),
  /** Its clock is set, ahead or back by ten leases, and in the end right again. */
  async clock({ clock }, { lasts, passes }, { lease }) {
    clock.set((passes ? 10 : -10) * lease)
    await wait(lasts)
    clock.set(0)
  },
  /** It is drained, stopped and started again. */
  async drain(node, _, { operatorToken }) {
    const operator = operatorAt(node, operatorToken)
    const shown = async () => (await ownEntry(operator)) ?? { id: '', instances: 0 }
    const { id: node_id } = await shown()
    await insisting(() => operator.call(drainNode, { params: { node: node_id } }))
    await eventually('a drained node', shown, ({ instances }) => instances === 0, 180_000)
    await stop(node)
  },
  /** The database dies and is started again: all nodes wait for it, and nothing is taken over. */
  async crash(_, { lasts }, { database, lease }) {
    await database.down()
    await wait(lasts / 2)
    await database.up()
    await wait(lease)
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]

/** Faults that all nodes suffer. */
export const faultsOfAll: ReadonlySet<FaultName> = new Set(['crash'])
