import type { AuditNote } from '../../../contract/resources/audit.ts'
import { keepAudit } from '../../../organizations/audit-log.ts'
import { folded } from '../../../runtime/text/folded-text.ts'
import { batchStatement } from '../../../store/statement.ts'
import { type Reader, read, transaction } from '../../../store/store.ts'
import { keptKind } from '../../../store/tables/kept-message.ts'
import { withOutbox } from '../../current-message.ts'
import { type MessageFilter, type Search, searchFor } from '../../list/message-filter.ts'
import { type MessageRow, mayHaveFile } from '../../message.ts'
import { maySoonArrive } from '../queue/corrections.ts'
import { settleWithoutAttempt } from './sweep.ts'

/*
 * Queued messages are found by the index of what is unsettled, instance by instance and lane by lane: so it takes no longer because many
 * messages were sent before. They are found in reads and canceled in transactions of a few milliseconds.
 */

/** The place of a message, to go on after it. */
interface Place {
  /** The number of the instance. */
  readonly instance: number
  readonly recipient: string
  readonly joins: number
  readonly seq: number
}

export interface FindQueued extends MessageFilter {
  /** The last message that a call before looked at. */
  readonly after: string | null
  /** As `goOn` of the read before; null at first. */
  readonly place: Place | null
}

export interface FoundQueued {
  /** Messages that are queued and match, at most as many as one transaction cancels. */
  readonly seqs: readonly number[]
  /** The place to go on from, with the id of its message if there is one; null if that was all. */
  readonly goOn: (Place & { readonly id: string | null }) | null
}

/** Messages that one read looks at, and those that one transaction cancels. */
const lookedAtOnce = 250
const canceledAtOnce = 50
/** Characters of text after which one read compares no more. */
const comparedAtOnce = 128 * 1024

const nowhere: Place = { instance: 0, recipient: '', joins: -1, seq: -1 }

/** The next queued messages that match; null if there is no such instance. */
export const findQueued = read(
  'messages.find-queued',
  async (reader, asked: FindQueued): Promise<FoundQueued | null> => {
    const search = await searchFor(reader, asked)
    const place = asked.place ?? (await placeOf(reader, asked))
    const instances = await instancesFrom(reader, asked, place.instance)
    if (asked.instanceName !== null && instances.length === 0) return null
    const seqs: number[] = []
    if (search.conversations?.length === 0) return { seqs, goOn: null }
    let [looked, compared] = [0, 0]
    for (const [index, instance] of instances.entries()) {
      const after = instance === place.instance ? place : { ...nowhere, instance }
      for (const row of await queueOf(reader, search, after, lookedAtOnce - looked)) {
        looked++
        if (search.text !== null) compared += row.text?.length ?? 0
        if (matches(row, search)) seqs.push(row.seq)
        const { recipient, joins_lane_at: joins, seq, id } = row
        if (seqs.length === canceledAtOnce || looked === lookedAtOnce || compared >= comparedAtOnce)
          return { seqs, goOn: { instance, recipient, joins, seq, id } }
      }
      // An instance in whose queue nothing is looked at takes time, too.
      looked++
      const next = instances[index + 1]
      if (looked >= lookedAtOnce && next !== undefined)
        return { seqs, goOn: { ...nowhere, instance: next, id: null } }
    }
    return { seqs, goOn: null }
  },
)

/** Returns the place of the message that a call before ended with; the beginning if it was removed since. */
async function placeOf(reader: Reader, { organizationId, seen, after }: FindQueued): Promise<Place> {
  if (after === null) return nowhere
  const there = withOutbox(reader.sql)
    .select(['messages.instance', 'messages.recipient', 'joins_lane_at as joins', 'messages.seq'])
    .where('messages.id', '=', after)
    .where('organization_id', '=', organizationId)
  const own = seen === null ? there : there.where('instance_name', 'in', seen)
  const place = await reader.first(own)
  // A scheduled message that was canceled has no place any more: those after it are looked at once more, and none is passed over.
  return place ? { ...place, joins: place.joins ?? 0 } : nowhere
}

