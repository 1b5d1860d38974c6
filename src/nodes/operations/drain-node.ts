import { handler } from '../../contract/handler.ts'
import { drainNode as operation } from '../../contract/operations/node-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { drainNode as drainInStore, readNodes, renderNode } from '../node-overview.ts'
import type { NodeOperationsContext } from './context.ts'

export const drainNode = ({ store, node, trustedFor }: NodeOperationsContext) =>
  handler(operation, async ({ params, turn }) => {
    const drained = await store.transact(drainInStore, { id: params.node, trustedFor }, turn)
    if (drained === 'no_other') throw new Problem('no_other_node')
    const nodes = await store.read(readNodes, null, turn)
    const found = nodes.find(({ id }) => id === params.node)
    if (drained === 'not_found' || !found) throw new Problem('node_not_found')
    return { status: 200, body: renderNode(found, { id: node.id, trustedFor }) }
  })
