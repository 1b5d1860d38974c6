import { read } from '../../../store/store.ts'

/** Unsettled messages that the age of the oldest is looked for in: those that expire first. */
const agedAtMost = 1_000

/**
 * Returns the number of messages that wait to be sent, over all organizations, and the time of the oldest, for the metrics.
 */
export const readQueueTotals = read('messages.queue', async (reader, _: null) => {
  const { sql } = reader
  const total = await reader.first(
    sql.selectFrom('instances').select(({ fn }) => fn.sum('queue_depth').as('depth')),
  )
  const first = sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select('created_at')
    .orderBy('outbox.expires_at')
    .limit(agedAtMost)
  const ages = await reader.all(first)
  const oldestAt = ages.reduce<number | null>(
    (oldest, { created_at }) => Math.min(oldest ?? created_at, created_at),
    null,
  )
  return { depth: Number(total?.depth ?? 0), oldestAt }
})
