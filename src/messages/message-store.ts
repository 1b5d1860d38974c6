import { sees } from '../contract/handler.ts'
import type { Message } from '../contract/message.ts'
import { statement, unsettled } from '../store/statement.ts'
import { read, type StoreFunctions } from '../store/store.ts'
import { acceptMessage } from './accept.ts'
import { fileFetchingFunctions } from './file-fetching.ts'
import { inboxFunctions } from './inbox.ts'
import { renderMessage } from './message.ts'
import { findFile } from './message-file.ts'
import { listMessages, renderAll } from './message-list.ts'
import { settleAndClaim } from './outbox.ts'
import { recordAcknowledged, recordReceipt, recordReturn } from './receipts.ts'
import { receivedFileFunctions } from './received-file-store.ts'
import { recoverMessages } from './recover.ts'
import { retentionFunctions } from './retention.ts'
import { cancelMessage, discardQueue, expireMessages } from './sweep.ts'

/** Which message, and for whom: `instances` are the names of those that the caller may know of, null for all. */
export interface MessagePlace {
  readonly organizationId: string
  readonly id: string
  readonly instances: readonly string[] | null
}

/** The message with this id, if it is the organization's, and of an instance that the caller may know of. */
export const findMessage = read(
  'messages.find',
  async (reader, args: MessagePlace): Promise<Message | null> => {
    const row = await reader.first(
      reader.sql
        .selectFrom('messages')
        .selectAll()
        .where('id', '=', args.id)
        .where('organization_id', '=', args.organizationId),
    )
    if (!row || !sees(args, row.instance_name)) return null
    return row.kind === 'text' ? renderMessage(row, undefined) : ((await renderAll(reader, [row]))[0] ?? null)
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
  reads: [
    ...fileFetchingFunctions.reads,
    ...inboxFunctions.reads,
    findMessage,
    findFile,
    listMessages,
    findSender,
    readQueueTotals,
  ],
  transactions: [
    ...fileFetchingFunctions.transactions,
    ...inboxFunctions.transactions,
    ...receivedFileFunctions.transactions,
    ...retentionFunctions.transactions,
    acceptMessage,
    settleAndClaim,
    recoverMessages,
    expireMessages,
    discardQueue,
    cancelMessage,
    recordReceipt,
    recordAcknowledged,
    recordReturn,
  ],
}
