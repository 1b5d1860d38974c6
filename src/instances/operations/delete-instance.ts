import { handler } from '../../contract/handler.ts'
import { deleteInstance as operation } from '../../contract/operations/instance-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { orderInstance } from '../instance-store.ts'
import { type InstanceOperationsContext, showInstance } from './context.ts'

/** Milliseconds that the response waits for the network to confirm. */
const timeout = 5_000

export const deleteInstance = (context: InstanceOperationsContext) =>
  handler(operation, async ({ caller, params, signal, audit, turn }) => {
    const { store, reader, clock, supervisor, instanceChanges } = context
    const place = { organization: caller.organizationId, name: params.name }
    const ordered = await store.transact(
      orderInstance,
      {
        ...place,
        wanted: 'removed',
        now: clock.now(),
        audit: audit(),
      },
      turn,
    )
    if (ordered.kind !== 'ordered') throw new Problem('instance_not_found')

    await supervisor.order(ordered.id, 'remove')
    const read = async () => {
      const found = await reader.find(caller.organizationId, params.name)
      return found?.row.id === ordered.id ? found : null
    }
    const left = await instanceChanges.until(
      ordered.id,
      { ms: timeout, signal },
      read,
      (found) => found === null,
    )
    return left ? { status: 202, body: showInstance(context, caller, left) } : { status: 204 }
  })
