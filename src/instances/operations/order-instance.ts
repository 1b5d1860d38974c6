import { handler } from '../../contract/handler.ts'
import {
  restartInstance,
  startInstance,
  stopInstance,
} from '../../contract/operations/instance-operations.ts'
import { Problem } from '../../contract/problem.ts'
import { orderInstance } from '../instance-store.ts'
import { isUnderway } from '../lifecycle/lifecycle.ts'
import { type InstanceOperationsContext, readInstance, showInstance } from './context.ts'

/** The three orders differ only in what is wanted and in the input to the lifecycle. */
const orders = [
  { operation: startInstance, wanted: 'running', order: 'start' },
  { operation: stopInstance, wanted: 'stopped', order: 'stop' },
  { operation: restartInstance, wanted: 'running', order: 'restart' },
] as const

export const orderInstances = (context: InstanceOperationsContext) =>
  orders.map(({ operation, wanted, order }) =>
    handler(operation, async (call) => {
      const { store, clock, supervisor, instanceChanges } = context
      const organization = call.caller.organizationId
      const { name } = call.params
      const ordered = await store.transact(
        orderInstance,
        {
          organization,
          name,
          wanted,
          now: clock.now(),
          audit: call.audit(),
        },
        call.turn,
      )
      if (ordered.kind === 'not_found') throw new Problem('instance_not_found')
      if (ordered.kind === 'deleting') throw new Problem('instance_deleting')

      await supervisor.order(ordered.id, order)
      const read = () => readInstance(context, organization, name)
      const wait = { ms: call.waitMs, signal: call.signal }
      const reading = await instanceChanges.until(
        ordered.id,
        wait,
        read,
        ({ row }) => !isUnderway(row.status),
      )
      return { status: 202, body: showInstance(context, call.caller, reading) }
    }),
  )
