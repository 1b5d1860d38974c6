import { handler } from '../../contract/handler.ts'
import { answerLink as operation } from '../../contract/operations/link-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { waited } from '../../contract/reply.ts'
import { noteAction } from '../../organizations/audit-log.ts'
import { isUnderway } from '../lifecycle.ts'
import { type InstanceOperationsContext, readInstance, showConnectivity } from './context.ts'

export const answerLink = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { store, supervisor, changes } = context
    const read = () => readInstance(context, call.caller.organizationId, call.params.name)
    const before = await read()
    const { id, status } = before.row
    if (status !== 'awaiting_link') throw new Problem('link_not_asking')
    // The network carries it out, not a transaction: so it is noted before, and a refusal afterwards.
    await store.transact(noteAction, { note: call.audit() })
    const outcome = await supervisor.answerLink(id, call.body.answer)
    if (outcome.kind === 'not_asked') throw new Problem('link_not_asking')
    if (outcome.kind === 'uncertain') throw new Problem('instance_not_connected')
    if (outcome.kind === 'rejected') throw new Problem('network_refused', { detail: outcome.error.detail })
    const asked = before.link ?? new Uint8Array()
    const isOver = ({ row, link }: typeof before) =>
      row.status === 'awaiting_link'
        ? link !== null && Buffer.compare(link, asked) !== 0
        : !isUnderway(row.status)
    const wait = { ms: call.waitMs, signal: call.signal }
    const reading = await changes.until(id, wait, read, isOver)
    return { status: 202, body: showConnectivity(context, reading), headers: waited(call) }
  })
