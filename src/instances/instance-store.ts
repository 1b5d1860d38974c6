import type { InvalidValue } from '../contract/problem.ts'
import type { AuditNote } from '../contract/resources/audit.ts'
import type { InstanceStatus } from '../contract/resources/instance.ts'
import { forgetMarketing } from '../messages/marketing/forget-marketing.ts'
import { noteInstanceErased, numberInstance } from '../messages/message-instances.ts'
import type { AccountKnown } from '../networks/driver/observation.ts'
import { keepAudit } from '../organizations/audit-log.ts'
import {
  type IdempotencyScope,
  type KeptReply,
  keepReply,
  recallReply,
} from '../organizations/idempotency.ts'
import { renderWords, sharedWordFaults } from '../organizations/marketing-words.ts'
import { readMarketingDefaults } from '../organizations/organization-store.ts'
import { folded } from '../runtime/text/folded-text.ts'
import { fittingAsJson, type LongColumns, pageBytes, pageOf } from '../store/page.ts'
import { batchStatement, oldestFirst, statement } from '../store/statement.ts'
import {
  briefRead,
  isForeign,
  type OfTurn,
  type Reader,
  read,
  type StoreFunctions,
  type Transaction,
  transaction,
} from '../store/store.ts'
import type { Wanted } from '../store/tables/instances.ts'
import { forgetCallbacks } from './callbacks/callback-store.ts'
import { forgetPartsOf } from './callbacks/kept-parts.ts'
import { type InstanceReading, type InstanceRow, type NewInstance, newInstanceRow } from './instance.ts'
import { appendInstanceEvents } from './instance-events.ts'
import { forgetKeys } from './keys/key-store.ts'
import { addLabels, retireLabels } from './labels.ts'
import { forgetLinkPagesOf } from './link-pages/link-page-store.ts'

/** Columns that are read of an instance when it is shown or told. */
export const columns = [
  'id',
  'organization_id',
  'name',
  'network',
  'owner',
  'epoch',
  'wanted',
  'status',
  'status_since',
  'reason',
  'restriction',
  'account',
  'settings',
  'shared_callback',
  'metadata',
  'marketing_words',
  'queue_depth',
  'next_attempt_at',
  'linked_at',
  'connected_at',
  'last_verified_at',
  'created_at',
  'updated_at',
] as const

export type Created =
  | { readonly kind: 'created' }
  | { readonly kind: 'replay'; readonly reply: KeptReply }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'name_taken' }
  | { readonly kind: 'limit_reached' }
  /** A word of the instance is in the other list of its organization. */
  | { readonly kind: 'invalid'; readonly faults: readonly InvalidValue[] }
  /** By the instance of this name. */
  | { readonly kind: 'account_in_use'; readonly name: string }

export interface CreateArgs {
  readonly instance: NewInstance
  /** Instances that the organization may have; null for any number. */
  readonly limit: number | null
  readonly idempotency: { readonly scope: IdempotencyScope; readonly reply: KeptReply } | null
  /** The node that runs it; null for any that takes it over. */
  readonly owner: string | null
  readonly audit?: AuditNote | undefined
}

/** Creates an instance that is wanted running, and keeps the response for repetitions of the request. */
export const createInstance = transaction(
  'instances.create',
  async (tx, args: CreateArgs): Promise<Created> => {
    const { instance, idempotency } = args
    const recalled = idempotency && (await recallReply(tx, idempotency.scope))
    if (recalled) return recalled
    const faults = await wordFaults(tx, instance)
    if (faults.length > 0) return { kind: 'invalid', faults }
    const own = tx.sql.selectFrom('instances').where('organization_id', '=', instance.organization_id)
    if (await tx.first(own.select('id').where('name', '=', instance.name))) return { kind: 'name_taken' }
    const { account_key, credentials } = instance
    if (account_key !== null) {
      const same = own.where('network', '=', instance.network).where('account_key', '=', account_key)
      const user = await tx.first(same.select('name'))
      if (user) return { kind: 'account_in_use', name: user.name }
    }
    const count = await tx.first(own.select(({ fn }) => fn.countAll<number | string>().as('count')))
    if (args.limit !== null && Number(count?.count) >= args.limit) return { kind: 'limit_reached' }
    const row = newInstanceRow(instance)
    const labels_id = await addLabels(tx, row)
    await tx.run(
      tx.sql
        .insertInto('instances')
        .values({ ...row, account_key, credentials, labels_id, owner: args.owner }),
    )
    await numberInstance(tx, row)
    await appendInstanceEvents(tx, [row], 'instance.created', instance.created_at)
    if (idempotency) await keepReply(tx, idempotency.scope, idempotency.reply, instance.created_at)
    await keepAudit(tx, args.audit, { target: instance.name, instance: instance.name })
    return { kind: 'created' }
  },
)

