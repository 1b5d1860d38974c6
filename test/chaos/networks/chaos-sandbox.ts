import type { Line } from '../../kit/crash/persistent-sender.ts'
import type { Nodes } from '../../kit/nodes/nodes.ts'
import type { ChaosNetwork } from './chaos-network.ts'

/** Number of instances that send as much as they can. */
const usual = 6

/** The sandbox, whose far end is in the nodes: they write one transcript. */
export async function chaosSandbox(count: number, nodes: Nodes): Promise<ChaosNetwork> {
  const names = Array.from({ length: count }, (_, index) => `sandbox-${index}`)
  return {
    urls: {},
    instances: names.map((name) => ({ name, settings: { account: name } })),
    isForgetful: false,
    linesOf: (client) =>
      names.flatMap((instance, index) => [
        { instance, to: `${client}@accepts.sandbox`, patient: true },
        ...(index < usual ? slowLines(instance, client, index === 0) : []),
      ]),
    arrived: async () => nodes.arrived(),
    stop: async () => {},
  }
}

/** Lines of which an attempt is under way nearly all the time, and more wait after a fault. */
const slowLines = (instance: string, client: string, losesAnswers: boolean): Line[] => [
  { instance, to: `${client}@slow-500ms.sandbox`, pause: 700 },
  // The first answer to each message is lost, so that it arrives twice.
  ...(losesAnswers ? [{ instance, to: `${client}@uncertain.sandbox`, patient: true, pause: 700 }] : []),
]
