import type { Nodes } from '../../kit/nodes/nodes.ts'
import type { ChaosNetwork } from './chaos-network.ts'

const names = Array.from({ length: 6 }, (_, index) => `sandbox-${index}`)

/** The sandbox, whose far end is in the nodes: they write one transcript. */
export function chaosSandbox(nodes: Nodes): ChaosNetwork {
  return {
    urls: {},
    instances: names.map((name) => ({ name, settings: { account: name } })),
    isForgetful: false,
    linesOf: (client) =>
      names.flatMap((instance, index) => [
        // One that is quick, and one of which an attempt is under way nearly all the time, and more wait after a fault.
        { instance, to: `${client}@accepts.sandbox`, patient: true },
        { instance, to: `${client}@slow-500ms.sandbox`, pause: 700 },
        // One whose first answers are lost: each message arrives twice.
        ...(index === 0 ? [{ instance, to: `${client}@uncertain.sandbox`, patient: true, pause: 700 }] : []),
      ]),
    arrived: async () => nodes.arrived(),
    stop: async () => {},
  }
}
