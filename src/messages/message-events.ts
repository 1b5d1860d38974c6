import type { MessageEventData } from '../contract/resources/event.ts'
import type { MessageStatus } from '../contract/resources/message.ts'
import { appendEvents, type NewEvent } from '../events/journal.ts'
import { forEach } from '../store/statement.ts'
import type { Transaction } from '../store/store.ts'
import { type MessageRow, type NewMessage, newRow, renderMessage } from './message.ts'
import { type FileFacts, filesOf } from './message-file.ts'

const selectLabels = forEach<{ id: string }>({ id: 'text' })((sql, given) =>
  sql.selectFrom('instances').select(['id', 'metadata']).where('id', '=', given('id')),
)

/** An attempt that begins is no event: what comes of it is. */
type ToldStatus = Exclude<MessageStatus, 'sending'>

/** The steps of a message that arrives, of which several may become known at once. */
const steps: readonly MessageStatus[] = ['sent', 'delivered', 'read']

/** A message that changed: its row after the change, and the status before; `sending` unless given. */
export interface Changed {
  readonly row: MessageRow
  readonly was?: MessageStatus
}

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

/** A message that changed: its row after the change, and what it was before. */
export interface Changed {
  readonly row: MessageRow
  /** `sending` unless told. */
  readonly was?: MessageStatus
}

/**
 * Appends the events of messages that changed, in the transaction that changed them. Those that were `settled` by it do not count as
 * unsettled any more.
 */
export async function tellMessages(
  tx: Transaction,
  changed: readonly Changed[],
  now: number,
  { settled = false } = {},
): Promise<void> {
  if (changed.length === 0) return
  const rows = changed.map(({ row }) => row)
  const media = rows.filter(({ kind }) => kind !== 'text').map(({ id }) => id)
  const files = await filesOf(tx, media)
  const labels = await labelsOf(tx, rows)
  const byOrganization = Map.groupBy(changed, ({ row }) => row.organization_id)
  const happened = [...byOrganization].map(([organization, own]) => ({
    organization,
    now,
    events: own.flatMap(({ row, was = 'sending' }) =>
      stepsOf(row, was).map((step) => eventOf(step, labels(row), files.get(row.id))),
    ),
    unsettled: settled ? -own.length : 0,
  }))
  await appendEvents(tx, happened)
}

/** A message as it is accepted, with what is known of its file. */
export interface AcceptedMessage {
  readonly message: NewMessage
  readonly file?: FileFacts
}

/** Appends the events of messages that are accepted, in the transaction that does, and counts them as unsettled. */
export async function tellAccepted(tx: Transaction, accepted: readonly AcceptedMessage[]): Promise<void> {
  const labels = await labelsOf(
    tx,
    accepted.map(({ message }) => message),
  )
  const byOrganization = Map.groupBy(accepted, ({ message }) => message.organization_id)
  const happened = [...byOrganization].map(([organization, own]) => ({
    organization,
    now: Math.max(...own.map(({ message }) => message.created_at)),
    events: own.map(({ message, file }) => eventOf(newRow(message), labels(message), file)),
    unsettled: own.length,
  }))
  await appendEvents(tx, happened)
}

/** The labels of the instances of messages. */
async function labelsOf(tx: Transaction, messages: readonly { readonly instance_id: string }[]) {
  const ids = [...new Set(messages.map(({ instance_id }) => instance_id))]
  const rows = await tx.allForEach(
    selectLabels,
    ids.map((id) => ({ id })),
  )
  const labels = new Map<string, Record<string, string>>(
    rows.map(({ id, metadata }) => [id, JSON.parse(metadata)]),
  )
  return ({ instance_id }: { readonly instance_id: string }) => labels.get(instance_id) ?? {}
}

function eventOf(row: MessageRow, metadata: Record<string, string>, file: FileFacts | undefined): NewEvent {
  const instance = { id: row.instance_id, name: row.instance_name, metadata }
  const data: MessageEventData = { instance, message: renderMessage(row, file) }
  return { type: `message.${row.status as ToldStatus}`, instance: row.instance_name, data }
}
