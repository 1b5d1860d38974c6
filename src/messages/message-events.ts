import type { MessageEventData } from '../contract/resources/event.ts'
import type { MessageStatus } from '../contract/resources/message.ts'
import type { MessageEventParts } from '../events/event.ts'
import { appendEvents, appendNumbered, takeEventNumbers } from '../events/journal.ts'
import type { NewEvent } from '../events/stretches/new-stretches.ts'
import type { Transaction } from '../store/store.ts'
import { type MessageRow, mayHaveFile, type NewMessage, renderMessage, storedSize } from './message.ts'
import { type FileFacts, filesOf, renderFile } from './message-file.ts'
import { isUndecryptable, withoutContent } from './undecryptable.ts'

/** The beginning of an attempt is no event; its outcome is. */
type StatusWithEvent = Exclude<MessageStatus, 'sending'>

/** The steps of a message that arrives. Several of them may become known at once. */
const steps: readonly MessageStatus[] = ['sent', 'delivered', 'read']

/** The columns of a message that its events are made from. */
export type MessageOfEvent = Pick<
  MessageRow,
  | 'seq'
  | 'id'
  | 'organization_id'
  | 'instance_id'
  | 'instance_name'
  | 'kind'
  | 'status'
  | 'sent_elsewhere'
  | 'attempts'
  | 'error'
  | 'notices'
  | 'network_message_id'
  | 'id_assigned'
  | 'sent_at'
  | 'delivered_at'
  | 'read_at'
  | 'unsupported'
>

/** A message that changed: its row after the change, and the status before; `sending` unless given. */
export interface ChangedMessage<Row extends MessageOfEvent = MessageOfEvent> {
  readonly row: Row
  readonly was?: MessageStatus
}

/** The message as it was at each step since `was`, without what only later steps reveal. */
function stepsOf(row: MessageOfEvent, was: MessageStatus): MessageOfEvent[] {
  const last = steps.indexOf(row.status)
  if (last < 0) return [row]
  return steps.slice(steps.indexOf(was) + 1, last + 1).map((status) => ({
    ...row,
    status,
    delivered_at: status === 'sent' ? null : row.delivered_at,
    read_at: status === 'read' ? row.read_at : null,
  }))
}

/**
 * Appends the events of changed messages, in the transaction that changed them. If they were `settled` by it, they no longer
 * count as unsettled.
 */
export async function appendMessageEvents(
  tx: Transaction,
  changed: readonly ChangedMessage[],
  now: number,
  { settled = false } = {},
): Promise<void> {
  if (changed.length === 0) return
  const media = changed.filter(({ row }) => mayHaveFile(row)).map(({ row }) => row.id)
  const files = await filesOf(tx, media)
  const byOrganization = Map.groupBy(changed, ({ row }) => row.organization_id)
  const happened = [...byOrganization].map(([organization, own]) => ({
    organization,
    now,
    events: own.flatMap(({ row, was = 'sending' }) =>
      stepsOf(row, was).map((step) => eventOf(step, files.get(row.id), hadLeft(step, settled))),
    ),
    unsettled: settled ? -own.length : 0,
  }))
  await appendEvents(tx, happened)
}

/** A message as it was accepted, with what is known about its file. */
export interface AcceptedMessage {
  readonly seq: number
  readonly message: NewMessage
  readonly file?: FileFacts | undefined
}

/** Takes numbers for the events of messages, in the transaction that accepts them, and counts them as unsettled. */
export function takeAcceptedNumbers(tx: Transaction, messages: readonly NewMessage[], now: number) {
  const byOrganization = Map.groupBy(messages, ({ organization_id }) => organization_id)
  const taking = [...byOrganization].map(([organization, own]) => {
    const stored = own.reduce((sum, message) => sum + storedSize(message), 0)
    return { organization, now, count: own.length, unsettled: own.length, stored }
  })
  return takeEventNumbers(tx, taking)
}

