import { handler } from '../../../contract/handler.ts'
import { logOutInstance as operation } from '../../../contract/operations/link-operations.ts'
import { Problem } from '../../../contract/problem.ts'
import { noteAction } from '../../../organizations/audit-log.ts'
import { type InstanceOperationsContext, readInstance, showConnectivity } from '../context.ts'

export const logOutInstance = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { store, networks, supervisor } = context
    const read = () => readInstance(context, call.caller.organizationId, call.params.name)
    const before = await read()
    const { id, network, status, wanted } = before.row
    if (!networks.get(network)?.linking) throw new Problem('logout_not_supported')
    if (wanted === 'removed') throw new Problem('instance_deleting')
    // The network carries it out, not a transaction: so it is noted before, and a refusal afterwards.
    await store.transact(noteAction, { note: call.audit() }, call.turn)
    if (status === 'logged_out') return { status: 202, body: showConnectivity(context, before) }
    const outcome = (await supervisor.ask(id, 'log-out', null, call.signal)) ?? null
    const after = await read()
    // Another request may have come first.
    if (outcome === null && after.row.status !== 'logged_out')
      throw new Problem('instance_not_connected', { detail: notConnected })
    if (outcome === 'unreachable') throw new Problem('instance_not_connected', { detail: unconfirmed })
    return { status: 202, body: showConnectivity(context, after) }
  })

const notConnected =
  'The instance is not connected, so Posthorn cannot ask the network to log the account out. Try again once it is connected, or remove the ' +
  'instance with DELETE.'

const unconfirmed =
  'The network did not confirm in time that the account is logged out. Nothing has changed here. See the status of the instance, and try again.'
