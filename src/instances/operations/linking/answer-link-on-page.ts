import { handler } from '../../../contract/handler.ts'
import { answerLinkOnPage as operation } from '../../../contract/operations/link-page-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { readLinkPage, readLivingPage, renderLinkPage } from '../../linking/link-page-view.ts'
import { passAnswer } from '../../linking/link-way.ts'
import type { InstanceOperationsContext } from '../context.ts'

export const answerLinkOnPage = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, body, audit }) => {
    const { row } = await readLivingPage(context, caller)
    if (row.status !== 'awaiting_link') throw new Problem('link_not_asking')
    await passAnswer(context, row, body.answer, audit)
    return { status: 202, body: renderLinkPage(context, await readLinkPage(context, caller)) }
  })