async function wordFaults(reader: Reader, { organization_id: id, marketing_words = null }: NewInstance) {
  if (marketing_words === null) return []
  const inherited = await readMarketingDefaults.run(reader, { id })
  return sharedWordFaults(null, renderWords(marketing_words), inherited)
}

const selectByName = statement<{ organization: string; name: string }>()((sql, argument) =>
  sql
    .selectFrom('instances')
    .select([...columns, 'link'])
    .where('organization_id', '=', argument('organization'))
    .where('name', '=', argument('name')),
)

/** The instance of this name, with its link step still sealed, if it is the organization's. */
export const findInstance = briefRead(
  'instances.find',
  async (
    reader,
    args: { organization: string; name: string },
  ): Promise<(InstanceReading & { link: Uint8Array | null }) | null> => {
    const found = await reader.first(selectByName, args)
    if (!found) return null
    const { link, ...row } = found
    const [reading = { row, oldest: null }] = await withOldest(reader, [row])
    return { ...reading, link }
  },
)

/** The first message in the order of acceptance; the index has only what is unsettled, in this order. */
const selectOldestWaiting = batchStatement({ instance: 'text' })((sql, given) =>
  sql
    .selectFrom('outbox')
    .innerJoin('messages', 'messages.seq', 'outbox.seq')
    .select([(eb) => eb.val(given('instance')).as('instance_id'), 'created_at as at'])
    .where('outbox.instance', '=', (eb) =>
      eb.selectFrom('message_instances').select('number').where('instance_id', '=', given('instance')),
    )
    .where(oldestFirst)
    .orderBy('outbox.seq')
    .limit(1),
)

/** Instances with the oldest message in the queue of each. */
async function withOldest(reader: Reader, rows: readonly InstanceRow[]): Promise<InstanceReading[]> {
  const waiting = rows.filter(({ queue_depth }) => queue_depth > 0)
  const found = await reader.allForEach(
    selectOldestWaiting,
    waiting.map(({ id: instance }) => ({ instance })),
  )
  const oldest = new Map(found.map(({ instance_id, at }) => [instance_id, { at }]))
  return rows.map((row) => ({ row, oldest: oldest.get(row.id) ?? null }))
}

export interface InstanceFilter {
  readonly organizationId: string
  readonly status: InstanceStatus | null
  readonly network: string | null
  /** The folded text that their name, account or labels contain; null for any. */
  readonly search: string | null
  /** The names of the only instances that the caller may know of; null for all. */
  readonly seen: readonly string[] | null
  readonly limit: number
  /** Bytes that they may have together; `pageBytes` without it. A single one may always be longer. */
  readonly bytes?: number
  /** Only instances whose name comes after this one. */
  readonly after: string | null
}

/** Instances that a search compares in one read: some milliseconds of work. */
const comparedAtOnce = 500

const long: LongColumns = { texts: [], json: ['metadata', 'settings', 'account', 'reason', 'restriction'] }

/**
 * A page of instances by name, and the name after which there may be more; null at the end. A search compares so many instances that
 * others need not wait for it, and may find none of them.
 */
export const listInstances = read('instances.list', async (reader, filter: InstanceFilter) => {
  const { search, limit, bytes: left = pageBytes } = filter
  const most = search === null ? limit : comparedAtOnce
  let query = reader.sql
    .selectFrom('instances')
    .select(columns)
    .where('organization_id', '=', filter.organizationId)
    .orderBy('name')
  if (filter.status !== null) query = query.where('status', '=', filter.status)
  if (filter.network !== null) query = query.where('network', '=', filter.network)
  if (filter.seen !== null) query = query.where('name', 'in', filter.seen)
  if (filter.after !== null) query = query.where('name', '>', filter.after)
  const { rows: read, more } = await pageOf(reader, query, {
    limit: most,
    long,
    bytes: search === null ? left : pageBytes,
  })
  const matching = search === null ? read : read.filter((row) => contains(row, search))
  const { count, bytes } = fittingAsJson(matching.slice(0, limit), long, left)
  const page = matching.slice(0, count)
  const last = matching.length > count ? page.at(-1) : more ? read.at(-1) : undefined
  const isFull = count < Math.min(matching.length, limit) || (more && read.length < most && search === null)
  const readings: InstanceReading[] = await withOldest(reader, page)
  return { readings, next: last?.name ?? null, bytes, isFull }
})

