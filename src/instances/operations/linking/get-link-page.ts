import { handler } from '../../../contract/handler.ts'
import { getLinkPage as operation } from '../../../contract/operations/link-page-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { readLinkPage, renderLinkPage } from '../../linking/link-page-view.ts'
import type { InstanceOperationsContext } from '../context.ts'

export const getLinkPage = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, mediaType }) => {
    const reading = await readLinkPage(context, caller)
    if (mediaType === 'application/json') return { status: 200, body: renderLinkPage(context, reading) }
    const { row, step } = reading
    if (!step) {
      throw new Problem('no_link_step', { detail: 'There is nothing to scan. Ask for `application/json`.' })
    }
    const { organizationId } = caller
    const wanted = { organizationId, instanceId: row.id, type: mediaType }
    return { status: 200, mediaType, bytes: await context.pictures.drawStep(step, wanted) }
  })
