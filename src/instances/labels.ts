import { timeOfEvent } from '../events/journal.ts'
import type { Transaction } from '../store/store.ts'

/** Keeps the labels of an instance as events refer to them, and returns their number; null if there are none. */
export async function addLabels(
  tx: Transaction,
  { organization_id, metadata }: { organization_id: string; metadata: string },
): Promise<number | null> {
  if (metadata === '{}') return null
  const added = await tx.first(
    tx.sql.insertInto('instance_labels').values({ organization_id, metadata }).returning('id'),
  )
  if (!added) throw new Error('labels were not kept')
  return added.id
}

/** No new event refers to these labels from now on: they go with the last that does. */
export async function retireLabels(
  tx: Transaction,
  { id, organization, now }: { id: number | null; organization: string; now: number },
): Promise<void> {
  if (id === null) return
  // Never before that last event, which is younger than now if the clock was set back.
  const retired_at = timeOfEvent(tx.sql, now).where('id', '=', organization)
  await tx.run(tx.sql.updateTable('instance_labels').set({ retired_at }).where('id', '=', id))
}
