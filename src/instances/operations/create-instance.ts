import { type Call, handler } from '../../contract/handler.ts'
import { createInstance as operation } from '../../contract/operations/instance-operations.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { problems } from '../../contract/problems.ts'
import type { Instance } from '../../contract/resources/instance.ts'
import { checkSettings } from '../../networks/driver/settings.ts'
import { createdAt, idempotencyMismatch, idempotencyOf } from '../../organizations/idempotency.ts'
import { sharedWordFaults, wordsAfter } from '../../organizations/marketing-words.ts'
import { newId } from '../../runtime/ids.ts'
import { nearest } from '../../runtime/text/suggest.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { type NewInstance, newInstanceRow, renderInstance } from '../instance.ts'
import { createInstance as create } from '../instance-store.ts'
import { isUnderway } from '../lifecycle/lifecycle.ts'
import { callbackUrlOf, type InstanceOperationsContext, showInstance, usesSharedCallback } from './context.ts'

export const createInstance = (context: InstanceOperationsContext) =>
  handler(operation, async (call) => {
    const { store, clock, networks, secrets, supervisor } = context
    const {
      name,
      network = context.defaultNetwork,
      settings = {},
      credentials = {},
      metadata = {},
    } = call.body
    const organization = call.caller.organizationId

    const driver = networks.get(network)
    if (!driver) throw unknownNetwork(network, [...networks.keys()])
    const faults = [...checkSettings(driver, settings, credentials), ...sharedWordFaults(null, call.body)]
    if (faults.length > 0) throw invalid(...faults)

    const id = newId('inst')
    const instance: NewInstance = {
      id,
      organization_id: organization,
      name,
      network,
      account_key: driver.accountIn(settings),
      settings: JSON.stringify(settings),
      credentials: secrets.closeCredentials(id, credentials),
      shared_callback: usesSharedCallback(driver, credentials),
      metadata: JSON.stringify(metadata),
      marketing_words: wordsAfter(null, call.body),
      created_at: clock.now(),
    }
    const location = `/v1/instances/${name}`
    const body = renderInstance({ row: newInstanceRow(instance), oldest: null }, null)
    const idempotency = idempotencyOf(call, operation, { status: 201, location, body })
    const args = { instance, limit: context.instanceLimit, idempotency, owner: context.node.id }
    const created = await store
      .transact(create, { ...args, audit: call.audit() }, call.turn)
      .catch((error) => {
        if (error instanceof StoreUnavailable && error.failure === 'away') supervisor.doubt(id, organization)
        throw error
      })
    if (created.kind === 'mismatch') throw idempotencyMismatch()
    if (created.kind === 'invalid') throw invalid(...created.faults)
    if (created.kind === 'name_taken') throw new Problem('instance_name_taken')
    if (created.kind === 'limit_reached') throw new Problem('instance_limit_reached')
    if (created.kind === 'account_in_use') {
      const detail = `The instance \`${created.name}\` uses this account. ${problems.account_in_use.explanation}`
      throw new Problem('account_in_use', { detail })
    }
    const isReplay = created.kind === 'replay'
    const first = isReplay ? (JSON.parse(created.reply.body) as Instance) : body
    if (!isReplay)
      supervisor.adopt({ ...instance, wanted: 'running', status: 'connecting', linked_at: null, epoch: 1 })
    return {
      status: 201,
      body: await settledWithin(context, call, { ...first, shared_callback: instance.shared_callback }),
      headers: createdAt(location, isReplay),
    }
  })

function unknownNetwork(network: string, known: readonly string[]): Problem {
  const meant = nearest(network, known)
  const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`
  const detail = `The networks of this server are ${known.join(', ')}.${hint}`
  return invalid({ pointer: '/network', code: 'network_unknown', detail })
}

/** The instance once it is connected or needs a person, or its state when the caller stops waiting. */
async function settledWithin(
  context: InstanceOperationsContext,
  call: Call<typeof operation>,
  { shared_callback, ...created }: Instance & Pick<NewInstance, 'shared_callback'>,
): Promise<Instance> {
  // It is not stored with the response.
  const callback_url = callbackUrlOf(context, call.caller, { ...created, shared_callback }, created.settings)
  const now = { ...created, callback_url }
  if (call.waitMs === 0) return now
  const { reader, instanceChanges } = context
  const { id, name } = created
  const wait = { ms: call.waitMs, signal: call.signal }
  const read = async () => {
    const found = await reader.find(call.caller.organizationId, name)
    // After a repetition, the name may be another instance's.
    return found?.row.id === id ? found : null
  }
  const found = await instanceChanges.until(id, wait, read, (now) => !now || !isUnderway(now.row.status))
  return found ? showInstance(context, call.caller, found) : now
}
