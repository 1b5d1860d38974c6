import { handler } from '../../../contract/handler.ts'
import { revokeLinkPages as operation } from '../../../contract/operations/link-page-operations.ts'
import { revokeLinkPages as revoke } from '../../link-pages/link-page-store.ts'
import { type InstanceOperationsContext, readInstance } from '../context.ts'

export const revokeLinkPages = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, params, audit, turn }) => {
    const { row } = await readInstance(context, caller.organizationId, params.name)
    await context.store.transact(revoke, { instance: row.id, audit: audit() }, turn)
    return { status: 204 }
  })