/** Appends the events of accepted messages, which have these numbers. */
export function appendAccepted(
  tx: Transaction,
  accepted: readonly AcceptedMessage[],
  numbers: Awaited<ReturnType<typeof takeAcceptedNumbers>>,
): void {
  const byOrganization = Map.groupBy(accepted, ({ message }) => message.organization_id)
  const happened = [...byOrganization].map(([organization, own]) => ({
    organization,
    events: own.map(
      ({ seq, message, file }): NewEvent => ({
        type: 'message.queued',
        instance: message.instance_name,
        message: { seq, instance: message.instance_id },
        data: (file ? { file: renderFile(file) } : {}) satisfies Changeable,
      }),
    ),
  }))
  appendNumbered(tx, happened, numbers)
}

/**
 * Returns true if the message had left the queue already: it may still turn out to be sent, or come back, and a client that
 * counts the queue must know.
 */
function hadLeft({ status, sent_elsewhere }: MessageOfEvent, settled: boolean): boolean {
  return !settled && sent_elsewhere === 0 && (status === 'sent' || status === 'failed')
}

function eventOf(row: MessageOfEvent, file: FileFacts | undefined, hadLeft = false): NewEvent {
  const isNews = row.status === 'sent' && row.sent_elsewhere === 1
  const type = isNews ? 'message.sent_elsewhere' : (`message.${row.status as StatusWithEvent}` as const)
  const message = { seq: row.seq, instance: row.instance_id }
  return {
    type,
    instance: row.instance_name,
    message,
    data: {
      ...changeableOf(row, file),
      ...(hadLeft && { had_left: 1 }),
      ...(isUndecryptable(row) && { undecryptable: 1 }),
    },
  }
}

/**
 * The fields of a message that can change after its first event, as they are now, except its status, which follows from the
 * type of the event. Everything else in an event is read from the row of the message, and never changes. Null and 0 are left
 * out.
 */
interface Changeable {
  readonly attempts?: number
  /** JSON text. */
  readonly error?: string
  readonly notices?: string
  /** The id that the network assigned. */
  readonly network_message_id?: string
  readonly sent_at?: number
  readonly delivered_at?: number
  readonly read_at?: number
  readonly file?: FileFacts
}

/** Stands in an event that is not the one by which its message left the queue, although its type is one of those. */
interface HadLeft {
  readonly had_left?: 1
}

/** Stands in the event of a message whose content had not come yet: it never tells of the content. */
interface Undecryptable {
  readonly undecryptable?: 1
}

function changeableOf(row: MessageOfEvent, file: FileFacts | undefined): Changeable {
  const { attempts, error, notices, network_message_id, sent_at, delivered_at, read_at } = row
  return {
    ...(attempts !== 0 && { attempts }),
    ...(error !== null && { error }),
    ...(notices !== null && { notices }),
    ...(row.id_assigned === 1 && network_message_id !== null && { network_message_id }),
    ...(sent_at !== null && { sent_at }),
    ...(delivered_at !== null && { delivered_at }),
    ...(read_at !== null && { read_at }),
    ...(file && { file: renderFile(file) }),
  }
}

const format = 1

/**
 * Returns what an event says about its message. An event has the same bytes for ever, so a field added to messages later
 * needs a new format.
 */
export function renderMessageEvent(parts: MessageEventParts): MessageEventData {
  if (parts.format !== format) throw new Error(`an event has the format ${parts.format}, which is not known`)
  const { message, metadata } = parts
  const parsed: Changeable & HadLeft & Undecryptable = JSON.parse(parts.changeable)
  const { file, had_left: _, undecryptable, ...changeable } = parsed
  const shown = undecryptable ? { ...message, ...withoutContent } : message
  const nothing = {
    attempts: 0,
    error: null,
    notices: null,
    network_message_id: message.id_assigned === 1 ? null : message.network_message_id,
    sent_at: null,
    delivered_at: null,
    read_at: null,
  }
  const status =
    parts.type === 'message.sent_elsewhere'
      ? 'sent'
      : (parts.type.slice('message.'.length) as StatusWithEvent)
  return {
    instance: { id: message.instance_id, name: message.instance_name, metadata: JSON.parse(metadata) },
    message: renderMessage(
      { ...shown, ...nothing, ...changeable, status },
      file && message.forgotten === 1 ? { ...file, filename: null, sha256: null } : file,
    ),
  }
}
