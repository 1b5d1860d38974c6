import { read } from '../../../store/store.ts'

/** Unsettled messages that the age of the oldest is looked for in: those that expire first. */
const agedAtMost = 1_000

/**
 * Returns the number of messages that wait to be sent, over all organizations, the time of the oldest, and since when the oldest is
 * due that nothing but its network or its pace holds up: for the metrics.
 */
export const readQueueTotals = read('messages.queue', async (reader, _: null) => {
  const { sql } = reader
  const total = await reader.first(
    sql.selectFrom('instances').select(({ fn }) => fn.sum('queue_depth').as('depth')),
  )
  const first = sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .leftJoin('message_instances', 'message_instances.number', 'outbox.instance')
    .leftJoin('instances', 'instances.id', 'message_instances.instance_id')
    .select(['messages.created_at', 'messages.send_at', 'outbox.held', 'outbox.awaits_file'])
    .select(['outbox.target_seq', 'outbox.joins_lane_at', 'instances.status'])
    .orderBy('outbox.expires_at')
    .limit(agedAtMost)
  const ages = await reader.all(first)
  const sendable = ages.filter((row) => row.status === 'connected' && !waitsForOthers(row))
  return {
    depth: Number(total?.depth ?? 0),
    oldestAt: leastOf(ages.map(({ created_at }) => created_at)),
    dueSince: leastOf(sendable.map(({ created_at, send_at }) => Math.max(created_at, send_at ?? 0))),
  }
})

/**
 * True if a message waits for something that neither its network nor its pace can give: the operator, its file, or its target, which
 * it awaits outside its lane (`targets.ts`).
 */
function waitsForOthers(row: {
  readonly held: number
  readonly awaits_file: number
  readonly target_seq: number | null
  readonly joins_lane_at: number
}): boolean {
  return row.held === 1 || row.awaits_file === 1 || (row.target_seq !== null && row.joins_lane_at > 0)
}

function leastOf(times: readonly number[]): number | null {
  return times.reduce<number | null>((least, time) => Math.min(least ?? time, time), null)
}
