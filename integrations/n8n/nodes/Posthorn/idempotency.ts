import { createHash } from 'node:crypto'
import type { IExecuteFunctions } from 'n8n-workflow'

/**
 * The `Idempotency-Key` of one item: the same each time that n8n tries this run of the node again, so that "Retry On Fail" sends nothing
 * twice, and another one in each execution, each turn of a loop, and on each server of n8n.
 */
export function keyOf(functions: IExecuteFunctions, itemIndex: number): string {
  const { $runIndex } = functions.getWorkflowDataProxy(itemIndex)
  const place = [
    functions.getInstanceId(),
    functions.getWorkflow().id,
    functions.getExecutionId(),
    functions.getNode().id,
    $runIndex,
    itemIndex,
  ]
  return `n8n-${createHash('sha256').update(JSON.stringify(place)).digest('hex')}`
}
