import { setTimeout } from 'node:timers/promises'
import { readConfig } from '../../networks/config.ts'
import { timingFor } from '../../nodes/node-lease.ts'
import { drainNode as drainInStore, readNodes, renderNode } from '../../nodes/node-overview.ts'
import type { Store } from '../../store/store.ts'
import { command, json, Refusal } from '../command.ts'
import { explain, print, printJson, readableTime, tableOf } from '../output.ts'
import { withStore } from '../store.ts'

/** Milliseconds between two looks at a node that drains. */
const lookEvery = 1_000

/** The nodes as the store has them; the status of one on an own store is that of its last process. */
async function nodesOf(store: Store) {
  const viewer = { id: undefined, trustedFor: trustedFor() }
  const nodes = await store.read(readNodes, null)
  return nodes.map((node) => renderNode(node, viewer))
}

/** Milliseconds for which a node is trusted that is not seen. The node of an own store does not beat, so no time tells that it is silent. */
function trustedFor(): number {
  const config = readConfig(process.env)
  const isShared = config.POSTHORN_DATABASE_URL !== undefined
  return isShared ? timingFor(config.POSTHORN_NODE_LEASE_MS).trusted : Number.POSITIVE_INFINITY
}

/** `posthorn nodes list`. */
export const listNodes = command({
  name: 'nodes list',
  summary: 'List the nodes: the servers that share the database.',
  options: { json },
  async run({ options }) {
    const nodes = (await withStore(nodesOf)).map(({ responded: _, ...node }) => node)
    if (options.json) printJson(nodes)
    else
      print(
        tableOf(nodes, {
          ID: ({ id }) => id,
          STATUS: ({ status }) => status,
          INSTANCES: ({ instances }) => String(instances),
          'KEEPS HOUSE': ({ keeps_house }) => (keeps_house ? 'yes' : 'no'),
          'DELIVERS PARTS': ({ delivery_parts }) => String(delivery_parts),
          SEEN: ({ last_seen_at }) => readableTime(Date.parse(last_seen_at)),
          VERSION: ({ version }) => version,
        }),
      )
  },
})

/** `posthorn nodes drain`: watches until the node may be stopped; ending the command ends only the watching. */
export const drainNode = command({
  name: 'nodes drain',
  summary: 'Give the instances of a node to the others, and say when you can stop it.',
  operands: ['ID'],
  async run({ operands: [id = ''] }) {
    await withStore(async (store) => {
      const drained = await store.transact(drainInStore, { id, trustedFor: trustedFor() })
      if (drained === 'not_found')
        throw new Refusal('there is no node with that id; `npx posthorn nodes list` lists them')
      if (drained === 'no_other')
        throw new Refusal(
          'no other node can take its instances; start another node on the same database first',
        )
      await watch(store, id)
    })
  },
})

async function watch(store: Store, id: string): Promise<void> {
  let shown: number | undefined
  for (;;) {
    const node = (await nodesOf(store)).find((each) => each.id === id)
    if (!node || node.instances === 0) return print(`node ${id} has no instances; it may be stopped`)
    if (node.status === 'running')
      throw new Refusal('the node was started again, so it does not drain any more; repeat the command')
    if (node.instances !== shown) explain(`instances left: ${node.instances}`)
    shown = node.instances
    await setTimeout(lookEvery)
  }
}
