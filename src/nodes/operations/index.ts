import type { Handler } from '../../contract/handler.ts'
import type { NodeOperationsContext } from './context.ts'
import { drainNode } from './drain-node.ts'
import { listNodes } from './list-nodes.ts'

/** Every operation on the nodes of the store. */
export function nodeHandlers(context: NodeOperationsContext): Handler[] {
  return [listNodes(context), drainNode(context)]
}
