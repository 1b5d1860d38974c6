import { handler } from '../../contract/handler.ts'
import { replaceCredentials as operation } from '../../contract/operations/instance-operations.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { SealedCredentials } from '../../networks/driver/account.ts'
import type { Driver } from '../../networks/driver/driver.ts'
import { checkSettings } from '../../networks/driver/settings.ts'
import type { Turn } from '../../store/store.ts'
import { replaceCredentials as replace } from '../connection/connection-store.ts'
import { isUnderway } from '../lifecycle/lifecycle.ts'
import {
  type InstanceOperationsContext,
  readInstance,
  showInstance,
  storedCredentials,
  usesSharedCallback,
} from './context.ts'

export const replaceCredentials = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { store, clock, networks, secrets, supervisor, instanceChanges } = context
    const read = () => readInstance(context, call.caller.organizationId, call.params.name)
    const { id, network, settings } = (await read()).row
    const driver = networks.get(network)
    if (!driver) {
      const detail = 'This server does not support the network of the instance.'
      throw invalid({ pointer: '', code: 'network_unknown', detail })
    }
    const { credentials } = call.body
    const faults = checkSettings(driver, JSON.parse(settings), credentials)
    if (faults.length > 0) throw invalid(...faults)

    const sealed = secrets.closeCredentials(id, {
      ...(await ownOf(context, driver, { id, turn: call.turn })),
      ...credentials,
    })
    const wanted = await store.transact(
      replace,
      {
        organization: call.caller.organizationId,
        id,
        credentials: sealed,
        sharedCallback: usesSharedCallback(driver, credentials),
        now: clock.now(),
        audit: call.audit(),
      },
      call.turn,
    )
    if (wanted === 'not_found') throw new Problem('instance_not_found')
    if (wanted === 'deleting') throw new Problem('instance_deleting')
    if (wanted === 'running') await supervisor.order(id, 'restart')
    const wait = { ms: call.waitMs, signal: call.signal }
    const reading = await instanceChanges.until(id, wait, read, ({ row }) => !isUnderway(row.status))
    return { status: 200, body: showInstance(context, call.caller, reading) }
  })

/**
 * Returns the fields that the driver stores in the credentials in addition to the caller's, for example that it registered
 * the account.
 */
async function ownOf(
  context: InstanceOperationsContext,
  driver: Driver,
  instance: { readonly id: string; readonly turn: Turn },
): Promise<SealedCredentials> {
  // Broken credentials are a reason to replace them, so they must not stop the replacement.
  const before = Object.entries((await storedCredentials(context, instance)) ?? {})
  return Object.fromEntries(before.filter(([name]) => !(name in driver.credentials.properties)))
}
