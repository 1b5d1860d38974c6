import type { Nodes } from '../../kit/nodes/nodes.ts'
import { chaosCloud } from './chaos-cloud.ts'
import type { ChaosNetwork } from './chaos-network.ts'
import { chaosSandbox } from './chaos-sandbox.ts'
import { chaosTelegram } from './chaos-telegram.ts'
import { chaosWhatsApp } from './chaos-whatsapp.ts'
import { chaosXmpp } from './chaos-xmpp.ts'

/** Starts the far end of a network with so many instances. */
type OpenNetwork = (count: number, nodes: Nodes) => Promise<ChaosNetwork>

const networks = {
  sandbox: chaosSandbox,
  xmpp: chaosXmpp,
  whatsapp: chaosWhatsApp,
  telegram: chaosTelegram,
  'whatsapp-cloud': chaosCloud,
} as const satisfies Readonly<Record<string, OpenNetwork>>

export type ChaosNetworkName = keyof typeof networks
export const chaosNetworkNames = Object.keys(networks) as ChaosNetworkName[]

/** Starts the far ends of these networks, each with so many instances. */
export async function openChaosNetworks(
  nodes: Nodes,
  counts: Readonly<Partial<Record<ChaosNetworkName, number>>>,
): Promise<readonly ChaosNetwork[]> {
  const wanted = chaosNetworkNames.map((name) => [networks[name], counts[name] ?? 0] as const)
  const opening = wanted.filter(([, count]) => count > 0).map(([open, count]) => open(count, nodes))
  const opened = await Promise.allSettled(opening)
  if (opened.some(({ status }) => status === 'rejected'))
    for (const each of opened) if (each.status === 'fulfilled') await each.value.stop()
  return Promise.all(opening)
}
