import { handler } from '../../../contract/handler.ts'
import { startLinkOnPage as operation } from '../../../contract/operations/link-page-operations.ts'
import { readLinkPage, readLivingPage, renderLinkPage } from '../../linking/link-page-view.ts'
import { beginLink, linkWayOf } from '../../linking/link-way.ts'
import type { InstanceOperationsContext } from '../context.ts'

export const startLinkOnPage = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, body, audit }) => {
    const way = linkWayOf(body)
    const { row } = await readLivingPage(context, caller)
    await beginLink(context, row, way, { audit, missing: 'link_page_not_found' })
    return { status: 202, body: renderLinkPage(context, await readLinkPage(context, caller)) }
  })
