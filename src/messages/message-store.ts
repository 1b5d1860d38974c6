import type { Message, MessageStatus } from '../contract/message.ts'
import { writeCursor } from '../runtime/cursor.ts'
import { statement, unsettled } from '../store/statement.ts'
import { type Reader, read, type StoreFunctions } from '../store/store.ts'
import { acceptMessage } from './accept.ts'
import { type MessageRow, renderMessage } from './message.ts'
import { turnOutbox } from './outbox.ts'
import { recordReceipt, recordReturn } from './receipts.ts'
import { recoverMessages } from './recover.ts'
import { cancelMessage, discardQueue, expireMessages } from './sweep.ts'

/** The message with this id, if it is the organization's. */
export const findMessage = read(
  'messages.find',
  async (reader, args: { organizationId: string; id: string }): Promise<Message | null> => {
    const row = await reader.first(
      reader.sql
        .selectFrom('messages')
        .selectAll()
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    return row ? renderMessage(row) : null
  },
)

const selectSender = statement<{ organization: string; name: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select(['id', 'network'])
    .where('organization_id', '=', argument('organization'))
    .where('name', '=', argument('name')),
)

/** What a message needs to know of the instance that it is to leave through. */
export const findSender = read(
  'messages.sender',
  async (reader, args: { organization: string; name: string }) => {
    return (await reader.first(selectSender, args)) ?? null
  },
)

export interface MessageFilter {
  readonly organizationId: string
  readonly instanceName: string | null
  readonly status: MessageStatus | null
  readonly recipient: string | null
  readonly clientRef: string | null
  readonly limit: number
  /** Only messages accepted before the one with this id. */
  readonly before: string | null
}

/** How many messages a page looks at for the status, which no index answers. */
const scannedAtMost = 20_000

/**
 * A page of messages, the newest first, and where to go on. The work is bounded: where few of many messages have the
 * wanted status, a page may hold fewer than asked for, or none, and still have a next one.
 */
export const listMessages = read('messages.list', async (reader, filter: MessageFilter) => {
  const { limit, status } = filter
  const floor =
    status === null
      ? undefined
      : await reader.first(matching(reader, filter).select(['seq', 'id']).offset(scannedAtMost).limit(1))
  let query = matching(reader, filter)
    .selectAll()
    .limit(limit + 1)
  if (status !== null) query = query.where('status', '=', status)
  if (floor) query = query.where('seq', '>=', floor.seq)
  const rows: MessageRow[] = await reader.all(query)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : floor
  return { data: page.map(renderMessage), next_cursor: last ? writeCursor(last.id) : null }
})

function matching(reader: Reader, filter: MessageFilter) {
  let query = reader.sql
    .selectFrom('messages')
    .where('organization_id', '=', filter.organizationId)
    .orderBy('seq', 'desc')
  if (filter.before !== null) {
    // The number itself counts over all organizations, and is not for any of them to know.
    const { sql } = reader
    const own = sql.selectFrom('messages').where('organization_id', '=', filter.organizationId)
    query = query.where('seq', '<', own.where('id', '=', filter.before).select('seq'))
  }
  if (filter.instanceName !== null) query = query.where('instance_name', '=', filter.instanceName)
  if (filter.recipient !== null) query = query.where('recipient', '=', filter.recipient)
  if (filter.clientRef !== null) query = query.where('client_ref', '=', filter.clientRef)
  return query
}

/** How many unsettled messages the age of the oldest is looked for in: those that expire first. */
const agedAtMost = 1_000

/** How much waits to be sent, over all organizations, for the metrics. */
export const readQueueTotals = read('messages.queue', async (reader, _: null) => {
  const { sql } = reader
  const total = await reader.first(
    sql.selectFrom('instances').select(({ fn }) => fn.sum('queue_depth').as('depth')),
  )
  const first = sql
    .selectFrom('messages')
    .select('created_at')
    .where(unsettled)
    .orderBy('expires_at')
    .limit(agedAtMost)
  const ages = await reader.all(first)
  const oldestAt = ages.reduce<number | null>(
    (oldest, { created_at }) => Math.min(oldest ?? created_at, created_at),
    null,
  )
  return { depth: Number(total?.depth ?? 0), oldestAt }
})

export const messageFunctions: StoreFunctions = {
  reads: [findMessage, listMessages, findSender, readQueueTotals],
  transactions: [
    acceptMessage,
    turnOutbox,
    recoverMessages,
    expireMessages,
    discardQueue,
    cancelMessage,
    recordReceipt,
    recordReturn,
  ],
}
