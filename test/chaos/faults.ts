import { setTimeout as wait } from 'node:timers/promises'
import { lease, type Nodes } from '../kit/nodes/nodes.ts'
import type { PosthornProcess } from '../kit/posthorn.ts'

/** A node under faults: the process that runs it changes. */
export interface FaultyNode {
  readonly name: string
  process: PosthornProcess
}

/** Does something bad to a node; resolves when a process runs it again. */
type Fault = (node: FaultyNode, nodes: Nodes, random: () => number) => Promise<void>

async function startAgain(node: FaultyNode, nodes: Nodes): Promise<void> {
  node.process = await nodes.start(node.name)
}

export const faults = {
  /** It dies, and is started again at once or after the others have taken over. */
  async kill(node, nodes, random) {
    await node.process.end('SIGKILL')
    await wait(random() * lease * 3)
    await startAgain(node, nodes)
  },
  /** It stands still, for less than its lease or for more; one that was replaced meanwhile ends when it goes on. */
  async freeze(node, nodes, random) {
    process.kill(node.process.pid, 'SIGSTOP')
    const over = node.process.ended.then(() => true)
    await wait(random() * lease * 3)
    process.kill(node.process.pid, 'SIGCONT')
    const hasEnded = await Promise.race([over, wait(lease).then(() => false)])
    if (hasEnded) await startAgain(node, nodes)
  },
  /** It is stopped as an operator does, and started again. */
  async stop(node, nodes) {
    await node.process.end('SIGTERM')
    await startAgain(node, nodes)
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]
