import type { MessageEventData } from '../contract/event.ts'
import type { MessageStatus } from '../contract/message.ts'
import { appendEvents, type NewEvent } from '../events/journal.ts'
import { statement } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'
import { type MessageRow, renderMessage } from './message.ts'
import { filesOf } from './message-file.ts'

const selectMetadata = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('instances').select('metadata').where('id', '=', argument('id')),
)

/** An attempt that begins is no event: what comes of it is. */
type ToldStatus = Exclude<MessageStatus, 'sending'>

/**
 * Tells what became of messages, in the transaction that changed them: the rows are those after the change, in the order in
 * which they are to be told.
 */
export async function tellMessages(tx: Transaction, rows: readonly MessageRow[], now: number): Promise<void> {
  if (rows.length === 0) return
  const files = await filesOf(
    tx,
    rows.filter(({ kind }) => kind !== 'text').map(({ id }) => id),
  )
  const labels = new Map<string, Record<string, string>>()
  for (const { instance_id: id } of rows) {
    if (labels.has(id)) continue
    const instance = await tx.first(selectMetadata, { id })
    labels.set(id, instance ? JSON.parse(instance.metadata) : {})
  }
  const eventOf = (row: MessageRow): NewEvent => {
    const instance = {
      id: row.instance_id,
      name: row.instance_name,
      metadata: labels.get(row.instance_id) ?? {},
    }
    const data: MessageEventData = { instance, message: renderMessage(row, files.get(row.id)) }
    return { type: `message.${row.status as ToldStatus}`, instance: row.instance_name, data }
  }
  for (const [organization, own] of Map.groupBy(rows, (row) => row.organization_id))
    await appendEvents(tx, organization, now, own.map(eventOf))
}
