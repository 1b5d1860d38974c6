import { type Compilable, rawSql } from '../../statement.ts'
import { isSet, type Step } from '../step.ts'

/** The tables of the journal, of webhooks, and of what is delivered to them. */
export function events(step: Step): Compilable<unknown>[] {
  return [
    step.table('events', { key: ['organization_id', 'sequence'], inOneTree: true }),
    step.table('epoch_starts', { key: ['organization_id', 'epoch'] }),
    step.table('webhooks', {
      key: ['id'],
      references: { organization_id: 'organizations.id' },
      later: ['name'],
    }),
    step.index('webhooks_of_organization', 'webhooks', ['organization_id', 'id']),
    step.table('deliveries', { key: ['seq'], unique: ['id'] }),
    ...deliveryIndexes(step),
    step.table('delivery_attempts', { key: ['delivery_seq', 'number'] }),
  ]
}

const isPending = rawSql<boolean>("status = 'pending'")
/** Pending, and waiting for one before it; what waits in a batch goes with it. */
const isHeldBack = rawSql<boolean>("status = 'pending' and next_attempt_at is null and batch_id is null")
const isInBatch = rawSql<boolean>("status = 'pending' and batch_id is not null")
const isTestWithTime = rawSql<boolean>("event_type = 'webhook.test' and next_attempt_at is not null")

function deliveryIndexes(step: Step): Compilable<unknown>[] {
  const index = (
    name: string,
    columns: Parameters<typeof step.index<'deliveries'>>[2],
    where?: typeof isPending,
  ) => step.index(name, 'deliveries', ['webhook_id', ...columns], where && { where })
  return [
    index('deliveries_by_status', ['status', 'seq']),
    index('deliveries_of_event', ['event_sequence']),
    index('deliveries_due', ['next_attempt_at', 'seq'], isSet('next_attempt_at')),
    // Tests go out also if the webhook is disabled and everything else waits.
    index('deliveries_of_tests', ['next_attempt_at', 'seq'], isTestWithTime),
    // With the status, though it is the same in all of them: SQLite would look through all that is pending instead.
    index('deliveries_held_back', ['status', 'seq'], isHeldBack),
    index('deliveries_in_batch', ['batch_id'], isInBatch),
    // The first that is pending, of an instance: what is delivered in order waits for it.
    index('deliveries_in_order', ['instance_name', 'event_sequence', 'seq'], isPending),
  ]
}
