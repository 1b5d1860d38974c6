import { handler } from '../../../contract/handler.ts'
import { getLink as operation } from '../../../contract/operations/link-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import type { InstanceStatus } from '../../../contract/resources/instance.ts'
import { type InstanceRow, renderConnectivity } from '../../instance.ts'
import { isUnderway } from '../../lifecycle/lifecycle.ts'
import { type InstanceOperationsContext, readInstance } from '../context.ts'

export const getLink = (context: InstanceOperationsContext) => {
  const { instanceChanges, clock, pictures, secrets } = context
  return handler(operation, async (call) => {
    const { organizationId } = call.caller
    const find = () => readInstance(context, organizationId, call.params.name)
    const { id } = (await find()).row
    const read = async () => {
      const reading = await find()
      const { row, link } = reading
      const step = row.status === 'awaiting_link' && link ? secrets.openLink(id, link) : null
      return { reading, row, step: step && step.expires_at > clock.now() ? step : null }
    }
    const wait = { ms: call.waitMs, signal: call.signal }
    const mayFollow = ({ status }: InstanceRow) => isUnderway(status) || status === 'awaiting_link'
    const { reading, row, step } = await instanceChanges.until(
      id,
      wait,
      read,
      ({ row, step }) => step !== null || !mayFollow(row),
    )
    if (row.wanted === 'removed') throw new Problem('instance_deleting')
    if (!step) throw new Problem('no_link_step', { detail: whyNone[row.status] })
    if (call.mediaType === 'application/json') return { status: 200, body: renderConnectivity(reading, step) }
    const bytes = await pictures.drawStep(step, { organizationId, instanceId: id, type: call.mediaType })
    return { status: 200, mediaType: call.mediaType, bytes }
  })
}

const begin = 'call `POST /v1/instances/{name}/link` when a person is ready to link it.'

const soon = 'wait a moment, for example with `Prefer: wait=N`.'

const whyNone: Readonly<Record<InstanceStatus, string>> = {
  connecting: `The instance is connecting, and the network has not given a step yet: ${soon}`,
  awaiting_link: `The last step has expired, and the next one follows: ${soon}`,
  connected: 'The account is linked, and the instance is connected: there is nothing to do.',
  reconnecting: `The connection to the network was lost, and Posthorn reconnects: ${soon}`,
  logged_out: `The account is logged out: ${begin}`,
  stopped: `The instance is stopped, because its account was not linked in time or because it was stopped: ${begin}`,
  failed: `The network rejects the connection. The status of the instance gives the reason: have it fixed, then ${begin}`,
  deleting: 'The instance is being removed.',
}
