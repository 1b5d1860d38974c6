import { handler } from '../../../contract/handler.ts'
import { answerLink as operation } from '../../../contract/operations/link-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { isUnderway } from '../../lifecycle/lifecycle.ts'
import { passAnswer } from '../../linking/link-way.ts'
import { type InstanceOperationsContext, readInstance, showConnectivity } from '../context.ts'

export const answerLink = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const read = () => readInstance(context, call.caller.organizationId, call.params.name)
    const before = await read()
    const { id } = before.row
    if (before.row.status !== 'awaiting_link') throw new Problem('link_not_asking')
    await passAnswer(context, before.row, call.body.answer, call.audit)
    const asked = before.link ?? new Uint8Array()
    const isOver = ({ row, link }: typeof before) =>
      row.status === 'awaiting_link'
        ? link !== null && Buffer.compare(link, asked) !== 0
        : !isUnderway(row.status)
    const wait = { ms: call.waitMs, signal: call.signal }
    const reading = await context.instanceChanges.until(id, wait, read, isOver)
    return { status: 202, body: showConnectivity(context, reading) }
  })
