import type { MessageEventData } from '../contract/resources/event.ts'
import type { MessageStatus } from '../contract/resources/message.ts'
import { appendEvents, type NewEvent } from '../events/journal.ts'
import { statement } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'
import { type MessageRow, type NewMessage, newRow, renderMessage } from './message.ts'
import { type FileFacts, filesOf } from './message-file.ts'

const selectMetadata = statement<{ id: string }>()((sql, argument) =>
  sql.selectFrom('instances').select('metadata').where('id', '=', argument('id')),
)

/** An attempt that begins is no event: what comes of it is. */
type ToldStatus = Exclude<MessageStatus, 'sending'>

/** The steps of a message that arrives, of which several may become known at once. */
const steps: readonly MessageStatus[] = ['sent', 'delivered', 'read']

/** The message at each step that it made from `was` on; what is known of later steps is not told before them. */
function stepsOf(row: MessageRow, was: MessageStatus): MessageRow[] {
  const last = steps.indexOf(row.status)
  if (last < 0) return [row]
  return steps.slice(steps.indexOf(was) + 1, last + 1).map((status) => ({
    ...row,
    status,
    delivered_at: status === 'sent' ? null : row.delivered_at,
    read_at: status === 'read' ? row.read_at : null,
  }))
}

/** What all messages that are told at once have in common. */
interface Telling {
  /** The status that they had before; `sending` unless told. */
  readonly was?: MessageStatus
  /** True if they were unsettled before, and are settled now. */
  readonly settled?: boolean
}

/**
 * Tells what became of messages, in the transaction that changed them: the rows are those after the change, in the order in
 * which they are to be told.
 */
export async function tellMessages(
  tx: Transaction,
  changed: readonly MessageRow[],
  now: number,
  { was = 'sending', settled = false }: Telling = {},
): Promise<void> {
  const rows = changed.flatMap((row) => stepsOf(row, was))
  if (rows.length === 0) return
  const files = await filesOf(
    tx,
    rows.filter(({ kind }) => kind !== 'text').map(({ id }) => id),
  )
  const labels = new Map<string, Record<string, string>>()
  for (const { instance_id: id } of rows) {
    if (!labels.has(id)) labels.set(id, await labelsOf(tx, id))
  }
  const told = (row: MessageRow) => eventOf(row, labels.get(row.instance_id) ?? {}, files.get(row.id))
  for (const [organization, own] of Map.groupBy(rows, (row) => row.organization_id))
    await appendEvents(tx, organization, now, own.map(told), settled ? -countOf(changed, organization) : 0)
}

function countOf(rows: readonly MessageRow[], organization: string): number {
  return rows.filter((row) => row.organization_id === organization).length
}

/** Tells that a message was accepted, in the transaction that does, and counts it; `file` is that of a media message. */
export async function tellAccepted(
  tx: Transaction,
  message: NewMessage,
  file: FileFacts | undefined,
): Promise<void> {
  const event = eventOf(newRow(message), await labelsOf(tx, message.instance_id), file)
  await appendEvents(tx, message.organization_id, message.created_at, [event], 1)
}

async function labelsOf(tx: Transaction, instanceId: string): Promise<Record<string, string>> {
  const instance = await tx.first(selectMetadata, { id: instanceId })
  return instance ? JSON.parse(instance.metadata) : {}
}

function eventOf(row: MessageRow, metadata: Record<string, string>, file: FileFacts | undefined): NewEvent {
  const instance = { id: row.instance_id, name: row.instance_name, metadata }
  const data: MessageEventData = { instance, message: renderMessage(row, file) }
  return { type: `message.${row.status as ToldStatus}`, instance: row.instance_name, data }
}
