import { handler } from '../../contract/handler.ts'
import { listNodes as operation } from '../../contract/operations/node-operations.ts'
import { readNodes, renderNode } from '../node-overview.ts'
import type { NodeOperationsContext } from './context.ts'

export const listNodes = ({ store, node, trustedFor }: NodeOperationsContext) =>
  handler(operation, async ({ turn }) => {
    const nodes = await store.read(readNodes, null, turn)
    const data = nodes.map((each) => renderNode(each, { id: node.id, trustedFor }))
    return { status: 200, body: { data, next_cursor: null } }
  })