/** The instances to look at that have something queued, from this one on. */
async function instancesFrom(
  reader: Reader,
  { organizationId, instanceName, seen }: MessageFilter,
  from: number,
): Promise<number[]> {
  let own = reader.sql
    .selectFrom('instances')
    .innerJoin('message_instances', 'message_instances.instance_id', 'instances.id')
    .select('number')
    .where('instances.organization_id', '=', organizationId)
    .where('wanted', '!=', 'removed')
    .orderBy('number')
  if (seen !== null) own = own.where('name', 'in', seen)
  own =
    instanceName === null
      ? own.where('queue_depth', '>', 0).where('number', '>=', from)
      : own.where('name', '=', instanceName)
  return (await reader.all(own)).map(({ number }) => number)
}

/** Selects from the outbox before the messages are read: PostgreSQL might read and sort all of them instead. */
function queueOf(reader: Reader, { conversations }: Search, after: Place, limit: number) {
  const all = reader.sql
    .selectFrom('outbox')
    .select(['seq', 'recipient', 'joins_lane_at', 'status'])
    .where('instance', '=', after.instance)
    .where((eb) =>
      eb(
        eb.refTuple('recipient', 'joins_lane_at', 'seq'),
        '>',
        eb.tuple(after.recipient, after.joins, after.seq),
      ),
    )
    .orderBy('recipient')
    .orderBy('joins_lane_at')
    .orderBy('seq')
    .limit(limit)
  const waiting = conversations === null ? all : all.where('recipient', 'in', conversations)
  return reader.all(
    reader.sql
      .selectFrom(waiting.as('waiting'))
      .innerJoin('messages', 'messages.seq', 'waiting.seq')
      .select(['waiting.seq', 'waiting.recipient', 'joins_lane_at', 'waiting.status'])
      .select(['id', 'client_ref', 'created_at', 'kind', 'text'])
      .orderBy('waiting.recipient')
      .orderBy('joins_lane_at')
      .orderBy('waiting.seq'),
  )
}

type Row = Awaited<ReturnType<typeof queueOf>>[number]

function matches(row: Row, { clientRef, createdAfter, createdBefore, text }: Search): boolean {
  if (row.status !== 'queued' || (clientRef !== null && row.client_ref !== clientRef)) return false
  if (row.created_at < (createdAfter ?? 0)) return false
  if (row.created_at >= (createdBefore ?? Number.POSITIVE_INFINITY)) return false
  return text === null || (row.kind !== keptKind('template') && folded(row.text ?? '').includes(text))
}

const selectQueued = batchStatement({ seq: 'bigint', organization: 'text' })((sql, given) =>
  sql
    .selectFrom('outbox')
    .innerJoin('message_instances', 'message_instances.number', 'outbox.instance')
    .select(['seq', 'instance'])
    .where('seq', '=', given('seq'))
    .where('organization_id', '=', given('organization'))
    .where('status', '=', 'queued')
    .where((eb) => eb.not(maySoonArrive(eb))),
)

export interface CancelQueued {
  readonly organizationId: string
  readonly seqs: readonly number[]
  readonly instanceName: string | null
  readonly now: number
  /** Written only if something is canceled. */
  readonly audit: AuditNote | undefined
}

export interface CanceledQueued {
  readonly canceled: readonly Pick<MessageRow, 'id' | 'seq' | 'instance_id'>[]
  readonly hasFiles: boolean
}

/** Cancels those of these messages that are still queued. */
export const cancelQueued = transaction(
  'messages.cancel-queued',
  async (tx, { organizationId: organization, seqs, ...args }: CancelQueued): Promise<CanceledQueued> => {
    const rows = await tx.allForEach(
      selectQueued,
      seqs.map((seq) => ({ seq, organization })),
    )
    const settled = await settleWithoutAttempt(tx, rows, 'canceled', args.now)
    const canceled = settled.filter(({ status }) => status !== 'sent')
    if (rows.length > 0)
      await keepAudit(tx, args.audit, args.instanceName === null ? {} : { instance: args.instanceName })
    return {
      canceled: canceled.map(({ id, seq, instance_id }) => ({ id, seq, instance_id })),
      hasFiles: canceled.some(mayHaveFile),
    }
  },
)