/** True if the name, the account or a label of an instance contains a folded text. */
function contains({ name, account, metadata }: InstanceRow, text: string): boolean {
  const known =
    account === null ? null : (JSON.parse(account) as Pick<AccountKnown, 'address' | 'display_name'>)
  const labels = Object.values(JSON.parse(metadata) as Record<string, string>)
  return [name, known?.address, known?.display_name, ...labels].some((words) =>
    folded(words ?? '').includes(text),
  )
}

/** Statuses of an instance at rest when it is wanted running. */
export const restingStatuses: readonly InstanceStatus[] = ['stopped', 'logged_out', 'failed']

/**
 * Keeps what is wanted of an instance. An instance that is being removed takes no more orders. One at rest that is wanted
 * running is `connecting` from here on, so that a server that takes it over connects it.
 */
export const orderInstance = transaction(
  'instances.order',
  async (
    tx,
    args: {
      organization: string
      name: string
      /** Of the instance that is meant, if another one may have the name by now. */
      id?: string
      wanted: Wanted
      now: number
      audit?: AuditNote | undefined
    },
  ) => {
    const row = await tx.first(selectByName, args)
    if (!row || (args.id ?? row.id) !== row.id) return { kind: 'not_found' } as const
    if (row.wanted === 'removed' && args.wanted !== 'removed') return { kind: 'deleting' } as const
    const begins = args.wanted === 'running' && restingStatuses.includes(row.status)
    const status = begins ? { status: 'connecting' as const, status_since: args.now, reason: null } : {}
    const ordered = tx.sql
      .updateTable('instances')
      .set({ wanted: args.wanted, updated_at: args.now, ...status })
      .where('id', '=', row.id)
      .returning(columns)
    const rows = await tx.all(ordered)
    if (begins) await appendInstanceEvents(tx, rows, 'instance.status_changed', args.now)
    await keepAudit(tx, args.audit)
    return { kind: 'ordered', id: row.id } as const
  },
)

/** Deletes what is kept for an instance that was removed, up to `limit` rows; returns how many that was. */
async function forgetBelongings(tx: Transaction, instance: string, limit: number): Promise<number> {
  let left = limit
  left -= (await forgetKeys.run(tx, { instance, owner: null, limit: left })) ?? 0
  if (left > 0) left -= await forgetCallbacks(tx, instance, left)
  if (left > 0) left -= await forgetPartsOf(tx, instance, left)
  if (left > 0) left -= await forgetMarketing(tx, instance, left)
  return limit - left
}

/**
 * Forgets an instance that was removed, but not its messages: first what is kept for it, about `limit` rows with each call, and at last
 * itself. True once it is gone.
 */
export const eraseInstance = transaction(
  'instances.erase',
  async (tx, args: { id: string; now: number; limit: number } & OfTurn): Promise<boolean> => {
    const { id: instance, now, limit } = args
    const row = await tx.first(
      tx.sql.selectFrom('instances').select('organization_id').where('id', '=', instance),
    )
    if (row && isForeign(args, row.organization_id)) return true
    if ((await forgetBelongings(tx, instance, limit)) >= limit) return false
    const removed = tx.sql
      .deleteFrom('instances')
      .where('id', '=', instance)
      .returning([...columns, 'labels_id'])
    const erased = await tx.all(removed)
    await noteInstanceErased(tx, instance)
    await forgetLinkPagesOf(tx, instance)
    for (const { labels_id: id, organization_id: organization } of erased)
      await retireLabels(tx, { id, organization, now })
    await appendInstanceEvents(tx, erased, 'instance.deleted', now)
    return true
  },
  { isToldTurn: true },
)

/** Resolves with true if the store holds anything sealed, which needs the right master key. */
export const hasInstances = read('instances.any', async (reader, _: null) => {
  return (await reader.first(reader.sql.selectFrom('instances').select('id').limit(1))) !== undefined
})

export const instanceFunctions: StoreFunctions = {
  reads: [findInstance, listInstances, hasInstances],
  transactions: [createInstance, orderInstance, eraseInstance],
}
