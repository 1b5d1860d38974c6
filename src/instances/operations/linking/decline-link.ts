import { handler } from '../../../contract/handler.ts'
import { declineLink as operation } from '../../../contract/operations/link-page-operations.ts'
import { endLinkPage } from '../../link-pages/link-page-store.ts'
import { readLivingPage } from '../../linking/link-page-view.ts'
import { refuseUnlinkable } from '../../linking/link-way.ts'
import type { InstanceOperationsContext } from '../context.ts'

export const declineLink = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, audit, turn }) => {
    const { page, row } = await readLivingPage(context, caller)
    // The owner of an account that is linked ends that in the app of the network.
    await refuseUnlinkable(context, row)
    // The page ends last, so that a person whose request failed can repeat it.
    await context.supervisor.ask(row.id, 'decline-link', null)
    await context.store.transact(endLinkPage, { id: page.id, audit: audit() }, turn)
    return { status: 204 }
  })
