import { handler } from '../../../contract/handler.ts'
import { startLink as operation } from '../../../contract/operations/link-operations.ts'
import { isUnderway } from '../../lifecycle/lifecycle.ts'
import { beginLink, linkWayOf } from '../../linking/link-way.ts'
import { type InstanceOperationsContext, readInstance, showConnectivity } from '../context.ts'

export const startLink = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const read = () => readInstance(context, call.caller.organizationId, call.params.name)
    const way = linkWayOf(call.body)
    const { row } = await read()
    await beginLink(context, row, way, { audit: call.audit, missing: 'instance_not_found' })
    const wait = { ms: call.waitMs, signal: call.signal }
    const reading = await context.instanceChanges.until(
      row.id,
      wait,
      read,
      ({ row }) => !isUnderway(row.status),
    )
    return { status: 202, body: showConnectivity(context, reading) }
  })
