import { setTimeout as wait } from 'node:timers/promises'
import { lease } from '../kit/nodes/nodes.ts'
import type { ManagedNode } from './managed-node.ts'

/** Does something bad to a node; resolves when a process runs it again. */
type Fault = (node: ManagedNode, random: () => number) => Promise<unknown>

export const faults = {
  /** It dies, and is started again at once or after the others have taken over. */
  async kill(node, random) {
    node.restartsAfter = random() * lease * 3
    const { restarted } = node
    await node.process.end('SIGKILL')
    await restarted
  },
  /** It stands still, for less than its lease or for more; one that was replaced meanwhile ends when it goes on. */
  async freeze(node, random) {
    const { process: frozen, restarted } = node
    process.kill(frozen.pid, 'SIGSTOP')
    await wait(random() * lease * 3)
    process.kill(frozen.pid, 'SIGCONT')
    await Promise.race([restarted, wait(lease)])
  },
  /** It is stopped as an operator does, and started again. */
  async stop(node) {
    const { restarted } = node
    await node.process.end('SIGTERM')
    await restarted
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults
export const faultNames = Object.keys(faults) as FaultName[]
