import { handler } from '../../contract/handler.ts'
import { startLink as operation } from '../../contract/operations/link-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { waited } from '../../contract/reply.ts'
import type { Driver, LinkWay } from '../../networks/driver.ts'
import { SealBroken } from '../../runtime/seal.ts'
import { readConnectionSecrets } from '../connection/connection-store.ts'
import type { InstanceRow } from '../instance.ts'
import { orderInstance } from '../instance-store.ts'
import { isUnderway } from '../lifecycle.ts'
import { linkWayOf } from '../link-way.ts'
import { type InstanceOperationsContext, readInstance, showConnectivity } from './context.ts'

export const startLink = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { store, clock, networks, supervisor, changes } = context
    const organization = call.caller.organizationId
    const { name } = call.params
    const way = linkWayOf(call.body)
    const read = () => readInstance(context, organization, name)
    const { row } = await read()
    if (row.wanted === 'removed') throw new Problem('instance_deleting')
    const driver = supporting(networks.get(row.network), way)
    if (await isLinked(context, driver, row)) throw new Problem('already_linked')

    const order = { organization, name, wanted: 'running', now: clock.now(), audit: call.audit() } as const
    const ordered = await store.transact(orderInstance, order)
    if (ordered.kind === 'not_found') throw new Problem('instance_not_found')
    if (ordered.kind === 'deleting') throw new Problem('instance_deleting')
    // A person may have linked it a moment ago.
    if (!(await supervisor.link(ordered.id, way))) throw new Problem('already_linked')
    const wait = { ms: call.waitMs, signal: call.signal }
    const reading = await changes.until(ordered.id, wait, read, ({ row }) => !isUnderway(row.status))
    return { status: 202, body: showConnectivity(context, reading), headers: waited(call) }
  })

/** The driver, if its accounts can be linked in this way. */
function supporting(driver: Driver | undefined, { kind }: LinkWay): Driver {
  const kinds = driver?.abilities.links.filter((known) => known === 'qr' || known === 'code') ?? []
  if (driver && kinds.includes(kind)) return driver
  const detail =
    kinds.length > 0
      ? `The network can link an account by the kind ${kinds.map((known) => `\`${known}\``).join(' or ')}.`
      : 'Accounts of this network are not linked. Its credentials are all that an instance needs.'
  throw new Problem('link_kind_not_supported', { detail })
}

/** Whether the account is linked, as far as this server can know. What the network has refused is not. */
async function isLinked(
  { store, secrets }: InstanceOperationsContext,
  driver: Driver,
  { id, status, settings }: InstanceRow,
): Promise<boolean> {
  if (status === 'connected') return true
  if (status === 'awaiting_link' || status === 'logged_out') return false
  const stored = await store.read(readConnectionSecrets, { id })
  if (!stored || !driver.isLinked) return false
  try {
    return driver.isLinked(JSON.parse(settings), secrets.openCredentials(id, stored.credentials))
  } catch (error) {
    // The connection says what is to be done about credentials that do not open.
    if (error instanceof SealBroken) return false
    throw error
  }
}
